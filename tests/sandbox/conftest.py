"""A small fixture with its task, and the sandbox that they make: the world of these tests."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from copperbench.suite import Caps, Fixture, ReportCounts, Task, TaskConfig

SCHEMATIC = "hw/board.kicad_sch"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A fixture's tree: a sheet of 400 lines, a board and a project file."""
    root = tmp_path / "fixture" / "tree"
    (root / "hw").mkdir(parents=True)
    (root / SCHEMATIC).write_text("(kicad_sch\n" + "".join(f'  (label "N{n}")\n' for n in range(400)) + ")\n")
    (root / "hw/board.kicad_pcb").write_text("(kicad_pcb)\n")
    (root / "hw/board.kicad_pro").write_text("{}\n")
    return root


@pytest.fixture
def fixture() -> Fixture:
    counts = ReportCounts("baseline/erc.json", 0, {}, 0, {})
    return Fixture(
        id="toy",
        sha256="0" * 64,
        complexity="simple",
        upstream=None,
        authored_version="10.0",
        file_format_version="20250114",
        verified_with_kicad_cli="10.0.6",
        schematic=SCHEMATIC,
        board="hw/board.kicad_pcb",
        project="hw/board.kicad_pro",
        signal_nets=(),
        power_nets=(),
        scale={},
        erc=counts,
        drc=None,
        baseline_note="",
        files=(),
        availability="committed",
        manifest=b"{}\n",
    )


@pytest.fixture
def task() -> Task:
    return Task(
        id="do-toy",
        tier="simple",
        mode="do",
        fixture_id="toy",
        fixture_sha256="0" * 64,
        setup_commands=("init",),
        seed=(),
        prompt="do it",
        brief_path=None,
        expected_outcome="edit",
        config=TaskConfig({"standby_current_ua": 20}, 40, 5, {}),
        caps=Caps(40, 1200),
        repeats=3,
        tags=(),
        variant_of=None,
        rubric=None,
        assertions=(),
        manifests={"task.json": b"{}\n", "assertions.json": b"[]\n"},
        manifest_hash="1" * 64,
        run_relevant_hash="2" * 64,
    )


def toy_init(root: Path, task: Task, fixture: Fixture) -> tuple[dict[str, str], ...]:
    """An init of a few bytes: these tests are not about documents."""
    (root / "docs").mkdir()
    (root / "docs/PINOUT.md").write_text("| Refdes | Pin | Net |\n| --- | --- | --- |\n| R1 | 1 | DATA |\n")
    (root / ".copperhead").mkdir()
    (root / ".copperhead/config.json").write_text(json.dumps({"model": None, "schematic": "wrong"}))
    return ({"command": "hooks", "reason": "none wanted"},)


@pytest.fixture
def with_seed(task: Task):
    """The task with a seed."""
    return lambda *operations: dataclasses.replace(task, seed=operations)
