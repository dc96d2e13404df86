"""Certainty and diagnostics of the aggregate, worked out again by plain loops: intervals, spread, gaps, pairs, effort.

As in `test_by_hand`, nothing comes from the code that makes the figures. An interval is resampled anew, one draw of
tasks after another; only the draws themselves are those that the standard's fixed seed gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.records import AgentStats, Record, SuiteStamps
from copperbench.reporting import aggregate
from copperbench.reporting.models import Aggregate, Who

MakeRun = Callable[..., Record]
Facts = dict[str, Any]
Ends = tuple[float, float] | None

ORIGINAL = {  # each task, and the task that it is a variant of
    "task-simple-0": None,
    "task-simple-1": "task-simple-0",
    "task-simple-2": "task-simple-0",
    "task-medium-0": None,
    "task-hard-0": "task-medium-0",
    "task-hard-1": None,
}
EXPECTED = {"task-hard-1": "refusal"}
REFERENCE = {"task-simple-0": 4, "task-medium-0": 7, "task-hard-0": 10, "task-hard-1": 3}  # lines that gold changed
one_run = st.fixed_dictionaries(
    {
        "task": st.sampled_from(sorted(ORIGINAL)),
        "model": st.sampled_from(["m1", "m2", "m3"]),
        "harness": st.sampled_from(["copperhead", "copperhead", "reference"]),
        "verdict": st.sampled_from(["pass", "pass", "fail", "unscoreable"]),
        "repeat": st.integers(1, 4),
        "usd": st.none() | st.floats(0, 50),
        "category": st.sampled_from(["stalled", "wrong-target", "drift-left"]),
        "turns": st.none() | st.integers(0, 60),
        "tokens": st.none() | st.integers(0, 10**7),
        "duration_ms": st.integers(0, 10**6),
        "lines_changed": st.none() | st.integers(0, 90),
    }
)
matrices = st.lists(one_run, max_size=45, unique_by=lambda each: (each["task"], each["model"], each["repeat"]))
SEGMENTS = {"m1": "api-cheap", "m2": "api-cheap", "m3": "api-frontier"}
by_hand = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)


def made(run: MakeRun, suite: SuiteStamps, matrix: list[Facts]) -> Aggregate:
    records = [
        run(task, model="harness:gold", mode="gold", lines_changed=lines, expected=EXPECTED.get(task, "edit"))
        for task, lines in REFERENCE.items()
    ]
    for each in matrix:
        facts = {name: value for name, value in each.items() if name not in ("turns", "tokens")}
        stats = AgentStats("done", each["turns"], 40, 0, 5, each["tokens"], each["tokens"], None, None, (), None)
        facts |= {"segment": SEGMENTS[each["model"]], "expected": EXPECTED.get(each["task"], "edit"), "stats": stats}
        records.append(run(**facts, variant_of=ORIGINAL[each["task"]]))
    return aggregate(records, suite)


def rows(matrix: list[Facts]) -> dict[tuple[str, str], list[Facts]]:
    found: dict[tuple[str, str], list[Facts]] = {}
    for each in matrix:
        found.setdefault((each["model"], each["harness"]), []).append(each)
    return found


def name(who: Who) -> tuple[str, str]:
    return who.model, who.harness


def rates(runs: list[Facts]) -> dict[str, Fraction]:
    """Passes over scoreable runs of each task, in the order of their names."""
    found = {}
    for task in sorted(ORIGINAL):
        verdicts = [each["verdict"] for each in runs if each["task"] == task and each["verdict"] != "unscoreable"]
        if verdicts:
            found[task] = Fraction(verdicts.count("pass"), len(verdicts))
    return found


def mean(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


def middle(values: Iterable[float]) -> float | None:
    ordered = sorted(values)
    half = len(ordered) // 2
    if not ordered:
        return None
    return float(ordered[half]) if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def ends(values: list[Fraction]) -> Ends:
    """The 2.5th and the 97.5th percentile of 10,000 means, each of as many tasks as there are, drawn with return."""
    if len(values) < 2:
        return None
    draws = np.random.Generator(np.random.PCG64(20260101)).integers(0, len(values), size=(10_000, len(values)))
    scale = 1
    for value in values:
        scale *= value.denominator // np.gcd(scale, value.denominator)
    whole = [int(value * int(scale)) for value in values]  # sums of whole numbers are exact
    sums = sorted(sum(whole[task] for task in draw) for draw in draws.tolist())

    def at(percent: Fraction) -> float:
        place = percent * 9_999
        low = int(place)
        exact = sums[low] + (sums[low + 1] - sums[low]) * (place - low)
        return float(exact / (int(scale) * len(values)))

    return at(Fraction(25, 1000)), at(Fraction(975, 1000))


def same(found: Any, expected: Ends) -> bool:
    """Whether an interval is the expected one, but for the rounding of its sixth decimal."""
    if found is None or expected is None:
        return found is None and expected is None
    return (found.low, found.high) == pytest.approx(expected, abs=0.6e-6)


@by_hand
@given(matrix=matrices)
def test_reliability_has_its_interval_over_tasks_and_its_spread_over_repeats(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    found = {name(each.who): each for each in made(run, suite, matrix).reliability}
    assert found.keys() == rows(matrix).keys()
    for who, runs in rows(matrix).items():
        assert same(found[who].interval, ends(list(rates(runs).values())))
        single = []
        for repeat in (1, 2, 3, 4):
            judged = [e["verdict"] == "pass" for e in runs if e["repeat"] == repeat and e["verdict"] != "unscoreable"]
            single += [sum(judged) / len(judged)] if judged else []
        spread = found[who].spread
        assert (spread and (spread.low, spread.high)) == ((min(single), max(single)) if len(single) > 1 else None)


@by_hand
@given(matrix=matrices)
def test_the_variant_gap_is_the_mean_over_originals_of_what_is_lost_on_their_variants(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    expected: dict[tuple[str, str], tuple[tuple[float, ...], Ends]] = {}
    for who, runs in rows(matrix).items():
        of = rates(runs)
        both = {}
        for task in of:
            variants = [of[each] for each in of if ORIGINAL[each] == task]
            if variants:
                both[task] = of[task], mean(variants)
        if both:
            gaps = [before - after for before, after in both.values()]
            sides = (mean(before for before, _ in both.values()), mean(after for _, after in both.values()))
            expected[who] = (len(both), *map(float, sides), float(mean(gaps))), ends(gaps)
    found = {name(each.who): each for each in made(run, suite, matrix).variant_gaps}
    assert found.keys() == expected.keys()
    for who, (figures, interval) in expected.items():
        gap = found[who].gap
        assert [gap.tasks, gap.original, gap.variant, gap.gap] == list(figures)
        assert same(found[who].interval, interval)


@by_hand
@given(matrix=matrices)
def test_every_two_models_of_a_segment_and_harness_are_held_together_on_their_common_tasks(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    expected = {}
    of = rows(matrix)
    for harness in ("copperhead", "reference"):  # m3 has no other model in its segment
        ours, theirs = rates(of.get(("m1", harness), [])), rates(of.get(("m2", harness), []))
        lead = [ours[task] - theirs[task] for task in ours if task in theirs]
        if lead:
            won, lost = sum(each > 0 for each in lead), sum(each < 0 for each in lead)
            expected[harness] = (len(lead), float(mean(lead)), won, len(lead) - won - lost, lost), ends(lead)
    pairs = made(run, suite, matrix).pairs
    assert all((each.first.model, each.second.model) == ("m1", "m2") for each in pairs)
    found = {each.first.harness: each.paired for each in pairs}
    assert found.keys() == expected.keys()
    for harness, (figures, interval) in expected.items():
        pair = found[harness]
        assert (pair.tasks, pair.difference, pair.better, pair.equal, pair.worse) == figures
        assert same(pair.interval, interval)


@by_hand
@given(matrix=matrices)
def test_effort_is_the_middle_of_what_runs_took_and_surgicality_that_of_passing_edits(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    found = {}
    for row in made(run, suite, matrix).effort:
        took = row.effort
        figures = took.turns, took.tokens_in, took.tokens_out, took.seconds, took.surgicality, took.surgical_runs
        found[name(row.who)] = figures
    expected = {}
    for who, runs in rows(matrix).items():
        turns = middle(each["turns"] for each in runs if each["turns"] is not None)
        tokens = middle(each["tokens"] for each in runs if each["tokens"] is not None)
        ratios = []
        for each in runs:
            edits = each["verdict"] == "pass" and EXPECTED.get(each["task"], "edit") == "edit"
            if edits and each["lines_changed"] is not None and each["task"] in REFERENCE:
                ratios.append(each["lines_changed"] / REFERENCE[each["task"]])
        seconds = middle(each["duration_ms"] / 1000 for each in runs)
        expected[who] = (turns, tokens, tokens, seconds, middle(ratios), len(ratios))
    assert found == expected


@by_hand
@given(matrix=matrices)
def test_the_work_queue_ranks_categories_by_frequency_times_mean_known_cost_within_a_segment(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    found = {queue.segment: queue.items for queue in made(run, suite, matrix).work_queue}
    failed = [each for each in matrix if each["verdict"] == "fail"]
    assert found.keys() == {SEGMENTS[each["model"]] for each in failed}
    for segment, items in found.items():
        order = []
        for item in items:
            of = [e for e in failed if SEGMENTS[e["model"]] == segment and e["category"] == item.category]
            costs = [Fraction(each["usd"]) for each in of if each["usd"] is not None]
            usd = float(sum(costs, Fraction(0))) / len(costs) if costs else None
            assert (item.runs, item.mean_usd) == (len(of), usd)
            assert item.weight == (None if usd is None else len(of) * usd)
            assert set(item.tasks) == {each["task"] for each in of}
            assert set(item.models) == {each["model"] for each in of}
            assert len(set(item.records)) == len(of)
            order.append((-(item.weight or 0.0), -item.runs))
        assert order == sorted(order)
        assert len({item.category for item in items}) == len(items)
        assert sum(item.runs for item in items) == sum(SEGMENTS[each["model"]] == segment for each in failed)
