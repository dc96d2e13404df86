"""Assertions that KiCad itself decides, under the fixture's own rules (STANDARD 4, baseline-relative verification)."""

from __future__ import annotations

from collections.abc import Iterator

from copperbench.evidence import Evidence, ReportKind, Unavailable, Unloadable, Unreadable
from copperbench.grading.args import NewViolations, NoArgs
from copperbench.grading.docs import drift_clean
from copperbench.grading.models import Outcome, Source
from copperbench.grading.registry import assertion, failed, listed, passed, unevaluable
from copperbench.kicad import Report, new_violations
from copperbench.scaffold import forbidden_pins

UNLOADABLE = "design no longer loads"


@assertion("erc_no_new_violations", source=Source.END_STATE)
def erc_no_new_violations(args: NewViolations, evidence: Evidence) -> Outcome:
    """No ERC violation beyond the recorded baseline, by type and count, at the severity and above (STANDARD 4)."""
    return _no_new(args, evidence, "erc")


@assertion("drc_no_new_violations", source=Source.END_STATE)
def drc_no_new_violations(args: NewViolations, evidence: Evidence) -> Outcome:
    """No DRC violation beyond the recorded baseline; unconnected items by count, parity by type (STANDARD 4)."""
    return _no_new(args, evidence, "drc")


@assertion("erc_clean", source=Source.END_STATE)
def erc_clean(_: NoArgs, evidence: Evidence) -> Outcome:
    """The ERC report has no violation of any severity (STANDARD 4)."""
    return _clean(evidence, "erc")


@assertion("drc_clean", source=Source.END_STATE)
def drc_clean(_: NoArgs, evidence: Evidence) -> Outcome:
    """The DRC report has no violation, unconnected item or parity item of any severity (STANDARD 4)."""
    return _clean(evidence, "drc")


@assertion("check_clean", source=Source.END_STATE)
def check_clean(args: NoArgs, evidence: Evidence) -> Outcome:
    """Our own check: strict ERC and DRC, no new drift, no forbidden pin in use; only on clean fixtures (STANDARD 4).

    One part that fails decides, whether or not KiCad has judged the others.
    """
    outcomes = list(_checks(args, evidence))
    for status in ("fail", "unevaluable"):
        found = [outcome for outcome in outcomes if outcome.status == status]
        if found:
            return found[0]
    return passed("ERC, DRC, documents and constraints are clean")


def _checks(args: NoArgs, evidence: Evidence) -> Iterator[Outcome]:
    kinds: tuple[ReportKind, ...] = ("erc", "drc") if evidence.fixture.board else ("erc",)
    for kind in kinds:
        yield _clean(evidence, kind)
    for check in (drift_clean, _no_forbidden_pin):
        try:
            yield check(args, evidence)
        except Unreadable as fault:
            yield failed(str(fault)) if fault.by_run else unevaluable(str(fault))


def _no_forbidden_pin(_: NoArgs, evidence: Evidence) -> Outcome:
    end = evidence.end_state
    used = forbidden_pins(tuple(end.constraints().values()), end.schematic(), end.netlist())
    if used:
        return failed(listed(used))
    return passed("no forbidden pin in use")


def _clean(evidence: Evidence, kind: ReportKind) -> Outcome:
    report = _judged(evidence, kind)
    if isinstance(report, Outcome):
        return report
    found = [*report.violations, *report.unconnected, *report.parity]
    if not found:
        return passed(f"{kind.upper()} is clean")
    types = sorted({violation.type for violation in found})
    return failed(f"{kind.upper()} has {len(found)} violations: {listed(types)}")


def _no_new(args: NewViolations, evidence: Evidence, kind: ReportKind) -> Outcome:
    report = _judged(evidence, kind)
    if isinstance(report, Outcome):
        return report
    comparison = new_violations(report, evidence.recorded[kind], args.severity)
    status = {"pass": passed, "fail": failed, "saturated": unevaluable}[comparison.status]
    return status(comparison.detail)


def _judged(evidence: Evidence, kind: ReportKind) -> Report | Outcome:
    """KiCad's report where it may be held against the baseline, else why not."""
    report = evidence.end_state.report(kind)
    if isinstance(report, Unavailable):
        return unevaluable(report.reason)
    if isinstance(report, Unloadable):
        return failed(f"{UNLOADABLE}: {report.reason}")
    recorded = evidence.recorded.get(kind)
    if recorded is None:
        return unevaluable(f"the fixture has no recorded {kind.upper()} report")
    if recorded.major != report.major:
        return unevaluable(f"judged by KiCad {report.kicad_version}, the baseline by {recorded.kicad_version}")
    return report
