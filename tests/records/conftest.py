"""A checkout with one small task on a committed board, and sealed runs of it that a test describes by what they did."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from given.tasks import suite_facts

from copperbench.kicad import KicadCli
from copperbench.records import RecordPlace, record_place
from copperbench.records.score import Scored, Scorer
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
NOTED = {"doc": "NOTE.md", "pattern": "done"}
ASSERTIONS = [
    {"id": "noted", "type": "doc_contains", "args": NOTED, "weight": 1, "required": True},
    {"id": "no-secret", "type": "no_secret", "args": {}, "weight": 1, "required": True},
]


@dataclass(frozen=True)
class Checkout:
    """A small checkout; `seal` leaves a run's evidence in it, `score` grades it without KiCad unless told otherwise."""

    root: Path

    def place(self, model: str = "harness-noop", repeat: int = 1) -> RecordPlace:
        return record_place(Path(f"results/{DATE}/{model}/{TASK}/run-{repeat}.json"), self.root)

    def score(self, place: RecordPlace, cli: KicadCli | None = None, *, recheck: bool = False) -> Scored:
        return Scorer(load_suite(self.root), self.root / "fixtures", cli, recheck).score(place)

    def set_suite_version(self, version: str) -> None:
        path = self.root / "config/suite.yaml"
        path.write_text(path.read_text().replace("suiteVersion: 1.0.0", f"suiteVersion: {version}"))

    def edit(self, path: str, change: Callable[[Any], None]) -> None:
        """Change a JSON file of the checkout in place."""
        file = self.root / path
        value = json.loads(file.read_bytes())
        change(value)
        file.write_text(json.dumps(value))

    def seal(
        self,
        slug: str = "harness-noop",
        repeat: int = 1,
        writes: Mapping[str, str] | None = None,
        said: bytes | None = None,
        links: Mapping[str, str] | None = None,
        **changes: Any,
    ):
        """Seal a run that wrote these files and said that it was done, or `said`; `changes` are to the facts."""
        suite = load_suite(self.root)
        task = suite.task(TASK)
        tree = self.root / "fixtures" / BOARD / "tree"
        archive = self.root / "sandbox.tar.zst"
        sandbox = self.root / "run"
        info = unpack_sandbox(archive, sandbox)
        for name, text in (writes or {}).items():
            (sandbox / name).write_text(text)
        for name, to in (links or {}).items():
            (sandbox / name).symlink_to(to)
        facts = suite_facts(
            suite,
            task,
            info.baseline_sha,
            model_slug=slug,
            repeat=repeat,
            campaign=DATE,
            started_at=f"{DATE}T03:04:05Z",
            harness=HarnessStamp(slug, "1.0"),
            cost=None,
        )
        place = self.place(slug, repeat)
        facts = replace(facts, **changes)
        seal_run(place.folder, facts, sandbox, archive, tree, said or transcript("done"))
        shutil.rmtree(sandbox)
        return place


AGENT: Mapping[str, Any] = {
    "run_mode": "agent",
    "harness": HarnessStamp("copperhead", "0.3.1", "abc1234"),
    "model": ModelStamp("some/model", "compat", "flag", "open-weight-hosted", "strong", "some-model-0101"),
    "cost": CostStamp(0.25, "1.0.0", None),
}


def transcript(exit_path: str) -> bytes:
    """A run that started and ended so."""
    events = [
        {"type": "run-start", "data": {"request": "note it", "config": {"maxTurns": 40, "maxRepairCycles": 5}}},
        {"type": "run-end", "data": {"exitPath": exit_path, "turnsUsed": 3, "maxTurns": 40, "tokensIn": 10}},
    ]
    return b"".join(json.dumps({"ts": "2026-01-02T03:04:05.000Z", **event}).encode() + b"\n" for event in events)


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Path:
    folder = tmp_path_factory.mktemp("records") / "checkout"
    shutil.copytree(root / "fixtures" / BOARD, folder / "fixtures" / BOARD)
    (folder / "config").mkdir()
    (folder / "config/suite.yaml").write_text(
        "suiteVersion: 1.0.0\nsuites:\n  smoke: {modes: [do]}\n  full: {modes: [do]}\n"
    )
    (folder / "tasks" / TASK).mkdir(parents=True)
    task = {
        "id": TASK,
        "tier": "simple",
        "mode": "do",
        "fixture": {"path": f"fixtures/{BOARD}", "sha256": load_suite(root).fixture(BOARD).sha256},
        "setup": {"commands": ["init"]},
        "request": {"prompt": "note that it is done"},
        "expectedOutcome": "edit",
        "config": {"budgets": {}, "maxTurns": 40, "maxRepairCycles": 5},
        "caps": {"turns": 40, "wallClockSec": 1200},
        "tags": ["AC-1.1"],
    }
    (folder / "tasks" / TASK / "task.json").write_text(json.dumps(task))
    (folder / "tasks" / TASK / "assertions.json").write_text(json.dumps(ASSERTIONS))
    (folder / "tasks" / TASK / "README.md").write_text("A task for tests.\n")
    suite = load_suite(folder)
    start = build_sandbox(suite.task(TASK), suite.fixture(BOARD), folder / "fixtures" / BOARD / "tree")
    (folder / "sandbox.tar.zst").write_bytes(start.data)
    return folder


@pytest.fixture
def checkout(template: Path, tmp_path: Path) -> Checkout:
    folder = tmp_path / "checkout"
    shutil.copytree(template, folder)
    return Checkout(folder)


@pytest.fixture
def agent() -> Mapping[str, Any]:
    """The facts that make a sealed run one of a model."""
    return AGENT


@pytest.fixture
def passing(checkout: Checkout) -> RecordPlace:
    """A sealed run that did what the task asks."""
    return checkout.seal(writes={"docs/NOTE.md": "done\n"})
