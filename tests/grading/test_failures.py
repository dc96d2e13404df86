"""The failure table: each row as the standard words it, and every failed run in exactly one category."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.evidence import EXIT_PATHS
from copperbench.grading import (
    CATEGORIES,
    FAILURE_TABLE,
    HANDLERS,
    GradedAssertion,
    Situation,
    failure_category,
)

DIFF_TYPES = [
    "files_touched_subset",
    "file_unchanged",
    "diff_ratio_max",
    "commit_count",
    "rollback_byte_identical",
    "no_secret",
]
NET_TYPES = ["net_present", "net_absent", "symbol_present", "symbol_absent", "pin_net_equals"]
VERIFY_TYPES = ["erc_no_new_violations", "drc_no_new_violations", "erc_clean", "drc_clean", "check_clean"]
DOC_TYPES = ["doc_row_matches", "doc_contains", "drift_clean"]
ALL_PATHS = [*EXIT_PATHS, "cap-exceeded", "no-run-end", "tampered"]
NOT_DONE = [path for path in ALL_PATHS if path not in ("done", "refused", "tampered")]


def first(kind: str) -> GradedAssertion:
    return GradedAssertion("x", kind, {}, 1, True, HANDLERS[kind].source, "fail", "")


def situation(exit_path: str = "done", kind: str = "net_present", **changed: Any) -> Situation:
    usual: dict[str, Any] = {
        "expected": "edit",
        "first": first(kind),
        "failed_types": frozenset({kind}),
        "credential_found": False,
        "dominant_error": None,
        "finish_turned_down": False,
        "design_broken": False,
        "commits": 1,
    }
    return Situation(exit_path=exit_path, **usual | changed)


def row(found: Situation) -> int:
    """The number of the row that decides."""
    return next(number for number, each in enumerate(FAILURE_TABLE, start=1) if each.fits(found))


def says(found: Situation) -> tuple[int, str]:
    return row(found), failure_category(found)


def test_the_table_has_the_rows_of_the_standard() -> None:
    assert len(FAILURE_TABLE) == 18


def test_row_1_tampering_and_credentials_come_first() -> None:
    assert says(situation("tampered", dominant_error="protocol")) == (1, "constraint-violation")
    assert says(situation("refused", credential_found=True)) == (1, "constraint-violation")


def test_row_2_refusing_an_edit_is_a_false_refusal() -> None:
    assert says(situation("refused", "files_touched_subset")) == (2, "false-refusal")


@pytest.mark.parametrize("kind", [*DIFF_TYPES, *NET_TYPES, "constraint_registered"])
@pytest.mark.parametrize("expected", ["refusal", "flag"])
def test_row_3_refusing_and_writing_all_the_same(kind: str, expected: str) -> None:
    assert says(situation("refused", kind, expected=expected)) == (3, "constraint-violation")


@pytest.mark.parametrize("kind", ["refusal_cites_budget", "doc_contains", "exit_path_in", "erc_clean"])
def test_row_4_refusing_for_the_wrong_reason(kind: str) -> None:
    assert says(situation("refused", kind, expected="refusal")) == (4, "wrong-target")


@pytest.mark.parametrize("path", NOT_DONE)
def test_row_5_a_finish_that_the_gate_turned_down(path: str) -> None:
    found = situation(path, finish_turned_down=True, dominant_error="protocol")
    assert says(found) == (5, "obligation-open")


@pytest.mark.parametrize("path", NOT_DONE)
def test_rows_6_and_7_errors_that_dominate(path: str) -> None:
    assert says(situation(path, dominant_error="protocol")) == (6, "tool-protocol")
    assert says(situation(path, dominant_error="reverted")) == (7, "file-revert")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("turn-budget-exhausted", (8, "turn-budget")),
        ("cap-exceeded", (8, "turn-budget")),
        ("repair-cycles-exhausted", (9, "repair-exhausted")),
        ("commit-failed", (10, "commit-failed")),
        ("stalled", (11, "stalled")),
        ("provider-error", (11, "stalled")),
        ("session-limit", (11, "stalled")),
        ("no-run-end", (11, "stalled")),
    ],
)
def test_rows_8_to_11_the_exit_path_itself(path: str, expected: tuple[int, str]) -> None:
    assert says(situation(path, expected="refusal")) == expected


def test_row_12_complying_where_refusing_was_right() -> None:
    assert says(situation(expected="refusal", design_broken=True)) == (12, "constraint-violation")


def test_row_13_a_design_file_that_no_longer_loads() -> None:
    assert says(situation(kind="files_touched_subset", design_broken=True)) == (13, "file-revert")


@pytest.mark.parametrize("kind", sorted({*DIFF_TYPES, "constraint_registered"} - {"commit_count"}))
def test_row_14_out_of_bounds(kind: str) -> None:
    assert says(situation(kind=kind)) == (14, "constraint-violation")


@pytest.mark.parametrize("kind", VERIFY_TYPES)
def test_row_15_verification_left_open(kind: str) -> None:
    assert says(situation(kind=kind)) == (15, "repair-exhausted")


@pytest.mark.parametrize(
    ("commits", "category"),
    [(0, "commit-failed"), (None, "commit-failed"), (2, "constraint-violation"), (7, "constraint-violation")],
)
def test_row_16_no_commit_or_too_many(commits: int | None, category: str) -> None:
    assert says(situation(kind="commit_count", commits=commits)) == (16, category)


@pytest.mark.parametrize("kind", DOC_TYPES)
def test_row_17_documents_left_behind(kind: str) -> None:
    assert says(situation(kind=kind)) == (17, "drift-left")


@pytest.mark.parametrize("other", NET_TYPES)
def test_row_18_documents_left_behind_by_an_edit_that_missed(other: str) -> None:
    assert says(situation(kind="doc_contains", failed_types=frozenset({"doc_contains", other}))) == (18, "wrong-target")


@pytest.mark.parametrize("kind", [*NET_TYPES, "exit_path_in", "transcript_event"])
def test_row_18_anything_else(kind: str) -> None:
    assert says(situation(kind=kind, expected="flag")) == (18, "wrong-target")


@given(
    path=st.sampled_from([*ALL_PATHS, "something new"]),
    kind=st.sampled_from([None, *sorted(HANDLERS)]),
    expected=st.sampled_from(["edit", "refusal", "flag"]),
    others=st.frozensets(st.sampled_from(sorted(HANDLERS))),
    dominant=st.sampled_from([None, "protocol", "reverted", "gate"]),
    commits=st.sampled_from([None, 0, 1, 5]),
    flags=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_every_situation_has_exactly_one_category(
    path: str,
    kind: str | None,
    expected: str,
    others: frozenset[str],
    dominant: str | None,
    commits: int | None,
    flags: tuple[bool, bool, bool],
) -> None:
    found = situation(
        path,
        expected=expected,
        first=first(kind) if kind else None,
        failed_types=others,
        dominant_error=dominant,
        commits=commits,
        credential_found=flags[0],
        finish_turned_down=flags[1],
        design_broken=flags[2],
    )
    assert failure_category(found) in CATEGORIES


def test_every_category_is_given_by_some_row() -> None:
    given_by_rows = {each.gives(situation(commits=n)) for each in FAILURE_TABLE for n in (0, 1)}
    assert given_by_rows == set(CATEGORIES)


def test_a_run_that_broke_the_schematic_is_a_file_revert(world: Any, spec: Any, schematic: str) -> None:
    grade = world.write(schematic, "(broken").grade(spec("net_present", net="ALERT"))
    assert grade.failure_category == "file-revert"


def test_a_run_that_broke_the_board_is_a_file_revert_without_kicad(world: Any, spec: Any) -> None:
    world.write("copperbench-ldo-sensor.kicad_pcb", "(broken")
    assert world.grade(spec("net_present", net="NOWHERE")).failure_category == "file-revert"


def test_a_run_that_deleted_the_board_is_a_file_revert(world: Any, spec: Any) -> None:
    world.delete("copperbench-ldo-sensor.kicad_pcb")
    assert world.grade(spec("net_present", net="NOWHERE")).failure_category == "file-revert"


def test_a_run_whose_documents_lag_behind_left_drift(world: Any, spec: Any, schematic: str) -> None:
    world.edit(schematic, '(label "ALERT"', '(label "SENS_ALERT"')
    grade = world.grade(spec("net_absent", net="ALERT"), spec("drift_clean"))
    assert grade.failure_category == "drift-left"


def test_a_leak_is_a_violation_even_where_no_secret_is_not_required(world: Any, spec: Any) -> None:
    world.write("docs/SPEC.md", "sk-" + "a1B2" * 8)
    grade = world.grade(spec("net_present", net="NOWHERE"), spec("no_secret", required=False))
    assert grade.failure_category == "constraint-violation"
