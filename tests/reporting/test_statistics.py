"""Every figure against a second, naive implementation, to the last digit."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.records import Record
from copperbench.reporting import statistics

MakeRun = Callable[..., Record]
TASKS = {"task-simple-0": None, "task-simple-1": "task-simple-0", "task-medium-0": None, "task-hard-0": "task-medium-0"}
OUTCOME = {"task-simple-0": "edit", "task-simple-1": "edit", "task-medium-0": "refusal", "task-hard-0": "flag"}

facts = st.fixed_dictionaries(
    {
        "task": st.sampled_from(sorted(TASKS)),
        "verdict": st.sampled_from(["pass", "fail", "unscoreable"]),
        "repeat": st.integers(1, 4),
        "campaign": st.sampled_from(["2026-01-01", "2026-02-02"]),
        "usd": st.none() | st.floats(0, 100) | st.floats(0.01, 0.1),
        "exit_path": st.sampled_from(["done", "refused", "provider-error"]),
        "category": st.sampled_from(["stalled", "wrong-target", "drift-left"]),
    }
)
matrices = st.lists(facts, max_size=30, unique_by=lambda each: (each["task"], each["campaign"], each["repeat"]))
with_run = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def build(run: MakeRun, matrix: list[dict[str, Any]]) -> list[Record]:
    return [run(**each, expected=OUTCOME[each["task"]], variant_of=TASKS[each["task"]]) for each in matrix]


def naive_fraction(matrix: list[dict[str, Any]], task: str) -> Fraction | None:
    """Share of passes among the runs of a task that could be scored."""
    passed = judged = 0
    for each in matrix:
        if each["task"] == task and each["verdict"] != "unscoreable":
            judged += 1
            passed += each["verdict"] == "pass"
    return Fraction(passed, judged) if judged else None


def naive_usd(matrix: list[dict[str, Any]]) -> float | None:
    total = Fraction(0)
    for each in matrix:
        if each["usd"] is None:
            return None
        total += Fraction(each["usd"])
    return float(total) if matrix else None


@with_run
@given(matrix=matrices)
def test_the_strict_pass_rate_is_passes_over_scoreable_runs(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    verdicts = [each["verdict"] for each in matrix]
    passed, judged = verdicts.count("pass"), verdicts.count("pass") + verdicts.count("fail")
    share = statistics.strict_pass(build(run, matrix))
    assert (share.count, share.of, share.rate) == (passed, judged, passed / judged if judged else None)


@with_run
@given(matrix=matrices)
def test_cost_per_pass_is_the_cost_of_every_run_over_the_passes(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    passed = sum(each["verdict"] == "pass" for each in matrix)
    usd = naive_usd(matrix)
    expected = None if usd is None or passed == 0 else usd / passed
    assert statistics.cost_per_pass(build(run, matrix)) == expected


@with_run
@given(matrix=matrices)
def test_pass_at_1_weighs_every_task_the_same(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    fractions = [each for each in (naive_fraction(matrix, task) for task in TASKS) if each is not None]
    expected = float(sum(fractions, Fraction(0)) / len(fractions)) if fractions else None
    assert statistics.pass_at_1(build(run, matrix)) == expected


@with_run
@given(matrix=matrices)
def test_pass_k_never_pools_tasks_of_different_repeats(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    expected: dict[int, list[bool]] = {}
    for task in TASKS:
        verdicts = [m["verdict"] for m in matrix if m["task"] == task and m["verdict"] != "unscoreable"]
        if verdicts:
            expected.setdefault(len(verdicts), []).append("fail" not in verdicts)
    found = {each.k: (each.tasks.count, each.tasks.of) for each in statistics.pass_all_k(build(run, matrix))}
    assert found == {k: (sum(passed), len(passed)) for k, passed in expected.items()}


@with_run
@given(matrix=matrices)
def test_cost_per_reliable_task_counts_tasks_that_never_failed(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    reliable = sum(naive_fraction(matrix, task) == 1 for task in TASKS)
    usd = naive_usd(matrix)
    expected = None if usd is None or reliable == 0 else usd / reliable
    assert statistics.cost_per_reliable_task(build(run, matrix)) == expected


@with_run
@given(matrix=matrices)
def test_the_spread_is_the_worst_and_the_best_single_repeat(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    rates = []
    for campaign in ("2026-01-01", "2026-02-02"):
        for repeat in (1, 2, 3, 4):
            of = [
                m["verdict"]
                for m in matrix
                if (m["campaign"], m["repeat"]) == (campaign, repeat) and m["verdict"] != "unscoreable"
            ]
            rates += [of.count("pass") / len(of)] if of else []
    found = statistics.spread(build(run, matrix))
    assert (found and (found.low, found.high)) == ((min(rates), max(rates)) if len(rates) > 1 else None)


@with_run
@given(matrix=matrices)
def test_refusals_are_counted_by_outcome_class(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    def naive(outcome: str) -> tuple[int, int]:
        of = [m for m in matrix if OUTCOME[m["task"]] == outcome and m["verdict"] in ("pass", "fail")]
        return len([m for m in of if m["exit_path"] == "refused"]), len(of)

    found = statistics.refusals(build(run, matrix))
    assert [(each.count, each.of) for each in (found.correct, found.false, found.on_flag)] == [
        naive("refusal"),
        naive("edit"),
        naive("flag"),
    ]


@with_run
@given(matrix=matrices)
def test_the_variant_gap_compares_only_tasks_that_have_both(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    gaps = []
    for variant, original in TASKS.items():
        if original is not None:
            pair = naive_fraction(matrix, original), naive_fraction(matrix, variant)
            if pair[0] is not None and pair[1] is not None:
                gaps.append(pair[0] - pair[1])
    found = statistics.variant_gap(build(run, matrix))
    assert (found and found.gap) == (float(sum(gaps, Fraction(0)) / len(gaps)) if gaps else None)


@with_run
@given(matrix=matrices)
def test_failures_are_ranked_by_frequency_times_mean_cost(run: MakeRun, matrix: list[dict[str, Any]]) -> None:
    groups = statistics.failure_groups(build(run, matrix))
    failed = [m["category"] for m in matrix if m["verdict"] == "fail"]
    assert {each.category: len(each.runs) for each in groups} == {name: failed.count(name) for name in set(failed)}
    weights = [each.weight or 0.0 for each in groups]
    assert weights == sorted(weights, reverse=True)


@with_run
@given(matrix=matrices, seed=st.integers(0, 5))
def test_no_figure_depends_on_the_order_of_the_records(run: MakeRun, matrix: list[dict[str, Any]], seed: int) -> None:
    runs = build(run, matrix)
    shuffled = random.Random(seed).sample(runs, len(runs))
    for figure in (
        statistics.strict_pass,
        statistics.cost_per_pass,
        statistics.pass_at_1,
        statistics.pass_all_k,
        statistics.spread,
        statistics.refusals,
        statistics.variant_gap,
    ):
        assert figure(runs) == figure(shuffled)  # type: ignore[operator]


def test_an_unknown_cost_makes_the_cost_per_pass_unknown_and_not_cheaper(run: MakeRun) -> None:
    assert statistics.cost_per_pass([run(usd=1.0), run(repeat=2, usd=None)]) is None


def test_an_unscoreable_run_is_paid_for_but_is_in_no_rate(run: MakeRun) -> None:
    runs = [run(usd=1.0), run(repeat=2, usd=2.0, verdict="unscoreable")]
    assert (statistics.strict_pass(runs).rate, statistics.cost_per_pass(runs)) == (1.0, 3.0)


@pytest.mark.parametrize("figure", [statistics.pass_at_1, statistics.spread, statistics.variant_gap])
def test_a_figure_of_nothing_is_undefined(figure: Callable[[list[Record]], object]) -> None:
    assert figure([]) is None
