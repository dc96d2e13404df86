"""A task and the facts of a run of it, with nothing remarkable about them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from copperbench.sandbox import CostStamp, ExitFacts, HarnessStamp, RunFacts
from copperbench.suite import Caps, Suite, Task, TaskConfig

DAY = "2026-12-31"


def plain_task(fixture_id: str, fixture_sha256: str, **changes: Any) -> Task:
    """A simple edit task without assertions on a fixture; `changes` are to its fields."""
    task = Task(
        id="do-something",
        tier="simple",
        mode="do",
        fixture_id=fixture_id,
        fixture_sha256=fixture_sha256,
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
        manifests={"task.json": b"{}\n", "assertions.json": b"[]\n"},
        manifest_hash="1" * 64,
        run_relevant_hash="2" * 64,
    )
    return replace(task, **changes)


def plain_facts(task: Task, baseline_sha: str, **changes: Any) -> RunFacts:
    """What a runner writes of an uneventful run of the first repeat; `changes` are to its fields."""
    facts = RunFacts(
        model_slug="harness-noop",
        run_mode="noop",
        repeat=1,
        repeats_planned=1,
        campaign=DAY,
        harness=HarnessStamp("harness-noop", "0.1.0"),
        model=None,
        started_at=f"{DAY}T03:04:05Z",
        duration_ms=12,
        exit=ExitFacts(0, None, None, None),
        caps={"turns": 40, "wallClockSec": 1200},
        ablations={},
        baseline_sha=baseline_sha,
        setup_skipped=(),
        environment={"platform": "linux-x86_64", "pythonVersion": "3.11.9", "copperbenchVersion": "0.1.0"},
        cost=CostStamp(None, None, "in process"),
        isolation="none",
        suite_version="0.1.0",
        run_relevant_hash=task.run_relevant_hash,
        task_manifests=task.manifests,
        fixture_manifest=b"{}\n",
        files={},
    )
    return replace(facts, **changes)


def suite_facts(suite: Suite, task: Task, baseline_sha: str, **changes: Any) -> RunFacts:
    """The same of a task that stands in a suite."""
    manifest = suite.fixture(task.fixture_id).manifest
    return plain_facts(task, baseline_sha, suite_version=suite.version, fixture_manifest=manifest, **changes)
