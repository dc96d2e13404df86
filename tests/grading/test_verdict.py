"""From outcomes to the verdict: what counts, what is unscoreable, and what a credential costs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.errors import SuiteError
from copperbench.grading import GradedAssertion, Source, grade_quarantined, partial_credit, verdict_of
from copperbench.sandbox import ExitFacts

PASSES = {"kind": "net_present", "net": "ALERT"}
FAILS = {"kind": "net_present", "net": "NOWHERE"}
OPEN = {"kind": "erc_clean"}


def graded(status: str, *, required: bool = True, weight: float = 1) -> GradedAssertion:
    return GradedAssertion("x", "net_present", {}, weight, required, Source.END_STATE, status, "")  # type: ignore[arg-type]


def test_a_run_passes_when_every_required_assertion_passes(world: Any, spec: Any) -> None:
    grade = world.grade(spec(**PASSES), spec(**FAILS, required=False, name="extra"))
    assert (grade.verdict, grade.failure_category, grade.first_failed_required) == ("pass", None, None)


def test_the_first_failed_required_assertion_is_named_in_file_order(world: Any, spec: Any) -> None:
    first = spec(**FAILS, required=False, name="not-required")
    grade = world.grade(first, spec(**FAILS, name="this-one"), spec("symbol_absent", refdes="R2"))
    assert (grade.verdict, grade.first_failed_required) == ("fail", "this-one")


def test_an_unevaluable_required_assertion_makes_a_run_unscoreable_even_beside_a_failure(world: Any, spec: Any) -> None:
    grade = world.grade(spec(**FAILS), spec(**OPEN))
    assert (grade.verdict, grade.failure_category) == ("unscoreable", None)


def test_an_unevaluable_assertion_that_is_not_required_decides_nothing(world: Any, spec: Any) -> None:
    assert world.grade(spec(**PASSES), spec(**OPEN, required=False)).verdict == "pass"


TAMPERED = ExitFacts(0, None, None, "the transcript of r differs from what was seen of it")


def test_a_tampered_run_fails_though_its_task_asks_for_no_exit_path(world: Any, spec: Any) -> None:
    world.exit = TAMPERED
    grade = world.grade(spec(**PASSES))
    assert (grade.verdict, grade.failure_category) == ("fail", "constraint-violation")


def test_a_tampered_run_that_nobody_could_judge_whole_is_unscoreable_like_any_other(world: Any, spec: Any) -> None:
    world.exit = TAMPERED
    grade = world.grade(spec(**OPEN))
    assert (grade.verdict, grade.failure_category, grade.exit_path) == ("unscoreable", None, "tampered")


def test_the_record_of_a_tampered_run_says_what_was_seen(world: Any, spec: Any) -> None:
    world.exit = TAMPERED
    grade = world.grade(spec(**PASSES), spec(**OPEN, required=False))
    said = {item.id: item.detail for item in grade.assertions}[grade.first_failed_required]
    assert said == "exit path tampered: the transcript of r differs from what was seen of it"


def test_partial_credit_is_the_weighted_share_of_all_assertions(world: Any, spec: Any) -> None:
    grade = world.grade(spec(**PASSES, weight=3), spec(**FAILS, weight=2), spec(**OPEN, required=False, weight=5))
    assert grade.partial_credit == 0.3


@given(st.lists(st.tuples(st.sampled_from(["pass", "fail", "unevaluable"]), st.floats(0.01, 1000)), min_size=1))
def test_partial_credit_stays_between_0_and_1(outcomes: list[tuple[str, float]]) -> None:
    share = partial_credit([graded(status, weight=weight) for status, weight in outcomes])
    assert 0 <= share <= 1
    assert (share == 1) == all(status == "pass" for status, _ in outcomes)


@given(st.lists(st.tuples(st.sampled_from(["pass", "fail", "unevaluable"]), st.booleans())))
def test_a_verdict_rests_on_required_assertions_alone(outcomes: list[tuple[str, bool]]) -> None:
    all_of_them = [graded(status, required=required) for status, required in outcomes]
    assert verdict_of(all_of_them) == verdict_of([item for item in all_of_them if item.required])


def test_the_exit_path_in_a_grade_is_the_effective_one(world: Any, spec: Any) -> None:
    assert world.ends("stalled").grade(spec(**PASSES)).exit_path == "stalled"


def test_a_type_outside_the_vocabulary_is_never_skipped(world: Any, spec: Any) -> None:
    with pytest.raises(SuiteError, match="'net_exists' is not in the vocabulary"):
        world.grade(spec("net_exists", net="ALERT"))


def test_arguments_that_do_not_fit_are_never_ignored(world: Any, spec: Any) -> None:
    with pytest.raises(SuiteError, match="'nett' is no argument"):
        world.grade(spec("net_present", nett="ALERT"))


def test_a_quarantined_run_fails_whatever_else_it_did(world: Any, spec: Any) -> None:
    task = world.evidence(spec(**PASSES), spec("no_secret")).task
    grade = grade_quarantined(task, "done", {"kind": "sk-key", "file": "docs/SPEC.md", "digest": "0", "id": "q"})
    assert (grade.verdict, grade.failure_category, grade.partial_credit) == ("fail", "constraint-violation", 0.0)
    assert [item.status for item in grade.assertions] == ["unevaluable", "fail"]


def test_a_quarantined_run_of_a_task_without_no_secret_gets_one(world: Any, spec: Any) -> None:
    grade = grade_quarantined(world.evidence(spec(**PASSES)).task, "done", {"kind": "sk-key", "file": "x"})
    assert (grade.assertions[-1].type, grade.first_failed_required) == ("no_secret", "no-secret")
