"""Our init writes documents that are right, and the same ones everywhere."""

from __future__ import annotations

import json
import shutil

import pytest

from copperbench.kicad import load_schematic
from copperbench.scaffold import drift, init, tables
from copperbench.suite import load_fixture

OWN = ("copperbench-ldo-sensor", "copperbench-sensor-hub")


@pytest.fixture
def project(root, tmp_path):
    """A copy of one of our own boards, with the documents that init made of it."""

    def make(name: str, budgets=None):
        fixture = load_fixture(root / "fixtures" / name)
        place = tmp_path / name
        shutil.copytree(root / "fixtures" / name / "tree", place)
        written = init(place, fixture, budgets or {})
        return place, fixture, written

    return make


def row(place, doc, *key):
    return next(row for table in tables((place / doc).read_text()) for row in table.rows if row[: len(key)] == key)


def test_init_writes_seven_documents_and_the_records(project):
    assert project(OWN[0])[2] == (
        ".copperhead/README.md",
        ".copperhead/config.json",
        "docs/BOM.md",
        "docs/CHANGELOG.md",
        "docs/DECISIONS.md",
        "docs/LAYOUT.md",
        "docs/PINOUT.md",
        "docs/SPEC.md",
        "docs/SUBSYSTEMS.md",
    )


@pytest.mark.parametrize("name", OWN)
def test_the_documents_of_our_own_boards_do_not_drift(project, name):
    place, fixture, _ = project(name)
    docs = {f"docs/{doc.name}": doc.read_text() for doc in (place / "docs").iterdir()}
    assert drift(docs, load_schematic(place / fixture.schematic)) == ()


def test_a_net_that_only_a_label_in_the_middle_of_a_wire_names_is_right(project):
    assert row(project(OWN[0])[0], "docs/PINOUT.md", "U2", "3") == ("U2", "3", "ALERT", "ALERT", "")


def test_a_board_with_circuits_lists_their_pins_only(project):
    (table,) = tables((project(OWN[0])[0] / "docs/PINOUT.md").read_text())
    assert {cells[0] for cells in table.rows} == {"U1", "U2"}


def test_every_part_has_one_row_in_the_bill_however_many_units_it_has(project):
    place, fixture, _ = project(OWN[1])
    (table,) = tables((place / "docs/BOM.md").read_text())
    assert [cells[0] for cells in table.rows] == [
        part.refdes for part in load_schematic(place / fixture.schematic).symbols
    ]


def test_budgets_are_stated_in_the_specification(project):
    place, _, _ = project(OWN[0], {"standby_current_ua": 20, "vdd_volts": 1.8})
    assert "## Budgets\n\n- standby_current_ua: 20\n- vdd_volts: 1.8\n" in (place / "docs/SPEC.md").read_text()


def test_the_config_names_the_root_sheet_and_turns_the_cache_off(project):
    place, fixture, _ = project(OWN[1])
    config = json.loads((place / ".copperhead/config.json").read_text())
    assert (config["schematic"], config["board"], config["llmCache"]) == (fixture.schematic, fixture.board, False)


def test_nothing_of_the_machine_is_in_the_documents(project):
    place, _, written = project(OWN[0])
    assert not any(str(place.parent) in (place / path).read_text() for path in written)


def test_a_board_without_circuits_lists_all_pins_of_all_parts(shared):
    tree = shared / "fixtures/antmicro-microphone-board/tree"
    from copperbench.scaffold import write_documents

    sheet = "hardware/microphone-board.kicad_sch"
    (table,) = tables(write_documents(load_schematic(tree / sheet), sheet, {})["PINOUT.md"])
    assert [cells[:2] for cells in table.rows if cells[3] == "DATA"] == [("D4", "1"), ("J1", "5"), ("R1", "2")]


def test_a_pin_name_that_is_also_a_net_stays_in_its_own_column(shared):
    tree = shared / "fixtures/antmicro-microphone-board/tree"
    from copperbench.scaffold import write_documents

    sheet = "hardware/microphone-board.kicad_sch"
    (table,) = tables(write_documents(load_schematic(tree / sheet), sheet, {})["PINOUT.md"])
    assert [cells for cells in table.rows if cells[2] == "DATA"] == [("MK1", "1", "DATA", "Net-(MK1-DATA)", "")]
