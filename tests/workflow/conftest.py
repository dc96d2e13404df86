"""A copy of this project that a test may break: the tracked files, run with this environment's snakemake."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from given.checkouts import copy_project

ROOT = Path(__file__).resolve().parents[2]
DATE = "2026-01-02"
EDIT_TASK = "do-raise-led-resistor"


@dataclass(frozen=True)
class Project:
    """A working copy with a one-task campaign on a committed board; `canary` counts performed runs."""

    folder: Path
    canary: Path
    date: str = DATE
    task: str = EDIT_TASK

    def configure(self, **settings: object) -> None:
        """Change keys of the campaign's configuration."""
        path = self.folder / "config/config.yaml"
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | settings))

    def snakemake(self, *args: str, ok: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.call("snakemake", *args, ok=ok, **environment)

    def call(self, *command: str, ok: bool = True, **environment: str) -> subprocess.CompletedProcess[str]:
        result = subprocess.run(
            command, cwd=self.folder, env=self.environment | environment, capture_output=True, text=True, check=False
        )
        if ok:
            assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
        return result

    @property
    def environment(self) -> dict[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return os.environ | {"PATH": path, "PYTHONPATH": str(self.folder), "COPPERBENCH_CANARY": str(self.canary)}

    def performed(self) -> int:
        """How many runs the harness room has performed so far."""
        return len(self.canary.read_text().splitlines()) if self.canary.exists() else 0

    def record(self, name: str, task: str = EDIT_TASK) -> Path:
        return self.folder / f"results/{DATE}/harness-{name}/{task}/run-1.json"

    def records(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(self.folder.glob("results/*/*/*/run-*.json"))}

    def runs(self) -> dict[str, tuple[bytes, int]]:
        paths = sorted(self.folder.glob("results/*/*/*/run-*/run.json"))
        return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


CANARY = """

import os as _os

if _os.environ.get("COPPERBENCH_CANARY"):
    _perform = perform

    def perform(*args, **kwargs):  # type: ignore[no-redef]
        with open(_os.environ["COPPERBENCH_CANARY"], "a") as canary:
            canary.write("performed\\n")
        return _perform(*args, **kwargs)
"""


def make_project(base: Path) -> Project:
    made = Project(base / "project", base / "canary")
    copy_project(made.folder)
    # Not confined: the program that the copy runs is installed outside the copy, where bubblewrap hides it.
    made.configure(suite=[EDIT_TASK], harnesses=["noop", "gold"], date=DATE, isolation="none")
    with (made.folder / "copperbench/harness/in_process.py").open("a") as file:
        file.write(CANARY)
    return made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make_project(tmp_path)


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """One complete campaign, made once for all tests of a worker, which copy it."""
    made = make_project(tmp_path_factory.mktemp("campaign"))
    made.snakemake("leaderboard")
    return made


@pytest.fixture
def finished(campaign: Project, tmp_path: Path) -> Project:
    """The same, after one complete campaign; times of files are kept."""
    shutil.copytree(campaign.folder, tmp_path / "project", symlinks=True)
    shutil.copy(campaign.canary, tmp_path / "canary")
    return Project(tmp_path / "project", tmp_path / "canary")
