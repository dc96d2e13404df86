"""What a campaign would run, and the most that it could take: nothing is started to know it (STANDARD 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from copperbench.suite.models import Task
from copperbench.suite.roster import Contender

_MILLION = 1_000_000
NO_USD = "no price per token"
UNPRICED = (
    "it has no price, so nobody can say whether it stays inside max_usd",
    "add its price to config/pricing.json, or drop max_usd",
)
"""Why a run of a model whose price is unknown does not start under a `max_usd`, and what to do about it."""


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One model under one condition: how many runs are planned and due, and the worst case of the due ones.

    `usd` is None where nobody can know it, and `usd_reason` says why: an unknown price, or a segment that has none by
    rule. `problem` keeps the runs from starting.
    """

    model: str
    harness: str
    provider: str
    segment: str
    planned: int
    due: int
    turns: int
    wall_clock_s: float
    usd: float | None
    usd_reason: str
    problem: str

    @property
    def is_priced(self) -> bool:
        """Whether runs of this row cost USD at all."""
        return self.usd_reason != NO_USD


@dataclass(frozen=True, slots=True)
class Plan:
    """The rows of a campaign, the in-process runs that it also has, and the tasks that are left out with the reason.

    `spent` is what the campaign's sealed runs cost so far.
    """

    campaign: str
    suite_version: str
    tasks: int
    in_process: int
    in_process_due: int
    rows: tuple[PlanRow, ...]
    skipped: Mapping[str, str]
    max_usd: float | None
    spent_usd: float

    @property
    def worst_usd(self) -> float | None:
        """The worst case of all due runs that have a price; None when it is unknown for one, or none has one."""
        priced = [row.usd for row in self.rows if row.is_priced]
        known = [usd for usd in priced if usd is not None]
        return sum(known) if known and len(known) == len(priced) else None


def worst_turns(task: Task, contender: Contender) -> int:
    """The most turns that a run of this task can take: the runner's own limit (STANDARD 2)."""
    limits = [task.caps.turns, contender.ablations.max_turns]
    if task.mode != "create":  # there the configured limit is a stage's, and the cap bounds the sum
        limits.append(task.config.max_turns)
    return min(limit for limit in limits if limit is not None)


def worst_usd(task: Task, contender: Contender) -> float | None:
    """The most USD that a run can cost: every turn with a full context and the longest reply, nothing from a cache.

    0 for a segment that has no USD by rule, None for a price that is unknown (STANDARD 8).
    """
    model, price = contender.model, contender.price
    if not model.is_priced:
        return 0.0
    if price is None:
        return None
    dearest = max(price.input, price.cache_write or 0.0)
    turn = model.context_tokens * dearest + model.output_tokens * price.output
    return worst_turns(task, contender) * turn / _MILLION
