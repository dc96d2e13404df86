"""Intervals, estimates over unequal repeats, pairs and effort, against naive second implementations."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.records import Record, SuiteStamps
from copperbench.reporting import aggregate, leaderboard
from copperbench.reporting.effort import effort, reference_lines
from copperbench.reporting.intervals import interval_of_mean, paired, pass_all_k_unbiased, pass_at_1_interval

MakeRun = Callable[..., Record]
TASKS = [f"task-{tier}-{n}" for tier in ("simple", "medium", "hard") for n in range(3)]
counts = st.dictionaries(
    st.sampled_from(TASKS), st.lists(st.sampled_from(["pass", "fail", "unscoreable"]), max_size=5), max_size=8
)
with_run = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def build(run: MakeRun, matrix: dict[str, list[str]], **changes: Any) -> list[Record]:
    return [run(task, v, repeat=n, **changes) for task, each in matrix.items() for n, v in enumerate(each, 1)]


def naive_rates(matrix: dict[str, list[str]]) -> dict[str, Fraction]:
    judged = {task: [v == "pass" for v in each if v != "unscoreable"] for task, each in matrix.items()}
    return {task: Fraction(sum(each), len(each)) for task, each in judged.items() if each}


@with_run
@given(matrix=counts)
def test_unbiased_pass_k_is_the_share_of_all_draws_that_passed(run: MakeRun, matrix: dict[str, list[str]]) -> None:
    judged = [[v == "pass" for v in each if v != "unscoreable"] for each in matrix.values()]
    judged = [each for each in judged if each]
    ks = sorted({len(each) for each in judged})
    expected = []
    for k in ks if len(ks) > 1 else []:
        shares = []
        for each in judged:
            draws = list(combinations(each, k))
            shares += [Fraction(sum(all(draw) for draw in draws), len(draws))] if draws else []
        expected.append((k, len(shares), float(sum(shares) / len(shares))))
    found = pass_all_k_unbiased(build(run, matrix))
    assert [(each.k, each.tasks, each.estimate) for each in found] == expected


@with_run
@given(first=counts, second=counts)
def test_a_pair_is_compared_on_common_tasks_alone(
    run: MakeRun, first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    ours, theirs = naive_rates(first), naive_rates(second)
    common = [task for task in TASKS if task in ours and task in theirs]
    found = paired(build(run, first), build(run, second, model="m2"))
    if not common:
        assert found is None
        return
    assert found is not None
    assert (found.tasks, found.difference, found.better, found.worse) == (
        len(common),
        float(sum(ours[task] - theirs[task] for task in common) / len(common)),
        sum(ours[task] > theirs[task] for task in common),
        sum(ours[task] < theirs[task] for task in common),
    )


@with_run
@given(matrix=counts)
def test_an_interval_holds_its_figure_and_stays_in_range(run: MakeRun, matrix: dict[str, list[str]]) -> None:
    rates = list(naive_rates(matrix).values())
    found = pass_at_1_interval(build(run, matrix))
    if len(rates) < 2:
        assert found is None
        return
    assert found is not None
    mean = float(sum(rates) / len(rates))
    assert 0 <= found.low <= mean + 1e-6
    assert mean - 1e-6 <= found.high <= 1


def test_an_interval_is_what_a_plain_resampling_gives() -> None:
    values = [Fraction(n % 4, 3) if n % 4 < 4 else Fraction(0) for n in range(30)]
    draw = random.Random(7)
    means = sorted(float(sum(draw.choices(values, k=30)) / 30) for _ in range(4000))
    found = interval_of_mean(values)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((means[100], means[3900]), abs=0.02)


def test_repeats_of_one_task_do_not_narrow_the_interval(run: MakeRun) -> None:
    few = build(run, {"task-simple-0": ["pass"], "task-hard-0": ["fail"], "task-hard-1": ["pass"]})
    many = build(run, {"task-simple-0": ["pass"] * 9, "task-hard-0": ["fail"] * 9, "task-hard-1": ["pass"] * 9})
    assert pass_at_1_interval(few) == pass_at_1_interval(many)


def test_surgicality_is_changed_lines_over_those_of_the_reference(run: MakeRun) -> None:
    gold = run(model="harness:gold", mode="gold", lines_changed=10)
    runs = [run(repeat=1, lines_changed=20), run(repeat=2, lines_changed=40), run("task-simple-0", "fail", repeat=3)]
    found = effort(runs, reference_lines([gold, *runs]))
    assert (found.surgicality, found.surgical_runs) == (3.0, 2)


def test_a_refusal_says_nothing_about_surgicality(run: MakeRun) -> None:
    gold = run(model="harness:gold", mode="gold", lines_changed=10, expected="refusal")
    assert effort([run(lines_changed=5, expected="refusal")], reference_lines([gold])).surgicality is None


def test_models_of_different_harnesses_are_not_paired(run: MakeRun, suite: SuiteStamps) -> None:
    assert not aggregate([run(), run(model="m2", harness="other")], suite).pairs


def test_the_work_queue_links_to_its_records(run: MakeRun, suite: SuiteStamps) -> None:
    text = leaderboard(aggregate([run(verdict="fail", repeat=n) for n in range(1, 8)], suite))
    assert "[1](<results/2026-01-01/m1/task-simple-0/run-1.json>)" in text
    assert "and 2 more" in text
