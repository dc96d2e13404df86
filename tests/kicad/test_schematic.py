"""The schematic model: parts, sheets and names; and designs that try to lead the reader astray."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from copperbench.errors import KicadFileError
from copperbench.kicad import NameUse, Sheet, load_schematic, netlist
from copperbench.kicad.schematic import stacked

DUAL = "symbol DUAL 1|A|input|-2|0|u1 2|Y|output|2|0|u1 3|A|input|-2|0|u2 10|V|power_in|0|2|u0"


def test_a_part_of_several_units_is_one_symbol(draw):
    drawn = load_schematic(draw(f"{DUAL}\nDUAL U1 10 10 unit=2\nDUAL U1 30 10 unit=1"))
    assert [(part.refdes, [pin.number for pin in part.pins]) for part in drawn.symbols] == [
        ("U1", ["1", "2", "3", "10"])
    ]


def test_power_symbols_and_hash_references_are_no_parts(draw):
    drawn = load_schematic(draw("R R1 10 10\nR #R2 20 10\npower GND 10 12"))
    assert [part.refdes for part in drawn.symbols] == ["R1"]


def test_parts_come_in_natural_order(draw):
    drawn = load_schematic(draw("R R10 10 10\nR R9 20 10\nR C1 30 10"))
    assert [part.refdes for part in drawn.symbols] == ["C1", "R9", "R10"]


def test_a_part_tells_value_fields_and_attributes(draw):
    part = load_schematic(draw("R R1 10 10 value=4k7 dnp=yes in_bom=no f.MPN=X1")).symbol("R1")
    assert (part.value, part.dnp, part.in_bom, part.on_board, part.fields["MPN"]) == ("4k7", True, False, True, "X1")


def test_fields_show_their_variables(draw):
    part = load_schematic(draw("R R1 10 10 value=4k7 f.Note=${VALUE}-${REFERENCE}")).symbol("R1")
    assert part.fields["Note"] == "4k7-R1"


def test_a_part_on_a_sheet_used_twice_is_two_parts(draw):
    drawn = load_schematic(draw("sheet A sub at=60,60\nsheet B sub at=60,80\nfile sub\nR R1,R2 10 10"))
    assert [(part.refdes, part.sheet) for part in drawn.symbols] == [("R1", "/A/"), ("R2", "/B/")]


def test_a_part_on_a_sheet_that_is_not_on_the_board_is_not_either(draw):
    drawn = load_schematic(draw("sheet A sub on_board=no\nfile sub\nR R1 10 10"))
    assert drawn.symbol("R1").on_board is False


def test_sheets_tell_path_name_and_file(draw):
    drawn = load_schematic(draw("sheet Power sub\nfile sub\nR R1 10 10"))
    assert drawn.sheets == (Sheet("/", "", "root.kicad_sch"), Sheet("/Power/", "Power", "sub.kicad_sch"))


def test_every_name_is_listed_dangling_or_not(draw):
    drawn = load_schematic(
        draw(
            "label A/B 1 1\nglobal G 2 2\nhier H 3 3\npower +5V 4 4\npower PWR_FLAG 5 5 type=power_out"
            "\nsheet S sub\npin P 60 65\nfile sub\nlabel L 1 1"
        )
    )
    assert set(drawn.names) == {
        NameUse("label", "A/B", "/"),
        NameUse("global_label", "G", "/"),
        NameUse("hierarchical_label", "H", "/"),
        NameUse("power", "+5V", "/"),
        NameUse("sheet_pin", "P", "/"),
        NameUse("label", "L", "/S/"),
    }


@pytest.mark.parametrize(
    ("number", "numbers"),
    [
        ("7", ("7",)),
        ("[1-3]", ("1", "2", "3")),
        ("[A1-A2,B7]", ("A1", "A2", "B7")),
        ("[A1-B2]", ("[A1-B2]",)),
        ("[]", ("[]",)),
        ("[1-99999999]", ("[1-99999999]",)),
    ],
)
def test_a_stacked_number_is_its_pins(number, numbers):
    assert stacked(number) == numbers


def test_a_table_of_instances_in_the_root_names_the_parts_of_format_6(tmp_path):
    root = tmp_path / "old.kicad_sch"
    root.write_text(
        '(kicad_sch (version 20211123) (generator eeschema) (uuid 11111111-1111-4111-8111-111111111111) (paper "A4")'
        '(lib_symbols (symbol "t:R" (property "Reference" "R" (id 0) (at 0 0 0)) (symbol "R_1_1"'
        ' (pin passive line (at 0 2.54 0) (length 0) (name "~") (number "1")))))'
        '(symbol (lib_id "t:R") (at 10 10 0) (unit 1) (in_bom yes) (on_board yes)'
        ' (uuid 22222222-2222-4222-8222-222222222222) (property "Reference" "R?" (id 0) (at 0 0 0))'
        ' (property "Value" "old" (id 1) (at 0 0 0)))'
        '(symbol_instances (path "/22222222-2222-4222-8222-222222222222" (reference "R7") (unit 1) (value "new")'
        ' (footprint "F:P"))))'
    )
    part = load_schematic(root).symbol("R7")
    assert (part.value, part.footprint) == ("new", "F:P")


def fault(root, **options):
    with pytest.raises(KicadFileError) as caught:
        load_schematic(root, **options)
    return str(caught.value)


def test_a_missing_sheet_is_an_error(draw):
    root = draw("sheet Sub sub\nfile sub")
    (root.parent / "sub.kicad_sch").unlink()
    assert "cannot be read" in fault(root)


def test_a_sheet_that_includes_itself_is_an_error(draw):
    root = draw("sheet Sub sub")
    (root.parent / "sub.kicad_sch").symlink_to(root)
    assert "includes itself" in fault(root)


def test_a_sheet_outside_of_the_folder_is_an_error(draw, tmp_path):
    root = draw("sheet Sub ../outside")
    (root.parent.parent / "outside.kicad_sch").write_text(root.read_text())
    assert "lies outside" in fault(root, within=root.parent)


def test_a_link_out_of_the_folder_is_an_error(draw, tmp_path):
    root = draw("sheet Sub sub\nfile sub")
    (root.parent / "sub.kicad_sch").rename(tmp_path / "elsewhere.kicad_sch")
    (root.parent / "sub.kicad_sch").symlink_to(tmp_path / "elsewhere.kicad_sch")
    assert "lies outside" in fault(root, within=root.parent)


def test_a_sheet_that_is_a_pipe_is_an_error(draw):
    root = draw("sheet Sub sub\nfile sub")
    (root.parent / "sub.kicad_sch").unlink()
    os.mkfifo(root.parent / "sub.kicad_sch")
    assert "no regular file" in fault(root)


def test_a_hierarchy_that_doubles_on_every_level_is_an_error(draw):
    lines = ["sheet A s0", "sheet B s0"]
    for level in range(20):
        lines += [f"file s{level}", f"sheet A s{level + 1}", f"sheet B s{level + 1}"]
    root = draw("\n".join(lines[:2]))
    for level in range(20):
        (root.parent / f"s{level}.kicad_sch").write_text(root.read_text().replace("s0.kicad", f"s{level + 1}.kicad"))
    assert "more than 2000 sheets" in fault(root)


def test_a_project_file_that_is_no_json_changes_nothing(draw):
    root = draw("R R1 10 10")
    root.with_suffix(".kicad_pro").write_text("[" * 100_000)
    assert [part.refdes for part in load_schematic(root).symbols] == ["R1"]


def test_the_error_of_a_broken_sheet_names_file_line_and_column(draw):
    root = draw("sheet Sub sub\nfile sub")
    (root.parent / "sub.kicad_sch").write_text("(kicad_sch\n  (version 20260306\n")
    assert fault(root).startswith(f"{root.parent / 'sub.kicad_sch'}:3:1: ")


@pytest.mark.parametrize(("board", "parts", "nets"), [("ldo-sensor", 27, 13), ("sensor-hub", 73, 50)])
def test_our_own_boards_have_the_parts_and_nets_they_were_drawn_with(root, board, parts, nets):
    drawn = load_schematic(root / f"fixtures/copperbench-{board}/tree/copperbench-{board}.kicad_sch")
    assert (len(drawn.symbols), len(netlist(drawn).nets)) == (parts, nets)


def test_reading_leaves_no_trace_beside_the_design(draw):
    root = draw("R R1 10 10")
    before = sorted(Path(root.parent).iterdir())
    netlist(load_schematic(root))
    assert sorted(Path(root.parent).iterdir()) == before


def test_a_sheet_file_name_beyond_all_bounds_is_an_error(draw):
    assert "too long" in fault(draw(f"sheet Sub {'x' * 5000}"))


def test_links_that_name_each_other_are_an_error(draw):
    root = draw("sheet Sub sub\nfile sub")
    (root.parent / "sub.kicad_sch").unlink()
    (root.parent / "sub.kicad_sch").symlink_to(root.parent / "other.kicad_sch")
    (root.parent / "other.kicad_sch").symlink_to(root.parent / "sub.kicad_sch")
    assert "sub.kicad_sch" in fault(root)


def test_a_variable_that_grows_without_end_stays_small(draw):
    root = draw('project {"text_variables": {"A": "${A}${A}${A}${A}${A}${A}${A}${A}"}}\nR R1 10 10 value=${A}')
    assert len(load_schematic(root).symbol("R1").value) < 100_000
