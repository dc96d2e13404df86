"""The standard's tables are the code's: what is printed cannot drift from what decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from copperbench.errors import CopperbenchError
from copperbench.evidence import EXIT_PATHS
from copperbench.grading import CATEGORIES, FAILURE_TABLE, HANDLERS
from copperbench.reporting.standard import REGIONS, filled, stale_regions

BARE = "".join(f"<!-- generated: {name} -->\n<!-- end -->\n" for name in REGIONS)


def test_the_standard_s_tables_are_what_the_code_has(root: Path) -> None:
    assert stale_regions((root / "STANDARD.md").read_text(), "STANDARD.md") == ()


def test_a_cell_that_was_edited_by_hand_is_found_and_its_table_named(root: Path) -> None:
    text = (root / "STANDARD.md").read_text()
    assert stale_regions(text.replace("| 18 | done", "| 18 | finished"), "STANDARD.md") == ("failure-categories",)


def test_filling_twice_changes_nothing() -> None:
    assert filled(once := filled(BARE, "x.md"), "x.md") == once


def test_every_type_of_the_vocabulary_stands_in_its_table_once() -> None:
    table = filled(BARE, "x.md")
    assert [name for name in HANDLERS if table.count(f"\n| `{name}` |") != 1] == []


def test_every_row_and_category_of_the_decision_table_is_printed() -> None:
    rows = REGIONS["failure-categories"]().splitlines()[2:]
    assert len(rows) == len(FAILURE_TABLE)
    assert [name for name in CATEGORIES if not any(name in row for row in rows)] == []


def test_every_exit_path_is_printed() -> None:
    assert [path for path in EXIT_PATHS if f"`{path}`" not in REGIONS["exit-paths"]()] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (BARE.replace("segments", "sediments"), "no region is called 'sediments'"),
        ("", "region 'vocabulary' is missing"),
    ],
)
def test_a_region_that_is_unknown_or_missing_is_named(text: str, what: str) -> None:
    with pytest.raises(CopperbenchError, match=what):
        filled(text, "x.md")
