"""The promises of the report reader."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.errors import CopperbenchError
from copperbench.kicad.reports import Report
from copperbench.publish import json_bytes


def entry(kind: str, severity: str = "error", *items: str, **more: Any) -> dict[str, Any]:
    described = [{"uuid": "u", "description": item, "pos": {"x": 1.0, "y": 2.0}} for item in items]
    return {"type": kind, "severity": severity, "description": f"about {kind}", "items": described, **more}


def erc(*sheets: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    return {
        "$schema": "https://schemas.kicad.org/erc.v1.json",
        "source": "board.kicad_sch",
        "date": "2026-01-01T00:00:00",
        "kicad_version": "10.0.6",
        "ignored_checks": [{"key": "four_way_junction", "description": "Four"}],
        "sheets": [{"path": path, "uuid_path": "/u", "violations": found} for path, found in sheets],
    }


def drc(*violations: dict[str, Any], unconnected: int = 0, parity: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {
        "source": "board.kicad_pcb",
        "date": "2026-01-01T00:00:00",
        "kicad_version": "10.0.6",
        "violations": list(violations),
        "unconnected_items": [entry("unconnected_items", "error", f"Pad {i}") for i in range(unconnected)],
        "schematic_parity": list(parity),
    }


def test_erc_findings_of_every_sheet_count() -> None:
    report = Report.from_json(erc(("/", [entry("a")]), ("/Power/", [entry("a"), entry("b", "warning")])), "erc.json")
    assert report.counts() == {"a": 2, "b": 1}


def test_a_finding_knows_its_sheet() -> None:
    report = Report.from_json(erc(("/Power/", [entry("a")])), "erc.json")
    assert report.violations[0].where == "/Power/"


def test_errors_are_counted_without_warnings() -> None:
    report = Report.from_json(drc(entry("a"), entry("b", "warning")), "drc.json")
    assert report.counts("error") == {"a": 1}


def test_unconnected_items_and_parity_are_lists_of_their_own() -> None:
    report = Report.from_json(drc(unconnected=2, parity=(entry("net_conflict", "warning"),)), "drc.json")
    assert report.counts() == {}
    assert (len(report.unconnected), report.counts("warning", "parity")) == (2, {"net_conflict": 1})


def test_a_description_names_the_items() -> None:
    report = Report.from_json(drc(entry("clearance", "error", "Track B", "Pad A")), "drc.json")
    assert report.violations[0].description == "about clearance: Pad A; Track B"


def test_the_day_and_the_place_of_measuring_leave_no_trace() -> None:
    first = drc(entry("a", "error", "Pad 1"))
    later = deepcopy(first) | {"date": "2030-12-31T23:59:59", "source": "/home/someone/board.kicad_pcb"}
    later["violations"][0]["items"][0]["pos"] = {"x": 9.0, "y": 9.0}
    assert json_bytes(Report.from_json(first, "a").to_json()) == json_bytes(Report.from_json(later, "b").to_json())


def test_an_exclusion_is_no_violation() -> None:
    assert Report.from_json(drc(entry("a", excluded=True)), "drc.json").is_clean


def test_switched_off_checks_are_kept() -> None:
    assert Report.from_json(erc(), "erc.json").ignored == ("four_way_junction",)


def test_a_report_of_kicad_9_without_ignored_checks_is_read() -> None:
    raw = erc(("/", [entry("a")])) | {"kicad_version": "9.0.8"}
    del raw["ignored_checks"]
    assert Report.from_json(raw, "erc.json").major == 9


entries = st.builds(entry, st.sampled_from("abc"), st.sampled_from(["error", "warning"]), st.text(max_size=5))


@given(st.lists(entries, max_size=8), st.randoms(use_true_random=False))
def test_the_order_in_which_kicad_lists_is_forgotten(found: list[dict[str, Any]], random: Any) -> None:
    shuffled = list(found)
    random.shuffle(shuffled)
    assert Report.from_json(drc(*found), "a") == Report.from_json(drc(*shuffled), "b")


@given(st.lists(entries, max_size=8), st.lists(entries, max_size=8))
def test_the_normalised_form_reads_back(violations: list[dict[str, Any]], parity: list[dict[str, Any]]) -> None:
    report = Report.from_json(drc(*violations, unconnected=1, parity=tuple(parity)), "a")
    assert Report.from_json(json.loads(json_bytes(report.to_json())), "b") == report


@pytest.mark.parametrize(
    ("broken", "place"),
    [
        ([], r"\$: "),
        ({}, r"\$\.kicad_version"),
        ({"kicad_version": "10.0.6"}, r"\$: is neither"),
        ({"kicad_version": "ten"}, r"\$\.kicad_version"),
        (erc(("/", [entry("a", "loud")])), r"\$\.sheets\[0\]\.violations\[0\]\.severity: 'loud'"),
        (drc({"type": 1}), r"\$\.violations\[0\]"),
        (drc() | {"schematic_parity": {}}, r"\$\.schematic_parity"),
        ({"kind": "lvs", "kicadVersion": "10.0.6"}, r"\$\.kind"),
        ({"kind": "erc", "kicadVersion": "10.0.6", "violations": [{}]}, r"\$\.violations\[0\]\.type"),
        ({"kind": "erc", "kicadVersion": "10.0.6", "ignored": "all"}, r"\$\.ignored"),
    ],
)
def test_a_malformed_report_is_named_with_its_place(broken: object, place: str) -> None:
    with pytest.raises(CopperbenchError, match=rf"^baseline/erc\.json: {place}"):
        Report.from_json(broken, "baseline/erc.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "violations", "sheets", "kicad_version", "items", "type"]), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_no_json_at_all_gives_a_traceback(value: object) -> None:
    try:
        report = Report.from_json(value, "x")
    except CopperbenchError:
        return
    assert report.major >= 0
