"""A run of a committed task, carried out with the real sandbox and the real seal, its results in a temporary folder."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copperbench.harness import Job, Performance, RunOrder, Stop, carry_out, perform, performer, process
from copperbench.records import RecordPlace, record_place
from copperbench.sandbox import ExitFacts, build_sandbox
from copperbench.suite import Suite, load_suite

TASK = "do-flag-alert-pullup"
NOTHING = Performance(b"", ExitFacts(code=None, signal=None, cap=None, tampered=None))


@dataclass(frozen=True)
class Bench:
    """The checkout's suite, one sandbox archive, and a folder that stands for the checkout that gets the results."""

    suite: Suite
    archive: Path
    folder: Path
    task: str

    def place(self, name: str = "gold") -> RecordPlace:
        return record_place(Path(f"results/2026-01-02/harness-{name}/{self.task}/run-1.json"), self.folder)

    def order(self, name: str = "gold", **changes: Any) -> RunOrder:
        who = performer(self.suite, self.task, f"harness-{name}")
        assert who is not None
        settings: dict[str, Any] = {
            "place": self.place(name),
            "performer": who,
            "archive": self.archive,
            "suite_version": self.suite.version,
            "fixtures": self.suite.root / "fixtures",
        }
        return RunOrder(**(settings | changes))

    def run(self, name: str = "gold", by: Callable[[Job, Stop], Performance] = perform, **changes: Any) -> str:
        return carry_out(self.order(name, **changes), self.suite, by)

    def events(self, name: str = "gold") -> list[dict[str, Any]]:
        text = (self.place(name).folder / "transcript.jsonl").read_text()
        return [json.loads(line) for line in text.splitlines()]

    def facts(self, name: str = "gold") -> dict[str, Any]:
        return json.loads((self.place(name).folder / "run.json").read_text())

    def published(self) -> list[str]:
        return sorted(p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file())


@pytest.fixture(scope="session")
def suite(root: Path) -> Suite:
    return load_suite(root)


@pytest.fixture(scope="session")
def archives(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The sandbox archive of a task, built once a session."""
    folder = tmp_path_factory.mktemp("archives")

    def archive(task_id: str) -> Path:
        path = folder / f"{task_id}.tar.zst"
        if not path.exists():
            task = suite.task(task_id)
            fixture = suite.fixture(task.fixture_id)
            path.write_bytes(build_sandbox(task, fixture, suite.root / "fixtures" / fixture.id / "tree").data)
        return path

    return archive


@pytest.fixture
def bench_of(suite: Suite, archives: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Bench]:
    folder = tmp_path / "checkout"
    folder.mkdir()
    return lambda task_id: Bench(suite, archives(task_id), folder, task_id)


@pytest.fixture
def bench(bench_of: Callable[[str], Bench]) -> Bench:
    return bench_of(TASK)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make a wall clock pass its limit as soon as the harness in a sandbox has written down its start."""

    def hurry(sandbox: Path) -> None:
        def clock() -> float:
            started = any(path.stat().st_size for path in sandbox.glob(".copperhead/runs/*/transcript.jsonl"))
            return time.monotonic() + (3600.0 if started else 0.0)

        monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=clock, sleep=time.sleep))

    return hurry
