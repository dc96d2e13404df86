"""What KiCad decides: held against the baseline, and never passed where nobody looked."""

from __future__ import annotations

from typing import Any

import pytest

from copperbench.evidence import Unloadable
from copperbench.kicad import Violation

TYPES = ["erc_no_new_violations", "drc_no_new_violations", "erc_clean", "drc_clean", "check_clean"]
UNCONNECTED = Violation("unconnected_items", "error", "", "x")
PARITY = Violation("net_conflict", "warning", "", "x")


@pytest.mark.parametrize("kind", TYPES)
def test_without_kicad_nothing_passes_and_nothing_fails(world: Any, kind: str) -> None:
    assert world.status(kind) == "unevaluable"


@pytest.mark.parametrize("kind", TYPES)
def test_clean_reports_pass(world: Any, report: Any, kind: str) -> None:
    assert world.judged(report("erc"), report("drc")).status(kind) == "pass"


@pytest.mark.parametrize("kind", TYPES)
def test_a_design_that_no_longer_loads_fails(world: Any, kind: str) -> None:
    world.judged(Unloadable("x.kicad_sch: cannot be loaded"), Unloadable("x.kicad_pcb: cannot be loaded"))
    outcome = world.judge(kind)
    assert (outcome.status, outcome.detail[:23]) == ("fail", "design no longer loads:")


@pytest.mark.parametrize("kind", TYPES)
def test_reports_of_another_major_version_decide_nothing(world: Any, report: Any, kind: str) -> None:
    bad = ("pin_not_connected", "error")
    world.judged(report("erc", bad, version="9.0.8"), report("drc", bad, version="9.0.8"))
    assert world.status(kind) == "unevaluable"


@pytest.mark.parametrize("kind", TYPES[:2])
def test_a_type_that_the_baseline_lacks_is_named(world: Any, report: Any, kind: str) -> None:
    bad = ("pin_not_connected", "error")
    world.judged(report("erc", bad), report("drc", bad))
    assert world.judge(kind).detail == "pin_not_connected 1 (baseline 0)"


def test_what_the_baseline_recorded_is_allowed_by_count(world: Any, report: Any) -> None:
    bad = ("pin_not_connected", "error")
    world.recorded["erc"] = report("erc", bad, bad)
    assert world.judged(report("erc", bad, bad)).status("erc_no_new_violations") == "pass"
    assert world.judged(report("erc", bad, bad, bad)).status("erc_no_new_violations") == "fail"


def test_warnings_count_when_asked_for(world: Any, report: Any) -> None:
    world.judged(report("erc", ("endpoint_off_grid", "warning")))
    assert world.status("erc_no_new_violations") == "pass"
    assert world.status("erc_no_new_violations", severity="warning") == "fail"


@pytest.mark.parametrize("kind", ["erc_clean", "check_clean"])
def test_clean_means_no_warning_either(world: Any, report: Any, kind: str) -> None:
    assert world.judged(report("erc", ("endpoint_off_grid", "warning"))).status(kind) == "fail"


@pytest.mark.parametrize("part", [{"unconnected": (UNCONNECTED,)}, {"parity": (PARITY,)}])
def test_clean_means_nothing_unconnected_and_full_parity(world: Any, report: Any, part: dict[str, Any]) -> None:
    assert world.judged(report("erc"), report("drc", **part)).status("drc_clean") == "fail"


def test_a_saturated_type_is_named_and_decides_nothing(world: Any, report: Any) -> None:
    many = [("silk_overlap", "error")] * 199
    world.recorded["drc"] = report("drc", *many)
    outcome = world.judged(report("erc"), report("drc", *many)).judge("drc_no_new_violations")
    assert (outcome.status, "silk_overlap is saturated" in outcome.detail) == ("unevaluable", True)


def test_a_saturated_type_saves_no_run_from_another_failure(world: Any, report: Any) -> None:
    many = [("silk_overlap", "error")] * 199
    world.recorded["drc"] = report("drc", *many)
    world.judged(report("erc"), report("drc", *many, ("clearance", "error")))
    assert world.status("drc_no_new_violations") == "fail"


def test_a_fixture_without_a_recorded_report_decides_nothing(world: Any, report: Any) -> None:
    world.recorded.clear()
    assert world.judged(report("erc")).status("erc_no_new_violations") == "unevaluable"


def test_a_check_fails_on_drift_though_kicad_has_not_looked(world: Any) -> None:
    world.edit("docs/BOM.md", "| R2 | 1k |", "| R2 | 2k2 |")
    assert world.judge("check_clean").detail == "docs/BOM.md: R2 Value '2k2', the schematic has '1k'"


def test_a_check_fails_on_a_forbidden_pin_in_use(world: Any, report: Any) -> None:
    forbidden = '{"no_alert": {"forbidden": ["ALERT"], "source": "docs/SPEC.md", "affects": []}}'
    world.baseline_too(".copperhead/constraints.json", forbidden).judged(report("erc"), report("drc"))
    assert "ALERT" in world.judge("check_clean").detail


def test_a_check_fails_on_a_schematic_that_the_run_broke_even_without_kicad(world: Any, schematic: str) -> None:
    assert world.write(schematic, "(broken").status("check_clean") == "fail"
