"""A run made, edited, sealed and opened again, on our own board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from given.tasks import plain_facts, plain_task

from copperbench.sandbox import (
    Seal,
    build_sandbox,
    commit_all,
    open_seal,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import AssertionSpec, Fixture, Task, load_fixture

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
    return plain_task(
        BOARD, board_fixture.sha256, id="do-rename-alert", prompt="rename net ALERT to SENS_ALERT", assertions=specs
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
        seal_run(folder, plain_facts(task, info.baseline_sha), sandbox, path, board_tree, ENDED)
        return open_seal(folder)

    return make


@pytest.fixture
def rename(schematic: str) -> Callable[[Path], None]:
    """The right edit: the label renamed on the schematic."""

    def edit(sandbox: Path) -> None:
        place = sandbox / schematic
        place.write_text(place.read_text().replace('(label "ALERT"', '(label "SENS_ALERT"'))

    return edit
