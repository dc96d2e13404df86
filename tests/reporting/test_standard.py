"""The standard's tables are the code's: what is printed cannot drift from what decides."""

from __future__ import annotations

import shutil
import subprocess
import sys
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


def test_no_generated_text_of_a_document_was_edited(root: Path) -> None:
    done = standard(root, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def standard(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from copperbench.cli import main; main()", "standard", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """What the generated texts are made from, and the documents that hold them."""
    for name in ("config", "docs"):
        shutil.copytree(root / name, tmp_path / name)
    shutil.copy(root / "STANDARD.md", tmp_path)
    for path in (root / "fixtures/FIXTURES.md", *(root / "fixtures").glob("*/fixture.json")):
        target = tmp_path / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return tmp_path


@pytest.mark.parametrize(
    ("document", "was", "becomes", "remedy"),
    [
        ("STANDARD.md", "| 18 | done", "| 18 | finished", "run `copperbench standard`"),
        ("fixtures/FIXTURES.md", "| 5 / 73 |", "| 5 / 74 |", "run `copperbench standard`"),
        ("fixtures/FIXTURES.md", "`47bfd92d", "`47bfd92e", "run `copperbench standard`"),
        (
            "fixtures/FIXTURES.md",
            "| stickhub/StickHub | 20250901 | 1 / 94",
            "| stickhub/StickHub | 20250901 | 1 / 95",
            "`copperbench fixture sweep DIR` makes it again",
        ),
        (
            "docs/simulated-agents.md",
            "| idle | does nothing and says done | 0/",
            "| idle | does nothing and says done | 1/",
            "`snakemake profile` makes it again",
        ),
    ],
)
def test_a_figure_edited_by_hand_is_found_and_the_way_back_is_named(
    checkout: Path, document: str, was: str, becomes: str, remedy: str
) -> None:
    text = (checkout / document).read_text()
    assert was in text
    (checkout / document).write_text(text.replace(was, becomes, 1))
    done = standard(checkout, "--check")
    assert (done.returncode, done.stderr.count("\n"), done.stderr.startswith(f"{document}: ")) == (1, 1, True)
    assert remedy in done.stderr


def test_a_measured_text_without_its_mark_is_an_edited_one(checkout: Path) -> None:
    document = checkout / "docs/simulated-agents.md"
    document.write_text("".join(document.read_text().splitlines(keepends=True)[:-1]))
    assert standard(checkout, "--check").returncode == 1


def test_the_boards_tables_follow_a_manifest(checkout: Path) -> None:
    manifest = checkout / "fixtures/copperbench-sensor-hub/fixture.json"
    manifest.write_text(manifest.read_text().replace('"complexity": "medium"', '"complexity": "hard"'))
    assert "boards" in standard(checkout, "--check").stderr
    assert standard(checkout).returncode == 0
    assert standard(checkout, "--check").returncode == 0
