"""A sweep measures every project that it finds, and gives each a row whatever is wrong with it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from copperbench.curation.licences import identify

BOARD = "copperbench-ldo-sensor"


@pytest.mark.kicad
def test_every_project_gets_a_row_and_the_rule_that_refuses_it(copperbench, candidate: Path):
    for name in ("old", "broken"):
        shutil.copytree(candidate / "hardware", candidate / name)
    (candidate / "old" / f"{BOARD}.kicad_sch").rename(candidate / "old" / f"{BOARD}.sch")
    (candidate / "broken" / f"{BOARD}.kicad_sch").write_text("(kicad_sch")
    done = copperbench("fixture", "sweep", candidate, "--json")
    rows = {
        row["project"].split("/")[0]: (row["verdict"], row["reason"].split(":")[0])
        for row in json.loads(done.stdout)["rows"]
    }
    assert rows == {"hardware": ("clean", ""), "old": ("refused", "legacy-format"), "broken": ("refused", "loads")}


@pytest.mark.kicad
def test_types_are_counted_and_named_in_the_table(copperbench, candidate: Path):
    sheet = candidate / "hardware" / f"{BOARD}.kicad_sch"
    sheet.write_text(sheet.read_text().replace('(property "Value" "1k"', '(property "Value" "2k"'))
    table = copperbench("fixture", "sweep", candidate).stdout
    row = next(line for line in table.splitlines() if BOARD in line)
    assert "footprint_symbol_mismatch 1" in row
    assert row.endswith("| to account for |")


@pytest.mark.kicad
def test_a_sweep_writes_nothing_among_the_candidates(copperbench, candidate: Path):
    before = {path: path.stat().st_mtime_ns for path in candidate.rglob("*")}
    copperbench("fixture", "sweep", candidate)
    assert {path: path.stat().st_mtime_ns for path in candidate.rglob("*")} == before


@pytest.mark.kicad
def test_a_folder_without_a_project_is_said_to_have_none(copperbench, tmp_path: Path):
    (tmp_path / "empty").mkdir()
    done = copperbench("fixture", "sweep", tmp_path / "empty")
    assert (done.returncode, "holds no KiCad project" in done.stderr) == (2, True)


def test_our_own_licence_is_recognised(root: Path):
    assert identify((root / "LICENSE").read_text()) == ("Apache-2.0",)


@pytest.mark.parametrize("board", ["antmicro-microphone-board", "openlighting-dmxsun-baseboard", "zhiayang-mikoto"])
def test_the_licences_of_the_obtained_boards_are_recognised(shared: Path, board: str):
    assert identify((shared / "fixtures" / board / "LICENSE").read_text()) == ("Apache-2.0",)
