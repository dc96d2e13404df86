"""A run made, edited, sealed and opened again, on our own board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copperbench.sandbox import (
    CostStamp,
    ExitFacts,
    HarnessStamp,
    RunFacts,
    Seal,
    build_sandbox,
    commit_all,
    open_seal,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import AssertionSpec, Caps, Fixture, Task, TaskConfig, load_fixture

BOARD = "copperbench-ldo-sensor"
ENDED = b'{"ts": "", "type": "run-start", "data": {}}\n{"ts": "", "type": "run-end", "data": {"exitPath": "done"}}\n'


@pytest.fixture(scope="session")
def board_fixture(root: Path) -> Fixture:
    return load_fixture(root / "fixtures" / BOARD)


@pytest.fixture(scope="session")
def board_tree(root: Path) -> Path:
    return root / "fixtures" / BOARD / "tree"


@pytest.fixture(scope="session")
def schematic(board_fixture: Fixture) -> str:
    return board_fixture.schematic


@pytest.fixture
def task(board_fixture: Fixture) -> Task:
    """Rename a net: two required assertions, one of them KiCad's."""
    specs = (
        AssertionSpec("renamed", "net_present", {"net": "SENS_ALERT"}, 1, required=True),
        AssertionSpec("no-new-erc", "erc_no_new_violations", {}, 1, required=True),
        AssertionSpec("no-new-drc", "drc_no_new_violations", {}, 1, required=True),
        AssertionSpec("small", "diff_ratio_max", {"path": board_fixture.schematic, "ratio": 0.01}, 1, required=True),
        AssertionSpec("one-commit", "commit_count", {"equals": 1}, 1, required=True),
    )
    return Task(
        id="do-rename-alert",
        tier="simple",
        mode="do",
        fixture_id=BOARD,
        fixture_sha256=board_fixture.sha256,
        setup_commands=("init",),
        seed=(),
        prompt="rename net ALERT to SENS_ALERT",
        brief_path=None,
        expected_outcome="edit",
        config=TaskConfig({"standby_current_ua": 20}, 40, 5, {}),
        caps=Caps(40, 1200),
        repeats=3,
        tags=(),
        variant_of=None,
        rubric=None,
        assertions=specs,
        manifests={"task.json": b"{}\n", "assertions.json": b"[]\n"},
        manifest_hash="1" * 64,
        run_relevant_hash="2" * 64,
    )


def facts(task: Task, baseline_sha: str) -> RunFacts:
    return RunFacts(
        model_slug="harness-noop",
        run_mode="noop",
        repeat=1,
        repeats_planned=1,
        campaign="2026-11-30",
        harness=HarnessStamp("noop", "0.1.0"),
        model=None,
        started_at="2026-11-30T00:00:00Z",
        duration_ms=1,
        exit=ExitFacts(0, None, None, None),
        caps={"turns": 40, "wallClockSec": 1200},
        ablations={},
        baseline_sha=baseline_sha,
        setup_skipped=(),
        environment={},
        cost=CostStamp(None, None, "in process"),
        isolation="none",
        suite_version="0.1.0",
        run_relevant_hash=task.run_relevant_hash,
        task_manifests=task.manifests,
        fixture_manifest=b"{}\n",
        files={},
    )


@pytest.fixture
def sealed(task: Task, board_fixture: Fixture, board_tree: Path, tmp_path: Path) -> Callable[..., Seal]:
    """Perform an edit (a function of the sandbox's folder) on a fresh sandbox and give the seal of what it left."""
    archive = build_sandbox(task, board_fixture, board_tree)
    path = tmp_path / "sandbox.tar.zst"
    path.write_bytes(archive.data)

    def make(edit: Callable[[Path], Any] = lambda _: None, *, commit: bool = True) -> Seal:
        sandbox = tmp_path / "sandbox"
        info = unpack_sandbox(path, sandbox)
        edit(sandbox)
        if commit:
            commit_all(sandbox, "an edit", when=1_800_000_000)
        folder = tmp_path / "results/2026-11-30/harness-noop/do-rename-alert/run-1"
        seal_run(folder, facts(task, info.baseline_sha), sandbox, path, board_tree, ENDED)
        return open_seal(folder)

    return make


@pytest.fixture
def rename(schematic: str) -> Callable[[Path], None]:
    """The right edit: the label renamed on the schematic."""

    def edit(sandbox: Path) -> None:
        place = sandbox / schematic
        place.write_text(place.read_text().replace('(label "ALERT"', '(label "SENS_ALERT"'))

    return edit
