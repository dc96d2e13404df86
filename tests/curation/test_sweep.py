"""A sweep measures every project that it finds, and gives each a row whatever is wrong with it."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from copperbench.curation import find_projects, folder_source
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


@pytest.mark.parametrize("expression", ["Apache-2.0 AND CC-BY-SA-4.0", "(MIT OR GPL-2.0-only)"])
def test_every_licence_of_an_expression_is_told(expression: str):
    names = re.findall(r"[A-Z][\w.-]*\d[\w.-]*|MIT", expression)
    assert identify(f"SPDX-License-Identifier: {expression}\n") == tuple(sorted(names))


def test_our_own_licence_is_recognised(root: Path):
    assert identify((root / "LICENSE").read_text()) == ("Apache-2.0",)


@pytest.mark.parametrize("board", ["antmicro-microphone-board", "openlighting-dmxsun-baseboard", "zhiayang-mikoto"])
def test_the_licences_of_the_obtained_boards_are_recognised(shared: Path, board: str):
    assert identify((shared / "fixtures" / board / "LICENSE").read_text()) == ("Apache-2.0",)


@pytest.fixture
def demos() -> Path:
    folder = Path(os.environ.get("KICAD_DEMOS") or "/opt/kicad-demos/usr/share/kicad/demos")
    if not (folder / "stickhub").is_dir():
        pytest.skip("needs the demo boards of Debian's kicad-demos (KICAD_DEMOS names their folder)")
    return folder


def published(root: Path) -> str:
    """The table of the sweep in FIXTURES.md."""
    text = (root / "fixtures/FIXTURES.md").read_text()
    return text[text.index("copperbench:sweep:begin") : text.index("copperbench:sweep:end")]


@pytest.mark.kicad
@pytest.mark.corpus
@pytest.mark.parametrize("name", ["stickhub", "ecc83", "interf_u", "pic_programmer", "multichannel", "microwave"])
def test_the_published_sweep_is_what_a_sweep_measures(copperbench, root: Path, demos: Path, name: str):
    rows = copperbench("fixture", "sweep", demos / name).stdout.splitlines()[2:-1]
    table = published(root).splitlines()
    assert [row for row in rows if row.replace("| ", f"| {name}/", 1) not in table] == []


def test_what_the_text_says_of_the_published_sweep_is_what_the_table_says(root: Path):
    rows = [line.strip("| ").split(" | ") for line in published(root).splitlines() if line.startswith("| ")][2:]
    assert [row[0].split("/")[-1] for row in rows if row[-1] == "clean"] == ["pic_programmer", "StickHub"]
    assert sum("net_conflict" in row[8] for row in rows) == 3


@pytest.mark.kicad
@pytest.mark.corpus
def test_the_published_sweep_has_a_row_for_every_demo(root: Path, demos: Path):
    projects = find_projects(folder_source(demos))
    rows = [line.split(" | ")[0].removeprefix("| ") for line in published(root).splitlines() if line.startswith("| ")]
    assert rows[2:] == [project.removesuffix(".kicad_pro") for project in projects]


def test_a_published_sweep_says_with_what_and_when(root: Path):
    assert re.search(r"kicad-demos [\d.]+, kicad-cli [\d.]+, \d{4}-\d\d-\d\d", published(root))
