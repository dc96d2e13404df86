"""A sandbox of a real task, a scripted endpoint, and the harness run on both."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from given.modules import module

from copperbench.agent.main import main
from copperbench.sandbox import build_sandbox, unpack_sandbox
from copperbench.suite import load_fixture, load_task

_GIT = shutil.which("git") or "git"
scripted = module(Path(__file__).with_name("scripted.py"))


@pytest.fixture(scope="session", name="scripted")
def _scripted():
    return scripted


@pytest.fixture(scope="session", name="git")
def _git_runner():
    return git


@pytest.fixture(scope="session")
def server() -> Iterator[Any]:
    running = scripted.Server()
    yield running
    running.close()


@pytest.fixture(scope="session")
def archives(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The starting state of a task, built once."""
    folder = tmp_path_factory.mktemp("archives")

    def archive(task_id: str, tree: Path | None = None) -> Path:
        place = folder / f"{task_id}.tar.zst"
        if not place.exists():
            task = load_task(root / "tasks" / task_id, root)
            fixture = load_fixture(root / "fixtures" / task.fixture_id)
            place.write_bytes(build_sandbox(task, fixture, tree or root / "fixtures" / fixture.id / "tree").data)
        return place

    return archive


@dataclass
class Run:
    """What a run left: exit code, the JSON of stdout, the events by type, what was said, and the tree."""

    code: int
    out: str
    said: str
    root: Path
    before: dict[str, bytes]
    head: str

    @property
    def result(self) -> dict[str, Any]:
        return json.loads(self.out)

    @property
    def folder(self) -> Path:
        return max((self.root / ".copperhead/runs").iterdir())

    @property
    def folders(self) -> list[Path]:
        return sorted((self.root / ".copperhead/runs").iterdir())

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "transcript.jsonl").read_text().splitlines()]

    def data(self, kind: str) -> list[dict[str, Any]]:
        return [event["data"] for event in self.events if event["type"] == kind]

    @property
    def end(self) -> dict[str, Any]:
        return self.data("run-end")[-1]

    @property
    def results(self) -> list[str]:
        return [each["result"] for each in self.data("tool")]

    @property
    def tree(self) -> dict[str, bytes]:
        return tree(self.root)

    @property
    def commits(self) -> list[str]:
        return git(self.root, "log", "--format=%s", f"{self.head}..HEAD").splitlines()

    @property
    def committed(self) -> list[str]:
        return git(self.root, "ls-tree", "-r", "--name-only", "HEAD").splitlines()


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[:1] != (".git",) and "/runs/" not in path.as_posix()
    }


def git(root: Path, *arguments: str) -> str:
    command = [_GIT, "-c", "core.hooksPath=/dev/null", "-C", str(root), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def project(archives, root: Path, tmp_path: Path) -> Path:
    """The first-party board as a task starts it."""
    unpack_sandbox(archives("do-raise-led-resistor"), tmp_path / "project")
    return tmp_path / "project"


@pytest.fixture
def microphone(archives, shared: Path, tmp_path: Path) -> Path:
    """The microphone board as a task starts it."""
    tree = shared / "fixtures/antmicro-microphone-board/tree"
    unpack_sandbox(archives("do-rename-net", tree), tmp_path / "microphone")
    return tmp_path / "microphone"


@pytest.fixture
def endpoint(server, monkeypatch: pytest.MonkeyPatch):
    """The environment of a run: the scripted endpoint, and a key that must never be seen again."""
    surround(monkeypatch, server.url)
    server.requests.clear()
    server.seen.clear()
    return server


def surround(patch: pytest.MonkeyPatch, url: str) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENAI_", "COPPERHEAD_"))]:
        patch.delenv(name)
    patch.setenv("COPPERHEAD_BASE_URL", url)
    patch.setenv("COPPERHEAD_API_KEY_ENV", "SCRIPTED_KEY")
    patch.setenv("SCRIPTED_KEY", scripted.KEY)


@pytest.fixture
def no_kicad(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without kicad-cli."""
    monkeypatch.delenv("COPPERBENCH_KICAD_CLI", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")


@pytest.fixture
def run(endpoint) -> Callable[..., Run]:
    """Run the command line on a project in this process: `run(project, "do", "rename it", model="careful")`."""
    return perform


def perform(root: Path, command: str, *arguments: str, model: str | None = None) -> Run:
    before, head = tree(root), git_head(root)
    chosen = ("--model", f"compat:{model}", "--retry-delay", "0.01") if model else ()
    out, said = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(said), pytest.raises(SystemExit) as ended:
        main(["--repo", str(root), "--json", command, *arguments, *chosen])
    return Run(ended.value.code or 0, out.getvalue(), said.getvalue(), root, before, head)


@pytest.fixture(scope="session")
def played(server, archives, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Run]:
    """A model's run on the first-party board without kicad-cli, performed once: `played("careful")`."""
    runs: dict[str, Run] = {}

    def play(model: str, *arguments: str) -> Run:
        if model not in runs:
            root = tmp_path_factory.mktemp("played") / "project"
            unpack_sandbox(archives("do-raise-led-resistor"), root)
            with pytest.MonkeyPatch.context() as patch:
                surround(patch, server.url)
                patch.delenv("COPPERBENCH_KICAD_CLI", raising=False)
                patch.setenv("PATH", "/nonexistent")
                runs[model] = perform(root, "do", "Raise R2.", *arguments, model=model)
        return runs[model]

    return play


def git_head(root: Path) -> str:
    place = root / ".git/refs/heads/main"
    return place.read_text().strip() if place.is_file() else ""
