"""Synthetic records: a run is described by what differs from a plain passing agent run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from copperbench.records import (
    Ablations,
    AgentStats,
    AssertionResult,
    ModelFacts,
    Record,
    Stamps,
    SuiteStamps,
    TaskStamp,
)
from copperbench.reporting import Expectation

HASH = "a" * 64


@pytest.fixture
def run() -> Callable[..., Record]:
    return make_run


@pytest.fixture
def suite() -> SuiteStamps:
    tasks = [f"task-{tier}-{n}" for tier in ("simple", "medium", "hard") for n in range(4)]
    return SuiteStamps("2.0.0", "1.0.0", {task: TaskStamp(HASH, HASH, "10") for task in tasks})


@pytest.fixture
def expected() -> Callable[..., Expectation]:
    return lambda task="task-simple-0", required=(), implied_by=(), **traps: Expectation(
        task,
        "simple",
        "edit",
        {f"trap-{name}": tuple(caught_by) for name, caught_by in traps.items()},
        tuple(required),
        dict(implied_by),
    )


def make_run(
    task: str = "task-simple-0",
    verdict: str = "pass",
    *,
    model: str = "m1",
    provider: str = "p1",
    segment: str = "api-cheap",
    harness: str = "copperhead",
    repeat: int = 1,
    campaign: str = "2026-01-01",
    usd: float | None = 0.5,
    exit_path: str = "done",
    category: str = "wrong-target",
    mode: str = "agent",
    failed: tuple[str, ...] = ("a1",),
    ablations: Ablations | None = None,
    **changes: Any,
) -> Record:
    """A run of `task`; `verdict` decides which of its two required assertions failed or could not be judged."""
    tier = task.split("-")[1]
    bad = {"pass": (), "fail": failed, "unscoreable": failed}[verdict]
    status = "fail" if verdict == "fail" else "unevaluable"
    agent = mode == "agent"
    slug = model if agent else model.replace(":", "-")
    fields: dict[str, Any] = {
        "path": f"results/{campaign}/{slug}/{task}/run-{repeat}.json",
        "task": task,
        "tier": tier,
        "expected": "edit",
        "variant_of": None,
        "fixture": "a-board",
        "run_model": model,
        "run_mode": mode,
        "repeat": repeat,
        "campaign": campaign,
        "started_at": f"{campaign}T10:00:00Z",
        "duration_ms": 1000,
        "ablations": ablations or Ablations(),
        "harness": harness if agent else model.replace(":", "-"),
        "harness_version": "1.2.3",
        "harness_commit": None,
        "model": ModelFacts(model, provider, segment, "strong", None) if agent else None,
        "usd": usd if agent else None,
        "stats": AgentStats(exit_path, 3, 40, 0, 5, 1000, 100, None, None, (), None) if agent else None,
        "verdict": verdict,
        "partial_credit": 1.0 if verdict == "pass" else 0.5,
        "failure_category": category if verdict == "fail" else None,
        "first_failed_required": failed[0] if verdict == "fail" else None,
        "assertions": tuple(
            AssertionResult(name, "net_present", status if name in bad else "pass", True, "")
            for name in ("a1", "a2", "a3")
        ),
        "stamps": Stamps("2.0.0", "1.0.0", HASH, HASH, "10.0.6", "none", "3.11.9", "linux-x86_64", "0.1.0"),
        "quarantined": False,
    }
    return Record(**(fields | changes))
