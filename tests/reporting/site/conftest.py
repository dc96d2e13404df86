"""A small checkout with one sealed agent run in which everything that a stranger chooses is hostile markup."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from given.tasks import suite_facts

from copperbench.kicad import find_kicad_cli
from copperbench.records import record_place
from copperbench.records.score import Scorer
from copperbench.reporting.site import build_site
from copperbench.sandbox import (
    CostStamp,
    HarnessStamp,
    ModelStamp,
    build_sandbox,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import load_suite

BOARD = "copperbench-ldo-sensor"
TASK = "do-note-something"
DATE = "2026-01-02"
HOSTILE = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>{{7*7}}'\"&\u202e"
EVENTS = [
    ("run-start", {"request": HOSTILE}),
    ("assistant", {"text": HOSTILE, "toolCalls": [{"id": "1", "name": HOSTILE, "args": {HOSTILE: HOSTILE}}]}),
    ("tool", {"name": HOSTILE, "args": {}, "result": f"error: {HOSTILE}\n" + "a needle in long output\n" * 60}),
    (HOSTILE, {HOSTILE: HOSTILE}),
    ("run-end", {"exitPath": "done", "turnsUsed": 3, "maxTurns": 40, "tokensIn": 10, "tokensOut": 1}),
]


@dataclass(frozen=True)
class World:
    """A site in `out` of the checkout at `root`; `run` is the page of its one run with evidence."""

    root: Path
    out: Path
    run: Path

    def pages(self) -> list[Path]:
        return sorted(self.out.rglob("*.html"))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory, root: Path) -> World:
    folder = tmp_path_factory.mktemp("site") / "checkout"
    shutil.copytree(root / "fixtures" / BOARD, folder / "fixtures" / BOARD)
    (folder / "config").mkdir()
    (folder / "config/suite.yaml").write_text(
        "suiteVersion: 1.0.0\nsuites:\n  smoke: {modes: [do]}\n  full: {modes: [do]}\n"
    )
    _write_task(folder, load_suite(root).fixture(BOARD).sha256)
    for repeat in (1, 2):
        _seal(folder, repeat)
    out = folder / "build/site"
    build_site(folder, load_suite(folder), out, find_kicad_cli())
    return World(folder, out, out / f"runs/{DATE}/evil/{TASK}/run-1.html")


def _write_task(folder: Path, sha256: str) -> None:
    place = folder / "tasks" / TASK
    place.mkdir(parents=True)
    task = {
        "id": TASK,
        "tier": "simple",
        "mode": "do",
        "fixture": {"path": f"fixtures/{BOARD}", "sha256": sha256},
        "setup": {"commands": ["init"]},
        "request": {"prompt": HOSTILE},
        "expectedOutcome": "edit",
        "config": {"budgets": {}, "maxTurns": 40, "maxRepairCycles": 5},
        "caps": {"turns": 40, "wallClockSec": 1200},
        "tags": ["AC-1.1"],
    }
    args = {"doc": "NOTE.md", "pattern": "done"}
    noted = {"id": "noted", "type": "doc_contains", "args": args, "weight": 1, "required": True, "note": HOSTILE}
    (place / "task.json").write_text(json.dumps(task))
    (place / "assertions.json").write_text(json.dumps([noted]))
    (place / "README.md").write_text(f"# {HOSTILE}\n\n[click](javascript:window.pwned=1)\n")


def _seal(folder: Path, repeat: int) -> None:
    """Seal and grade a run that renamed a net, a file and a message to markup."""
    suite = load_suite(folder)
    task, fixture = suite.task(TASK), suite.fixture(BOARD)
    tree = folder / "fixtures" / BOARD / "tree"
    archive = folder / "sandbox.tar.zst"
    archive.write_bytes(build_sandbox(task, fixture, tree).data)
    sandbox = folder / "run"
    info = unpack_sandbox(archive, sandbox)
    (sandbox / "<img src=x onerror=window.pwned=1>.md").write_text(HOSTILE)
    schematic = sandbox / fixture.schematic
    text = schematic.read_text(encoding="utf-8")
    assert '(label "' in text, "the board of this test has a label"
    name = text.split('(label "', 1)[1].split('"', 1)[0]
    net = "<script>window.pwned=1</script>"
    schematic.write_text(text.replace(f'(label "{name}"', f'(label "{net}"'), encoding="utf-8")
    facts = suite_facts(
        suite,
        task,
        info.baseline_sha,
        model_slug="evil",
        run_mode="agent",
        repeat=repeat,
        repeats_planned=2,
        campaign=DATE,
        started_at=f"{DATE}T03:04:05Z",
        harness=HarnessStamp("copperhead", "0.3.1", "abc1234"),
        model=ModelStamp(HOSTILE, "compat", "flag", "open-weight-hosted", "strong", None),
        cost=CostStamp(0.25, "1.0.0", None),
    )
    place = record_place(Path(f"results/{DATE}/evil/{TASK}/run-{repeat}.json"), folder)
    lines = [json.dumps({"ts": f"{DATE}T03:04:05.000Z", "type": kind, "data": data}) for kind, data in EVENTS]
    seal_run(place.folder, facts, sandbox, archive, tree, "\n".join(lines).encode() + b"\n")
    shutil.rmtree(sandbox)
    Scorer(suite, folder / "fixtures", None).score(place)
