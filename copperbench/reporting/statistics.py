"""The figures, as pure functions of records (STANDARD 6, 9, 10).

Rates are exact fractions of counts until the last division, and sums of money are correctly rounded, so that
no figure depends on the order in which records are read. An undefined figure is None, never 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from copperbench.records import Record

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `of`; the rate is in [0, 1], None of nothing."""

    count: int
    of: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class AllRepeats:
    """pass^k: of the tasks that have exactly `k` scoreable repeats, how many passed them all."""

    k: int
    tasks: Share


@dataclass(frozen=True, slots=True)
class Spread:
    """The lowest and the highest strict pass rate of a single repeat, over the tasks that it holds."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Refusals:
    """Refusals over the scoreable runs of each outcome class (STANDARD 5)."""

    correct: Share
    false: Share
    on_flag: Share


@dataclass(frozen=True, slots=True)
class VariantGap:
    """Mean over the tasks that have variants of (pass fraction of the original - mean of its variants')."""

    tasks: int
    original: float
    variant: float
    gap: float


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """One failure category: how often, at what mean cost (USD), and the weight that ranks it (STANDARD 9)."""

    category: str
    runs: tuple[Record, ...]
    mean_usd: float | None
    weight: float | None


def share(count: int, of: int) -> Share:
    """The share `count` of `of`."""
    return Share(count, of, count / of if of else None)


def scoreable(runs: Iterable[Record]) -> tuple[Record, ...]:
    """The runs that any rate counts: those whose grading could be completed (STANDARD 6)."""
    return tuple(run for run in runs if run.verdict != "unscoreable")


def strict_pass(runs: Iterable[Record]) -> Share:
    """Strict pass rate: passing runs over scoreable runs (STANDARD 6, first headline)."""
    judged = scoreable(runs)
    return share(_passes(judged), len(judged))


def total_usd(runs: Iterable[Record]) -> float | None:
    """USD of all runs, unscoreable ones too; None when any cost is unknown (STANDARD 8) or there is no run."""
    costs = [run.usd for run in runs]
    known = [usd for usd in costs if usd is not None]
    return math.fsum(known) if costs and len(known) == len(costs) else None


def cost_per_pass(runs: Sequence[Record]) -> float | None:
    """USD of all runs over passing runs; None without a pass or with an unknown cost (STANDARD 6, second headline)."""
    usd, passes = total_usd(runs), _passes(runs)
    return usd / passes if usd is not None and passes else None


def cost_per_reliable_task(runs: Sequence[Record]) -> float | None:
    """USD of all runs over the tasks that passed in every scoreable repeat: a diagnostic (STANDARD 6)."""
    usd = total_usd(runs)
    reliable = sum(_passes(task) == len(task) for task in scoreable_by_task(runs).values())
    return usd / reliable if usd is not None and reliable else None


def pass_at_1(runs: Iterable[Record]) -> float | None:
    """pass@1: the mean over tasks of each task's pass fraction; every task weighs the same (STANDARD 6)."""
    fractions = pass_fractions(runs)
    return float(_mean(fractions.values())) if fractions else None


def pass_all_k(runs: Iterable[Record]) -> tuple[AllRepeats, ...]:
    """pass^k for each k that occurs, ascending; groups of different k are never pooled (STANDARD 6)."""
    by_k: dict[int, list[bool]] = defaultdict(list)
    for task in scoreable_by_task(runs).values():
        by_k[len(task)].append(_passes(task) == len(task))
    return tuple(AllRepeats(k, share(sum(passed), len(passed))) for k, passed in sorted(by_k.items()))


def spread(runs: Iterable[Record]) -> Spread | None:
    """How far single repeats lie apart; None where there are fewer than two (STANDARD 6)."""
    repeats = group(scoreable(runs), lambda run: (run.campaign, run.repeat))
    rates = [_passes(repeat) / len(repeat) for repeat in repeats.values()]
    return Spread(min(rates), max(rates)) if len(rates) > 1 else None


def repeats_per_task(runs: Iterable[Record]) -> tuple[int, int]:
    """The smallest and the largest number of runs that a task has, unscoreable ones too; (0, 0) of nothing."""
    counts = [len(task) for task in group(runs, lambda run: run.task).values()]
    return (min(counts), max(counts)) if counts else (0, 0)


def refusals(runs: Iterable[Record]) -> Refusals:
    """Correct, false and flag-task refusals by exit path, over scoreable runs of the class (STANDARD 5)."""
    judged = scoreable(runs)

    def refused(expected: str) -> Share:
        of_class = [run for run in judged if run.expected == expected]
        return share(sum(exit_path(run) == "refused" for run in of_class), len(of_class))

    return Refusals(correct=refused("refusal"), false=refused("edit"), on_flag=refused("flag"))


def provider_errors(runs: Iterable[Record]) -> int:
    """Scoreable runs that a provider error ended: failed runs, counted beside the rate (STANDARD 2)."""
    return sum(exit_path(run) == "provider-error" for run in scoreable(runs))


def variant_gap(runs: Iterable[Record]) -> VariantGap | None:
    """How much better the originals are answered than their variants; None where no task has both (STANDARD 10)."""
    gaps = gaps_by_task(runs)
    if not gaps:
        return None
    original = _mean(before for before, _ in gaps.values())
    variant = _mean(after for _, after in gaps.values())
    return VariantGap(len(gaps), float(original), float(variant), float(original - variant))


def gaps_by_task(runs: Iterable[Record]) -> Mapping[str, tuple[Fraction, Fraction]]:
    """For each task that has variants: its pass fraction and the mean of its variants' (STANDARD 10)."""
    judged = scoreable(runs)
    fractions = pass_fractions(judged)
    variants: dict[str, set[str]] = defaultdict(set)
    for run in judged:
        if run.variant_of is not None and run.variant_of in fractions:
            variants[run.variant_of].add(run.task)
    return {task: (fractions[task], _mean(fractions[name] for name in names)) for task, names in variants.items()}


def failure_groups(runs: Iterable[Record]) -> tuple[FailureGroup, ...]:
    """Failed runs by category, ranked by frequency x mean run cost, then by frequency (STANDARD 9, work queue).

    The mean is over the runs whose cost is known; a category without any has no weight and comes after.
    """
    failed = [run for run in runs if run.failure_category is not None]
    found = []
    for category, members in group(failed, lambda run: str(run.failure_category)).items():
        known = [run.usd for run in members if run.usd is not None]
        mean = math.fsum(known) / len(known) if known else None
        weight = None if mean is None else len(members) * mean
        found.append(FailureGroup(category, members, mean, weight))
    return tuple(sorted(found, key=lambda each: (-(each.weight or 0.0), -len(each.runs), each.category)))


def group(runs: Iterable[Record], key: Callable[[Record], Key]) -> Mapping[Key, tuple[Record, ...]]:
    """Runs by `key`, in the order in which the keys first occur."""
    groups: dict[Key, list[Record]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return {name: tuple(members) for name, members in groups.items()}


def exit_path(run: Record) -> str | None:
    """How an agent run ended; None for an in-process run and for a quarantined one."""
    return run.stats.exit_path if run.stats is not None else None


def _passes(runs: Iterable[Record]) -> int:
    return sum(run.verdict == "pass" for run in runs)


def scoreable_by_task(runs: Iterable[Record]) -> Mapping[str, tuple[Record, ...]]:
    """The scoreable runs of each task."""
    return group(scoreable(runs), lambda run: run.task)


def pass_fractions(runs: Iterable[Record]) -> Mapping[str, Fraction]:
    """Passing over scoreable runs of each task, exactly."""
    return {task: Fraction(_passes(each), len(each)) for task, each in scoreable_by_task(runs).items()}


def _mean(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)
