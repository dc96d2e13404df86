"""How sure a figure is: 95 % intervals by resampling whole tasks, and figures for unequal repeats (STANDARD 6, 10).

Repeats of one task are no independent samples, so a resample draws tasks and never single runs. The seed is fixed
and the drawing is the same for every row: equal records give equal intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from copperbench.records import Record
from copperbench.reporting import statistics

if TYPE_CHECKING:
    import numpy as np

SEED = 20260101
RESAMPLES = 10_000
_CHUNK = 2_000_000
_DIGITS = 6
"""Intervals are rounded, so that the last bit of a machine's floating-point sum is in no published byte."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95 % of the resampled figure; in the figure's own unit."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class AllOfK:
    """The unbiased estimate of pass^k over the `tasks` that have at least `k` scoreable repeats; in [0, 1]."""

    k: int
    tasks: int
    estimate: float


@dataclass(frozen=True, slots=True)
class Paired:
    """Two models on the tasks that both have: `difference` is the first's pass@1 less the second's, in [-1, 1].

    `better`, `equal` and `worse` count tasks by the first's pass fraction against the second's.
    """

    tasks: int
    difference: float
    interval: Interval | None
    better: int
    equal: int
    worse: int


def interval_of_mean(values: Sequence[Fraction]) -> Interval | None:
    """The 95 % interval of the mean of one value per task; None of fewer than two tasks (STANDARD 6).

    Percentile bootstrap with a fixed seed. The order of `values` matters: give them by task name.
    """
    if len(values) < 2:
        return None
    import numpy as np

    means = _resampled_means(np.array([float(value) for value in values]))
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(round(float(low), _DIGITS), round(float(high), _DIGITS))


def pass_at_1_interval(runs: Iterable[Record]) -> Interval | None:
    """The 95 % interval of pass@1, clustered by task (STANDARD 6)."""
    fractions = statistics.pass_fractions(runs)
    return interval_of_mean([fractions[task] for task in sorted(fractions)])


def variant_gap_interval(runs: Iterable[Record]) -> Interval | None:
    """The 95 % interval of the variant gap; a task goes with all its variants (STANDARD 10)."""
    gaps = statistics.gaps_by_task(runs)
    return interval_of_mean([before - after for _, (before, after) in sorted(gaps.items())])


def pass_all_k_unbiased(runs: Iterable[Record]) -> tuple[AllOfK, ...]:
    """pass^k of unequal repeats: the chance that k repeats drawn without replacement all passed (STANDARD 6).

    For each number of repeats that occurs, over the tasks that have at least so many; empty where all tasks have
    the same number, since the plain pass^k then says it exactly.
    """
    counts = [
        (sum(run.verdict == "pass" for run in each), len(each)) for each in statistics.scoreable_by_task(runs).values()
    ]
    ks = sorted({had for _, had in counts})
    return tuple(_all_of_k(k, counts) for k in ks) if len(ks) > 1 else ()


def paired(first: Iterable[Record], second: Iterable[Record]) -> Paired | None:
    """Compare two models task by task; None where they have no scoreable task in common (STANDARD 6).

    Only common tasks count, each weighing the same: a difference in what was run is no difference in skill.
    """
    ours, theirs = statistics.pass_fractions(first), statistics.pass_fractions(second)
    differences = [ours[task] - theirs[task] for task in sorted(ours.keys() & theirs.keys())]
    if not differences:
        return None
    return Paired(
        tasks=len(differences),
        difference=float(sum(differences, Fraction(0)) / len(differences)),
        interval=interval_of_mean(differences),
        better=sum(each > 0 for each in differences),
        equal=sum(each == 0 for each in differences),
        worse=sum(each < 0 for each in differences),
    )


def _all_of_k(k: int, counts: Sequence[tuple[int, int]]) -> AllOfK:
    chances = [Fraction(comb(passed, k), comb(had, k)) for passed, had in counts if had >= k]
    return AllOfK(k, len(chances), float(sum(chances, Fraction(0)) / len(chances)))


def _resampled_means(values: np.ndarray) -> np.ndarray:
    import numpy as np

    generator = np.random.Generator(np.random.PCG64(SEED))
    rows = max(1, _CHUNK // len(values))
    parts = []
    for start in range(0, RESAMPLES, rows):
        size = (min(rows, RESAMPLES - start), len(values))
        parts.append(values[generator.integers(0, len(values), size=size)].mean(axis=1))
    return np.concatenate(parts)
