"""A run to play with: a baseline of our own board with its documents, an end state to edit, a transcript to write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from given.tasks import plain_task

from copperbench.evidence import (
    Evidence,
    FolderTree,
    ReportKind,
    Unloadable,
    VerifyReports,
    evidence_of,
    read_transcript,
    tree_digest,
)
from copperbench.grading import Grade, Outcome, grade, judge
from copperbench.kicad import Report, Violation
from copperbench.sandbox import Commit, ExitFacts
from copperbench.scaffold import configure, init
from copperbench.suite import AssertionSpec, Fixture, Task, TaskConfig, load_fixture

BOARD = "copperbench-ldo-sensor"
SCHEMATIC = f"{BOARD}.kicad_sch"
CONFIG = TaskConfig({"standby_current_ua": 20}, 40, 5, {})


def task_with(fixture: Fixture, *assertions: AssertionSpec, expected: str = "edit") -> Task:
    return plain_task(fixture.id, fixture.sha256, config=CONFIG, assertions=assertions, expected_outcome=expected)


class World:
    """What a run left, edited in place; every method returns the world."""

    def __init__(self, baseline: Path, end: Path, fixture: Fixture, recorded: dict[ReportKind, Report]) -> None:
        self.baseline_folder = baseline
        self.folder = end
        self.fixture = fixture
        self.recorded = recorded
        self.reports: Callable[[], VerifyReports | None] = lambda: None
        self.commits: tuple[Commit, ...] | None = ()
        self.exit = ExitFacts(0, None, None, None)
        self.transcript = b""
        self.ends("done")

    def write(self, path: str, text: str | bytes) -> World:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def baseline_too(self, path: str, text: str | bytes) -> World:
        place = self.baseline_folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.write(path, text)

    def edit(self, path: str, old: str, new: str) -> World:
        text = (self.folder / path).read_text()
        assert old in text
        return self.write(path, text.replace(old, new))

    def delete(self, path: str) -> World:
        (self.folder / path).unlink()
        return self

    def link(self, path: str, target: str) -> World:
        (self.folder / path).unlink(missing_ok=True)
        (self.folder / path).symlink_to(target)
        return self

    def commit(self, *messages: str) -> World:
        self.commits = tuple(Commit(f"{n:040x}", (), message) for n, message in enumerate(messages))
        return self

    def says(self, *events: tuple[str, dict[str, Any]]) -> World:
        rows = [json.dumps({"ts": "", "type": kind, "data": data}) for kind, data in events]
        self.transcript = "".join(f"{row}\n" for row in rows).encode()
        return self

    def ends(self, path: str, summary: str = "all well") -> World:
        outcome = "refuse" if path == "refused" else "done"
        finish = {"name": "finish", "args": {"outcome": outcome, "summary": summary}, "result": "ok"}
        return self.says(("run-start", {}), ("tool", finish), ("run-end", {"exitPath": path}))

    def judged(self, erc: Report | Unloadable, drc: Report | Unloadable | None = None) -> World:
        made = VerifyReports("10.0.6", tree_digest(FolderTree(self.folder).states), erc, drc or report("drc"))
        self.reports = lambda: made
        return self

    def evidence(self, *assertions: AssertionSpec, expected: str = "edit") -> Evidence:
        return evidence_of(
            FolderTree(self.baseline_folder),
            FolderTree(self.folder),
            self.commits,
            read_transcript(self.transcript),
            self.exit,
            task_with(self.fixture, *assertions, expected=expected),
            self.fixture,
            self.recorded,
            self.reports,
        )

    def judge(self, kind: str, **args: Any) -> Outcome:
        return judge(spec(kind, **args), self.evidence())

    def status(self, kind: str, **args: Any) -> str:
        return self.judge(kind, **args).status

    def grade(self, *assertions: AssertionSpec, expected: str = "edit") -> Grade:
        return grade(self.evidence(*assertions, expected=expected))


def spec(kind: str, *, required: bool = True, weight: float = 1, name: str | None = None, **args: Any) -> AssertionSpec:
    return AssertionSpec(name or kind.replace("_", "-"), kind, args, weight, required)


def report(kind: str, *violations: tuple[str, str], version: str = "10.0.6", **parts: Any) -> Report:
    found = tuple(sorted(Violation(name, severity, "/", "x") for name, severity in violations))
    return Report(kind, version, found, **parts)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def board_fixture(root: Path) -> Fixture:
    return load_fixture(root / "fixtures" / BOARD)


@pytest.fixture(scope="session")
def sandbox(root: Path, board_fixture: Fixture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starting state, made once; worlds copy it."""
    folder = tmp_path_factory.mktemp("sandbox") / "tree"
    shutil.copytree(root / "fixtures" / BOARD / "tree", folder)
    init(folder, board_fixture, CONFIG.budgets)
    configure(folder, board_fixture, CONFIG)
    return folder


@pytest.fixture
def world(sandbox: Path, board_fixture: Fixture, tmp_path: Path) -> World:
    """A run on our own board that changed nothing and ended as done; KiCad has not judged it."""
    shutil.copytree(sandbox, tmp_path / "baseline")
    shutil.copytree(sandbox, tmp_path / "end")
    recorded: dict[ReportKind, Report] = {"erc": report("erc"), "drc": report("drc")}
    return World(tmp_path / "baseline", tmp_path / "end", replace(board_fixture), recorded)


@pytest.fixture(name="spec")
def spec_fixture() -> Callable[..., AssertionSpec]:
    return spec


@pytest.fixture(name="report")
def report_fixture() -> Callable[..., Report]:
    return report


@pytest.fixture
def schematic() -> str:
    """The path of the board's only sheet."""
    return SCHEMATIC
