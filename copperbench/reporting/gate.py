"""Did it get worse? The regression gate between two aggregates of one suite version (STANDARD 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from copperbench.errors import CopperbenchError
from copperbench.reporting.models import Aggregate, ModelRow, Who
from copperbench.reporting.statistics import Share

Judgement = Literal["ok", "worse", "too small", "undefined", "not run", "new"]
Metric = Literal["strict pass rate", "cost per pass"]
LEAST_FLIPPED = 2
LEAST_PASSES = 2


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How much worse is too much: `pass_rate_drop` in [0, 1] of the rate, `cost_rise` as a share of the old cost."""

    pass_rate_drop: float = 0.1
    cost_rise: float = 0.2


@dataclass(frozen=True, slots=True)
class Delta:
    """One headline of one row, before and now. `why` puts the judgement into words."""

    tier: str
    who: Who
    metric: Metric
    before: float | None
    now: float | None
    judgement: Judgement
    why: str
    single_repeat: bool


@dataclass(frozen=True, slots=True)
class Gate:
    """All deltas of a comparison and the thresholds they were held against."""

    thresholds: Thresholds
    suite_version: str
    before: str | None
    now: str | None
    deltas: tuple[Delta, ...]

    @property
    def fires(self) -> bool:
        """Whether anything got worse beyond its threshold and its floor."""
        return any(delta.judgement == "worse" for delta in self.deltas)


def gate(baseline: Aggregate, now: Aggregate, thresholds: Thresholds) -> Gate:
    """Hold `now` against `baseline`, per tier and row (STANDARD 9). Scripted agents and ablations stand in no gate.

    Raises CopperbenchError when the two were made of different suite or schema versions, or share no row: figures
    that are not comparable must not pass for equal.
    """
    for name, old, new in (
        ("suite version", baseline.suite_version, now.suite_version),
        ("schema version", baseline.schema_version, now.schema_version),
    ):
        if old != new:
            raise CopperbenchError("the baseline", f"has {name} {old}, these records {new}", "make the baseline anew")
    old_rows, new_rows = _rows(baseline), _rows(now)
    if not old_rows.keys() & new_rows.keys():
        remedy = "name an aggregate with a model, harness and tier that were run again"
        raise CopperbenchError("the baseline", "shares no row with these records", remedy)
    places = list(dict.fromkeys((*old_rows, *new_rows)))
    deltas = (delta for place in places for delta in _deltas(place, old_rows, new_rows, thresholds))
    return Gate(thresholds, now.suite_version, baseline.snapshot, now.snapshot, tuple(deltas))


def _rows(aggregate: Aggregate) -> Mapping[tuple[str, Who], ModelRow]:
    headline = ((tier.tier, row) for tier in aggregate.tiers for segment in tier.segments for row in segment.rows)
    login = ((each.tier, each.row) for each in aggregate.saved_login)
    return {(tier, row.who): row for tier, row in (*headline, *login)}


def _deltas(
    place: tuple[str, Who],
    old_rows: Mapping[tuple[str, Who], ModelRow],
    new_rows: Mapping[tuple[str, Who], ModelRow],
    thresholds: Thresholds,
) -> Iterator[Delta]:
    old, new = old_rows.get(place), new_rows.get(place)
    single = any(row is not None and row.single_repeat for row in (old, new))
    figures = {
        "strict pass rate": (old and old.strict_pass.rate, new and new.strict_pass.rate),
        "cost per pass": (old and old.usd_per_pass, new and new.usd_per_pass),
    }
    for metric, (before, after) in figures.items():
        if old is None:
            judgement: tuple[Judgement, str] = "new", "the baseline has no such row"
        elif new is None:
            judgement = "not run", "these records have no such row"
        elif metric == "strict pass rate":
            judgement = _judge_rate(old.strict_pass, new.strict_pass, thresholds.pass_rate_drop)
        else:
            judgement = _judge_cost(old, new, thresholds.cost_rise)
        yield Delta(*place, metric, before, after, *judgement, single)  # type: ignore[arg-type]


def _judge_rate(old: Share, new: Share, threshold: float) -> tuple[Judgement, str]:
    if not old.of or not new.of:
        return "undefined", "no run could be scored on one side"
    size = min(old.of, new.of)
    if size < LEAST_FLIPPED or old.count < LEAST_FLIPPED:
        few = f"{size} scoreable run{'' if size == 1 else 's'}, {old.count} passed before"
        return "too small", f"{few}: fewer than {LEAST_FLIPPED} can flip"
    drop = Fraction(old.count, old.of) - Fraction(new.count, new.of)
    # Of the smaller side's runs: one flipped repeat must never look like two because the other side is larger.
    flipped = drop * size
    if drop <= Fraction(str(threshold)):
        return "ok", f"within {100 * threshold:g} points"
    if flipped < LEAST_FLIPPED:
        return "ok", f"beyond {100 * threshold:g} points, but fewer than {LEAST_FLIPPED} runs flipped"
    return "worse", f"fell by {100 * float(drop):.1f} points, {float(flipped):.3g} of {size} runs flipped"


def _judge_cost(old: ModelRow, new: ModelRow, threshold: float) -> tuple[Judgement, str]:
    before, after = old.usd_per_pass, new.usd_per_pass
    if before is None or after is None:
        return "undefined", "no pass, or a cost is unknown, on one side"
    passes = min(old.strict_pass.count, new.strict_pass.count)
    if passes < LEAST_PASSES:
        return "too small", f"{passes} pass on one side, {LEAST_PASSES} are needed"
    # From the sums and not from the rounded quotients: a threshold of 0 must hold for equal costs.
    limit = Fraction(old.usd or 0) / old.strict_pass.count * (1 + Fraction(str(threshold)))
    if Fraction(new.usd or 0) / new.strict_pass.count <= limit:
        return "ok", f"within {100 * threshold:g} %"
    if _at_old_rate(old.strict_pass, new) <= limit:
        return "ok", f"beyond {100 * threshold:g} %, but fewer than {LEAST_FLIPPED} flipped runs explain it"
    return "worse", f"rose by {100 * (after / before - 1):.1f} %" if before else "rose from nothing"


def _at_old_rate(old: Share, new: ModelRow) -> Fraction:
    """Today's cost per pass, had the runs passed as often as before; as it is where two runs or more flipped.

    A single flipped repeat raises the cost of every pass that is left: it must not fire by that way either.
    """
    passes = Fraction(new.strict_pass.count)
    lost = Fraction(old.count, old.of) - passes / new.strict_pass.of
    if 0 < lost * min(old.of, new.strict_pass.of) < LEAST_FLIPPED:
        passes = Fraction(old.count, old.of) * new.strict_pass.of
    return Fraction(new.usd or 0) / passes
