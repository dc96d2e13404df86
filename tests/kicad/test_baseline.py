"""The promises of the comparison with a recorded baseline."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.errors import CopperbenchError
from copperbench.kicad.baseline import new_violations
from copperbench.kicad.reports import Kind, Report, Violation


def found(severity: str, **counts: int) -> tuple[Violation, ...]:
    return tuple(Violation(kind, severity, "", str(i)) for kind, n in counts.items() for i in range(n))


def report(
    *violations: tuple[Violation, ...],
    kind: Kind = "drc",
    unconnected: int = 0,
    parity: tuple[Violation, ...] = (),
    version: str = "10.0.6",
) -> Report:
    flat = tuple(sorted(v for group in violations for v in group))
    return Report(kind, version, flat, found("warning", unconnected_items=unconnected), parity)


def test_what_the_baseline_holds_is_allowed() -> None:
    same = report(found("error", courtyards_overlap=1))
    assert new_violations(same, same, "error").status == "pass"


def test_a_new_type_fails_and_is_named_with_its_counts() -> None:
    comparison = new_violations(report(found("error", pin_not_connected=2), kind="erc"), report(kind="erc"), "error")
    assert (comparison.status, comparison.detail) == ("fail", "pin_not_connected 2 (baseline 0)")


def test_more_of_a_recorded_type_fails() -> None:
    comparison = new_violations(report(found("error", clearance=3)), report(found("error", clearance=2)), "error")
    assert comparison.detail == "clearance 3 (baseline 2)"


def test_fewer_of_one_type_do_not_pay_for_another() -> None:
    before, after = report(found("error", clearance=5)), report(found("error", shorting_items=1))
    assert new_violations(after, before, "error").detail == "shorting_items 1 (baseline 0)"


def test_a_new_warning_passes_at_error() -> None:
    assert new_violations(report(found("warning", silk_overlap=1)), report(), "error").status == "pass"


def test_a_new_warning_fails_at_warning() -> None:
    assert new_violations(report(found("warning", silk_overlap=1)), report(), "warning").status == "fail"


def test_an_error_cannot_hide_behind_a_warning_that_went_away() -> None:
    before = report(found("error", pin_to_pin=3), found("warning", pin_to_pin=9))
    after = report(found("error", pin_to_pin=12))
    assert new_violations(after, before, "warning").detail == "pin_to_pin 12 (baseline 3)"


def test_unconnected_items_count_whatever_their_severity() -> None:
    assert new_violations(report(unconnected=1), report(), "error").detail == "unconnected_items 1 (baseline 0)"


def test_parity_counts_at_its_severity() -> None:
    renamed = report(parity=found("warning", net_conflict=3))
    statuses = [new_violations(renamed, report(), severity).status for severity in ("error", "warning")]
    assert statuses == ["pass", "fail"]


def test_a_parity_finding_is_named_as_one() -> None:
    missing = report(parity=found("error", missing_footprint=1))
    assert new_violations(missing, report(), "error").detail == "parity missing_footprint 1 (baseline 0)"


def test_a_type_recorded_at_the_ceiling_cannot_tell() -> None:
    full = report(found("warning", lib_footprint_issues=199))
    comparison = new_violations(full, full, "warning")
    assert comparison.status == "saturated"
    assert comparison.detail == "lib_footprint_issues is saturated (199, and KiCad counts no further)"


def test_a_saturated_warning_does_not_matter_at_error() -> None:
    full = report(found("warning", lib_footprint_issues=199))
    assert new_violations(full, full, "error").status == "pass"


def test_another_type_fails_a_saturated_comparison() -> None:
    full = report(found("error", clearance=199))
    worse = report(found("error", clearance=199, shorting_items=1))
    comparison = new_violations(worse, full, "error")
    assert comparison.status == "fail"
    assert "clearance is saturated" in comparison.detail


def test_the_ceiling_over_a_lower_record_fails() -> None:
    comparison = new_violations(report(found("error", clearance=199)), report(found("error", clearance=198)), "error")
    assert comparison.detail == "clearance 199 (baseline 198)"


def test_fewer_than_the_ceiling_is_a_true_count() -> None:
    full = report(found("error", clearance=199))
    assert new_violations(report(found("error", clearance=198)), full, "error").status == "pass"


def test_more_than_the_ceiling_over_a_record_of_it_fails() -> None:
    full = report(found("error", clearance=199))
    assert new_violations(report(found("error", clearance=200)), full, "error").status == "fail"


def test_erc_has_no_ceiling() -> None:
    many = report(found("warning", lib_symbol_issues=199), kind="erc")
    assert new_violations(many, many, "warning").status == "pass"


@pytest.mark.parametrize("other", [report(kind="erc"), report(version="9.0.8")])
def test_reports_that_do_not_correspond_are_refused(other: Report) -> None:
    with pytest.raises(CopperbenchError):
        new_violations(other, report(), "error")


counts = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 4))


@given(counts, counts, st.sampled_from(["error", "warning"]))
def test_it_passes_exactly_when_no_count_rises(before: dict[str, int], after: dict[str, int], severity: str) -> None:
    comparison = new_violations(report(found(severity, **after)), report(found(severity, **before)), "warning")
    risen = any(after[kind] > before.get(kind, 0) for kind in after)
    assert (comparison.status == "fail") == risen
