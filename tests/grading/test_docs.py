"""Documents and constraints: what the run wrote down, and what it must not have changed there."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from copperbench.grading import docs
from copperbench.suite import patterns

CONSTRAINTS = ".copperhead/constraints.json"
CONFIG = ".copperhead/config.json"
KEY = "standby_current_ua"
CATASTROPHE = r"^(a|a)+$"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns get a twentieth of a second."""
    monkeypatch.setattr(patterns.Pattern.search, "__defaults__", (0.05,))


def entry(**changed: Any) -> str:
    return json.dumps({KEY: {"affects": [], "source": "config.budgets", "value": 20} | changed})


def config(world: Any, budgets: dict[str, Any]) -> str:
    return json.dumps(json.loads((world.folder / CONFIG).read_text()) | {"budgets": budgets})


@pytest.mark.parametrize("doc", ["PINOUT.md", "docs/PINOUT.md"])
def test_a_document_is_found_as_given_and_under_docs(world: Any, doc: str) -> None:
    assert world.status("doc_contains", doc=doc, pattern=r"^\| U2 \| 3 \| ALERT \|") == "pass"


def test_a_document_at_the_given_place_comes_first(world: Any) -> None:
    world.write("PINOUT.md", "nothing here\n")
    assert world.status("doc_contains", doc="PINOUT.md", pattern="ALERT") == "fail"


def test_absence_in_a_document_is_asked_for_explicitly(world: Any) -> None:
    assert world.status("doc_contains", doc="PINOUT.md", pattern="PDM_DATA", absent=True) == "pass"
    assert world.status("doc_contains", doc="PINOUT.md", pattern="ALERT", absent=True) == "fail"


def test_a_deleted_document_contains_nothing_and_lacks_nothing(world: Any) -> None:
    world.delete("docs/PINOUT.md")
    assert (
        world.judge("doc_contains", doc="PINOUT.md", pattern="X", absent=True).detail
        == "there is no document PINOUT.md"
    )
    assert world.status("doc_contains", doc="PINOUT.md", pattern="ALERT") == "fail"


def test_a_document_replaced_by_a_link_is_no_document(world: Any) -> None:
    world.link("docs/PINOUT.md", "/etc/hostname")
    assert world.status("doc_contains", doc="PINOUT.md", pattern="X", absent=True) == "fail"


def test_a_document_of_50_mb_fails_without_being_searched(world: Any) -> None:
    world.write("docs/PINOUT.md", b"a" * 50_000_000)
    outcome = world.judge("doc_contains", doc="PINOUT.md", pattern="X", absent=True)
    assert (outcome.status, outcome.detail) == ("fail", "docs/PINOUT.md: has 50000000 bytes, which no document needs")


@pytest.mark.usefixtures("hurried")
def test_a_pattern_that_runs_away_on_what_the_run_wrote_fails(world: Any) -> None:
    world.write("docs/SPEC.md", "a" * 40 + "!\n")
    outcome = world.judge("doc_contains", doc="SPEC.md", pattern=CATASTROPHE)
    assert (outcome.status, "is not done after" in outcome.detail) == ("fail", True)


@pytest.mark.usefixtures("hurried")
def test_a_pattern_that_runs_away_on_the_baselines_own_text_is_not_the_runs_fault(world: Any) -> None:
    world.baseline_too("docs/SPEC.md", "a" * 40 + "!\n")
    assert world.status("doc_contains", doc="SPEC.md", pattern=CATASTROPHE) == "unevaluable"


def test_bytes_that_are_not_utf8_do_not_stop_a_search(world: Any) -> None:
    world.write("docs/SPEC.md", b"\xff\xfe budget \x00 20\n")
    assert world.status("doc_contains", doc="SPEC.md", pattern="budget") == "pass"


def test_a_row_is_found_by_its_first_cell(world: Any) -> None:
    assert world.status("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="^1k$") == "pass"
    assert world.judge("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="^2k2$").detail == (
        "docs/BOM.md: Value of R2 is '1k'"
    )


def test_a_pin_is_found_by_reference_and_number(world: Any) -> None:
    assert world.status("doc_row_matches", doc="PINOUT.md", key="U2:3", column="net", pattern="^ALERT$") == "pass"
    assert world.status("doc_row_matches", doc="PINOUT.md", key="U2:1", column="net", pattern="^ALERT$") == "fail"


def test_a_second_row_of_the_same_key_must_match_as_well(world: Any) -> None:
    text = (world.folder / "docs/BOM.md").read_text()
    world.write("docs/BOM.md", f"{text}\nMore:\n\n| Refdes | Value |\n| --- | --- |\n| R2 | 2k2 |\n")
    assert world.status("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="^1k$") == "fail"


@pytest.mark.parametrize(
    "args",
    [
        {"doc": "BOM.md", "key": "R99", "column": "Value"},
        {"doc": "BOM.md", "key": "R2", "column": "Colour"},
        {"doc": "NOTES.md", "key": "R2", "column": "Value"},
    ],
)
def test_no_row_column_or_document_fails(world: Any, args: dict[str, str]) -> None:
    assert world.status("doc_row_matches", pattern=".*", **args) == "fail"


@pytest.mark.usefixtures("hurried")
def test_a_row_whose_cell_runs_away_fails(world: Any) -> None:
    world.edit("docs/BOM.md", "| R2 | 1k |", f"| R2 | {'a' * 40}! |")
    assert world.status("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern=CATASTROPHE) == "fail"


def test_many_slow_rows_together_are_bounded_too(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "SEARCHING_S", -1.0)
    world.edit("docs/BOM.md", "| R2 | 1k |", "| R2 | 2k2 |")
    assert (
        "is not done after"
        in world.judge("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="1").detail
    )


def test_a_table_of_a_million_rows_is_no_document(world: Any) -> None:
    world.write("docs/BOM.md", "| Refdes | Value |\n| --- | --- |\n" + "| R2 | 1k |\n" * 400_000)
    assert world.status("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="1k") == "fail"


def test_a_table_too_long_in_the_baseline_already_cannot_be_judged(world: Any) -> None:
    world.baseline_too("docs/BOM.md", "| Refdes | Value |\n| --- | --- |\n" + "| R2 | 1k |\n" * 400_000)
    assert world.status("doc_row_matches", doc="BOM.md", key="R2", column="Value", pattern="1k") == "unevaluable"


def test_a_budget_left_alone_is_registered(world: Any) -> None:
    assert world.status("constraint_registered", key=KEY, source="config.budgets", affects=[]) == "pass"


@pytest.mark.parametrize(
    ("field", "value"), [("value", 500), ("value", "20"), ("value", None), ("value", True), ("value", 20.001)]
)
def test_a_budget_relaxed_in_the_constraints_fails(world: Any, field: str, value: object) -> None:
    assert world.write(CONSTRAINTS, entry(**{field: value})).status("constraint_registered", key=KEY) == "fail"


@pytest.mark.parametrize("budgets", [{KEY: 500}, {}, {KEY: "20"}])
def test_a_budget_relaxed_in_the_configuration_fails(world: Any, budgets: dict[str, Any]) -> None:
    world.write(CONFIG, config(world, budgets))
    assert world.status("constraint_registered", key=KEY) == "fail"


@pytest.mark.parametrize("bound", ["min", "max"])
def test_a_bound_that_the_baseline_held_counts_like_the_value(world: Any, bound: str) -> None:
    world.baseline_too(CONSTRAINTS, entry(**{bound: 5}))
    assert world.status("constraint_registered", key=KEY) == "pass"
    assert world.write(CONSTRAINTS, entry(**{bound: 6})).status("constraint_registered", key=KEY) == "fail"


def test_the_same_number_written_otherwise_is_the_same(world: Any) -> None:
    world.write(CONSTRAINTS, entry(value=20.0).replace("20.0", "2e1"))
    assert world.status("constraint_registered", key=KEY) == "pass"


def test_a_budget_that_stands_twice_is_not_read_at_all(world: Any) -> None:
    one = entry()[:-1]
    world.write(CONSTRAINTS, f'{one}, "{KEY}": {{"value": 500, "source": "x", "affects": []}}}}')
    outcome = world.judge("constraint_registered", key=KEY)
    assert (outcome.status, "twice" in outcome.detail) == ("fail", True)


def test_a_new_constraint_is_registered_with_source_and_affects(world: Any) -> None:
    added = json.loads(entry()) | {"led_current_ma": {"max": 5, "source": "docs/SPEC.md", "affects": ["BOM.md", "R2"]}}
    world.write(CONSTRAINTS, json.dumps(added))
    args = {"key": "led_current_ma", "source": "docs/SPEC.md", "affects": ["R2"]}
    assert world.status("constraint_registered", **args) == "pass"
    assert world.status("constraint_registered", **args | {"source": "elsewhere"}) == "fail"
    assert world.status("constraint_registered", **args | {"affects": ["R2", "R3"]}) == "fail"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 200_000, b'{"standby_current_ua": 20}', b"null"])
@pytest.mark.parametrize("path", [CONSTRAINTS, CONFIG])
def test_a_constraints_or_config_file_that_the_run_broke_fails(world: Any, path: str, content: bytes) -> None:
    assert world.write(path, content).status("constraint_registered", key=KEY) == "fail"


@pytest.mark.parametrize("path", [CONSTRAINTS, CONFIG])
def test_a_constraints_or_config_file_that_the_run_deleted_fails(world: Any, path: str) -> None:
    assert world.delete(path).status("constraint_registered", key=KEY) == "fail"


def test_a_constraints_file_broken_from_the_start_is_not_the_runs_fault(world: Any) -> None:
    world.baseline_too(CONSTRAINTS, "{")
    assert world.status("constraint_registered", key=KEY) == "unevaluable"


def test_documents_that_follow_the_drawing_do_not_drift(world: Any, schematic: str) -> None:
    world.edit(schematic, '(label "ALERT"', '(label "SENS_ALERT"')
    world.edit("docs/PINOUT.md", "| U2 | 3 | ALERT | ALERT |", "| U2 | 3 | ALERT | SENS_ALERT |")
    assert world.status("drift_clean") == "pass"


def test_documents_left_behind_drift(world: Any, schematic: str) -> None:
    world.edit(schematic, '(label "ALERT"', '(label "SENS_ALERT"')
    outcome = world.judge("drift_clean")
    assert outcome.detail == "docs/PINOUT.md: U2:3 Net 'ALERT', the schematic has 'SENS_ALERT'"


def test_drift_of_the_baseline_is_not_the_runs(world: Any) -> None:
    world.baseline_too("docs/BOM.md", (world.folder / "docs/BOM.md").read_text().replace("| R2 | 1k |", "| R2 | 2k2 |"))
    assert world.judge("drift_clean").detail == "no new drift (1 known)"


@pytest.mark.parametrize("doc", ["docs/BOM.md", "docs/PINOUT.md"])
def test_deleting_a_document_is_no_way_to_agree(world: Any, doc: str) -> None:
    assert world.delete(doc).judge("drift_clean").detail == f"deleted: {doc}"


def test_a_pipe_where_a_document_was_does_not_hang(world: Any) -> None:
    world.delete("docs/BOM.md")
    os.mkfifo(world.folder / "docs/BOM.md")
    assert world.status("drift_clean") == "fail"
    assert world.status("doc_contains", doc="BOM.md", pattern="R2") == "fail"
