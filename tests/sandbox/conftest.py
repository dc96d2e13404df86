"""A small fixture with its task, the sandbox that they make, and a run's seal: the world of these tests."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from given.tasks import plain_task

from copperbench.sandbox import (
    ExitFacts,
    HarnessStamp,
    RunFacts,
    Seal,
    build_sandbox,
    open_seal,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import Fixture, ReportCounts, Task

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
        erc=ReportCounts("baseline/erc.json", 0, {}, 0, {}),
        drc=None,
        baseline_note="",
        files=(),
        availability="committed",
        manifest=b"{}\n",
    )


@pytest.fixture
def task() -> Task:
    return plain_task("toy", "0" * 64, id="do-toy", prompt="do it")


def toy_init(root: Path, task: Task, fixture: Fixture) -> tuple[dict[str, str], ...]:
    """An init of a few bytes: these tests are not about documents."""
    (root / "docs").mkdir()
    (root / "docs/PINOUT.md").write_text("| Refdes | Pin | Net |\n| --- | --- | --- |\n| R1 | 1 | DATA |\n")
    (root / ".copperhead").mkdir()
    (root / ".copperhead/config.json").write_text(json.dumps({"model": None, "schematic": "wrong"}))
    return ({"command": "hooks", "reason": "none wanted"},)


@pytest.fixture
def init() -> Callable[..., tuple[dict[str, str], ...]]:
    return toy_init


@pytest.fixture
def archive(task: Task, fixture: Fixture, tree: Path, tmp_path: Path) -> Path:
    """The starting state as a file."""
    place = tmp_path / "start.tar.zst"
    place.write_bytes(build_sandbox(task, fixture, tree, toy_init).data)
    return place


@pytest.fixture
def sandbox(archive: Path, tmp_path: Path) -> Path:
    """The starting state as a folder with its repository."""
    unpack_sandbox(archive, tmp_path / "sandbox")
    return tmp_path / "sandbox"


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    return tmp_path / "results/2026-12-31/harness-gold/do-toy/run-1"


@pytest.fixture
def facts(task: Task) -> RunFacts:
    return RunFacts(
        model_slug="harness-gold",
        run_mode="gold",
        repeat=1,
        repeats_planned=3,
        campaign="2026-12-31",
        harness=HarnessStamp("harness-gold", "0.1.0", solution_sha256="3" * 64),
        model=None,
        started_at="2026-12-31T08:00:00.000Z",
        duration_ms=5,
        exit=ExitFacts(0, None, None, None),
        caps={"turns": 40, "wallClockSec": 1200.0},
        ablations={},
        baseline_sha="4" * 40,
        setup_skipped=(),
        environment={"pythonVersion": "3.11", "nodeVersion": None},
        cost=None,
        isolation="none",
        suite_version="1.0.0",
        run_relevant_hash="2" * 64,
        task_manifests=task.manifests,
        fixture_manifest=b'{"id": "toy"}\n',
        files={},
    )


@pytest.fixture
def seal(run_folder: Path, facts: RunFacts, sandbox: Path, archive: Path, tree: Path) -> Callable[..., Seal]:
    """Seal the sandbox as it is now and open the seal."""

    def sealed(transcript: bytes = b"{}\n", **options) -> Seal:
        changed = dataclasses.replace(facts, **options.pop("facts", {}))
        seal_run(run_folder, changed, sandbox, archive, tree, transcript, **options)
        return open_seal(run_folder)

    return sealed
