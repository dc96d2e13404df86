"""What a run took and how much it disturbed: turns, tokens, time, changed lines (STANDARD 6, diagnostics)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from copperbench.records import Record
from copperbench.reporting import statistics


@dataclass(frozen=True, slots=True)
class Effort:
    """Medians over the runs that recorded the figure; None where none did. Times in seconds.

    `surgicality` is the median, over passing runs of edit tasks, of changed lines over the changed lines of the
    task's reference solution: 1 is as small as the reference. `surgical_runs` says how many runs that rests on.
    """

    turns: float | None
    tokens_in: float | None
    tokens_out: float | None
    seconds: float | None
    surgicality: float | None
    surgical_runs: int


def reference_lines(runs: Iterable[Record]) -> Mapping[str, int]:
    """Changed lines of the reference solution by task, from the newest passing gold record of each."""
    gold = [run for run in runs if run.run_mode == "gold" and run.verdict == "pass" and run.lines_changed]
    return {run.task: run.lines_changed or 0 for run in sorted(gold, key=lambda run: run.path)}


def effort(runs: Sequence[Record], reference: Mapping[str, int]) -> Effort:
    """The medians of `runs`; `reference` holds each task's changed lines of the reference solution."""
    stats = [run.stats for run in runs if run.stats is not None]
    ratios = [ratio for run in runs if (ratio := surgicality(run, reference)) is not None]
    return Effort(
        turns=_median(each.turns_used for each in stats),
        tokens_in=_median(each.tokens_in for each in stats),
        tokens_out=_median(each.tokens_out for each in stats),
        seconds=_median(run.duration_ms / 1000 for run in runs),
        surgicality=median(ratios) if ratios else None,
        surgical_runs=len(ratios),
    )


def surgicality(run: Record, reference: Mapping[str, int]) -> float | None:
    """Changed lines of a passing run of an edit task over the reference solution's; None where undefined."""
    if run.verdict != "pass" or run.expected != "edit" or run.lines_changed is None or run.task not in reference:
        return None
    return run.lines_changed / reference[run.task]


def by_task(runs: Iterable[Record]) -> Mapping[str, statistics.Share]:
    """Passing over scoreable runs of each task, by name."""
    tasks = statistics.scoreable_by_task(runs)
    return {task: statistics.strict_pass(tasks[task]) for task in sorted(tasks)}


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(median(known)) if known else None
