"""A sandbox for an attacker to play in, its seal, and the grade that results."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from copperbench.evidence import VerifyReports, collect, read_verify, verify
from copperbench.grading import Grade, Outcome, grade, judge
from copperbench.kicad import KicadCli
from copperbench.sandbox import (
    DEFAULT_LIMITS,
    ExitFacts,
    HarnessStamp,
    RunFacts,
    Seal,
    build_sandbox,
    commit_all,
    open_seal,
    read_sandbox,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import AssertionSpec, Caps, Fixture, Task, TaskConfig, load_fixture

BOARD = "copperbench-ldo-sensor"
SHEET = f"{BOARD}.kicad_sch"
DONE = b'{"ts": "", "type": "run-start", "data": {}}\n{"ts": "", "type": "run-end", "data": {"exitPath": "done"}}\n'


class Sandbox:
    """The starting state of a task on our own board, unpacked for an attacker; sealed when it is first judged."""

    def __init__(self, place: Path, archive: Path, task: Task, fixture: Fixture, tree: Path) -> None:
        self.place = place
        self.root = place / "sandbox"
        self.run = place / "results/2026-12-31/attacker/do-something/run-1"
        self.archive, self.task, self.fixture, self.tree = archive, task, fixture, tree
        self.baseline = unpack_sandbox(archive, self.root).baseline_sha
        self.transcript = DONE
        self.limits = DEFAULT_LIMITS
        self.secrets: tuple[bytes, ...] = ()
        self.exit = ExitFacts(0, None, None, None)
        self.reports: VerifyReports | None = None

    def write(self, path: str, text: str | bytes = "x") -> Sandbox:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def edit(self, path: str = SHEET, old: str = "ALERT", new: str = "ALARM") -> Sandbox:
        text = (self.root / path).read_text()
        assert old in text
        return self.write(path, text.replace(old, new))

    def commit(self, message: str = "edit") -> Sandbox:
        commit_all(self.root, message, when=1_800_000_000)
        return self

    def git(self, *arguments: str) -> str:
        """What git says in the sandbox as the attacker left it: the naive reader."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.place), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, env=environment, timeout=60
        )
        return done.stdout.strip()

    def believed(self) -> str:
        """The changes that a reader would believe in who asks git."""
        return self.git("diff", "--stat", self.baseline) + self.git("status", "--porcelain")

    @cached_property
    def seal(self) -> Seal:
        facts = RunFacts(
            model_slug="attacker",
            run_mode="agent",
            repeat=1,
            repeats_planned=1,
            campaign="2026-12-31",
            harness=HarnessStamp("copperhead", "0.9.0"),
            model=None,
            started_at="2026-12-31T08:00:00Z",
            duration_ms=1,
            exit=self.exit,
            caps={},
            ablations={},
            baseline_sha=self.baseline,
            setup_skipped=(),
            environment={},
            cost=None,
            isolation="none",
            suite_version="1.0.0",
            run_relevant_hash="0" * 64,
            task_manifests={"task.json": b"{}", "assertions.json": b"[]"},
            fixture_manifest=self.fixture.manifest,
            files={},
        )
        seal_run(
            self.run, facts, self.root, self.archive, self.tree, self.transcript, self.limits, secrets=self.secrets
        )
        return open_seal(self.run)

    def outcome(self, kind: str, **args: Any) -> Outcome:
        """The outcome of one assertion over the seal."""
        spec = AssertionSpec(kind.replace("_", "-"), kind, args, 1, True)
        with collect(self.seal, self.task, self.fixture, self.tree, lambda: self.reports) as evidence:
            return judge(spec, evidence)

    def grade(self, *specs: AssertionSpec) -> Grade:
        """The grade of a run whose task asks for this."""
        task = replace(self.task, assertions=specs)
        with collect(self.seal, task, self.fixture, self.tree, lambda: self.reports) as evidence:
            return grade(evidence)

    def judged_by(self, cli: KicadCli) -> Sandbox:
        """Let KiCad judge what was left, as the grader does it."""
        self.reports = read_verify(verify(self.seal, self.fixture, self.tree, cli))
        return self

    def touched(self, *allowed: str) -> Outcome:
        return self.outcome("files_touched_subset", allowed=list(allowed or ("docs/**",)))


@pytest.fixture(scope="session")
def start(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Task, Fixture, Path]:
    """The starting state that every attack begins with."""
    fixture = load_fixture(root / "fixtures" / BOARD)
    tree = root / "fixtures" / BOARD / "tree"
    task = Task(
        id="do-something",
        tier="simple",
        mode="do",
        fixture_id=fixture.id,
        fixture_sha256=fixture.sha256,
        setup_commands=("init",),
        seed=(),
        prompt="do something",
        brief_path=None,
        expected_outcome="edit",
        config=TaskConfig({"standby_current_ua": 20}, 40, 5, {}),
        caps=Caps(40, 1200),
        repeats=3,
        tags=(),
        variant_of=None,
        rubric=None,
        assertions=(),
        manifests={},
        manifest_hash="",
        run_relevant_hash="",
    )
    archive = tmp_path_factory.mktemp("start") / "start.tar.zst"
    archive.write_bytes(build_sandbox(task, fixture, tree).data)
    assert read_sandbox(archive).info.task_id == task.id
    return archive, task, fixture, tree


@pytest.fixture
def make(start, tmp_path: Path) -> Callable[[str], Sandbox]:
    """As many sandboxes as an attack and its twin need."""
    archive, task, fixture, tree = start
    return lambda name: Sandbox(tmp_path / name, archive, task, fixture, tree)


@pytest.fixture
def sandbox_of_tree(start, tmp_path: Path) -> Callable[[Path], Sandbox]:
    """A sandbox on another tree of the same board; its recorded reports lie beside it."""
    _, task, fixture, _ = start

    def made(tree: Path) -> Sandbox:
        archive = tmp_path / "other.tar.zst"
        archive.write_bytes(build_sandbox(task, fixture, tree).data)
        return Sandbox(tmp_path / "other", archive, task, fixture, tree)

    return made


@pytest.fixture
def sandbox(make) -> Sandbox:
    return make("attacked")


@pytest.fixture
def twin(make) -> Sandbox:
    """The same sandbox for the same deed without the trick, or without the deed."""
    return make("twin")


@pytest.fixture
def canary(tmp_path: Path) -> tuple[Path, str]:
    """A file that is made when a hostile command runs, and the command."""
    script = tmp_path / "hostile.sh"
    script.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'canary'}'\ncat 2>/dev/null\nexit 0\n")
    script.chmod(0o755)
    return tmp_path / "canary", str(script)


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Sandbox], Path]:
    """A copy of a sandbox for a naive reader to fall into."""

    def copied(sandbox: Sandbox) -> Path:
        place = tmp_path / f"copy-of-{sandbox.place.name}"
        shutil.copytree(sandbox.root, place, symlinks=True)
        return place

    return copied
