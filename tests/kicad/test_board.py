"""The board model: footprints, pads and nets."""

from __future__ import annotations

import pytest

from copperbench.errors import KicadFileError
from copperbench.kicad import load_board, load_schematic, netlist

OLD = """(kicad_pcb (version 20221018) (generator pcbnew) (net 0 "") (net 1 "GND") (net 2 "/A")
  (footprint "L:R" (layer "B.Cu") (at 10 20.5 90) (fp_text reference "R2" (at 0 0) (layer "B.SilkS"))
    (fp_text value "4k7" (at 0 0) (layer "B.Fab")) (fp_text user "x" (at 0 0) (layer "B.Fab"))
    (pad "1" smd rect (at 0 0) (size 1 1) (layers "B.Cu") (net 1 "GND"))
    (pad "2" smd rect (at 1 0) (size 1 1) (layers "B.Cu")))
  (segment (start 0 0) (end 1 1) (width 0.2) (layer "F.Cu") (net 2)))
"""
NEW = """(kicad_pcb (version 20260206) (generator "pcbnew")
  (footprint "L:R" (layer "F.Cu") (uuid "u") (at 1 2) (property "Reference" "R10" (at 0 0 0) (layer "F.SilkS"))
    (property "Value" "1k" (at 0 0 0)) (pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu") (net "GND") (uuid "v")))
  (footprint "L:R" (layer "F.Cu") (at 5 6 45) (property "Reference" "R9" (at 0 0 0))))
"""


def written(path, text):
    path.write_text(text)
    return path


def test_a_board_of_format_7_tells_its_footprints(tmp_path):
    part = load_board(written(tmp_path / "b.kicad_pcb", OLD)).footprint("R2")
    assert (part.value, part.lib_id, part.x_mm, part.y_mm, part.rotation, part.side) == (
        "4k7",
        "L:R",
        10,
        20.5,
        90,
        "back",
    )


def test_pads_tell_their_nets(tmp_path):
    board = load_board(written(tmp_path / "b.kicad_pcb", OLD))
    assert [(pad.refdes, pad.number, pad.net) for pad in board.pads] == [("R2", "1", "GND"), ("R2", "2", "")]


def test_a_board_of_format_7_has_the_nets_of_its_table(tmp_path):
    assert load_board(written(tmp_path / "b.kicad_pcb", OLD)).nets == ("/A", "GND")


def test_a_board_of_format_10_has_the_nets_of_its_pads(tmp_path):
    assert load_board(written(tmp_path / "b.kicad_pcb", NEW)).nets == ("GND",)


TABLE = '(net 0 "") (net 1 "GND") (net 2 "1")'


def board_of(tmp_path, part, table="", version=20241229):
    return load_board(written(tmp_path / "b.kicad_pcb", f"(kicad_pcb (version {version}) {table} {part})"))


@pytest.mark.parametrize(
    ("table", "net", "name"),
    [
        (TABLE, '(net 2 "1")', "1"),
        (TABLE, "(net 1)", "GND"),
        (TABLE, "(net 0)", ""),
        ("", '(net "1")', "1"),
        ("", '(net "")', ""),
        ('(net 0 "") (net 1 GND)', "(net 1 GND)", "GND"),
    ],
)
def test_a_pads_net_is_a_code_where_the_board_has_a_table_and_a_name_where_not(tmp_path, table, net, name):
    part = f'(footprint "L:R" (layer "F.Cu") (at 1 2) (pad "1" smd rect (at 0 0) (size 1 1) {net}))'
    assert [pad.net for pad in board_of(tmp_path, part, table).pads] == [name]


def test_a_footprint_of_format_6_with_flags_tells_itself(tmp_path):
    part = '(footprint "L:R" locked placed (layer "B.Cu") (tedit 5F) (tstamp abc) (at 1 2 180 unlocked)'
    found = board_of(tmp_path, f"{part} (fp_text reference R1 (at 0 0)))", version=20211014).footprint("R1")
    assert (found.x_mm, found.rotation, found.side) == (1, 180, "back")


@pytest.mark.parametrize("number", ["nan", "inf", "1e400", "x", '""'])
def test_a_position_that_is_none_is_an_error_with_its_place(tmp_path, number):
    with pytest.raises(KicadFileError, match=r"b\.kicad_pcb:1:\d+: '.*' is no coordinate"):
        board_of(tmp_path, f'(footprint "L:R" (layer "F.Cu") (at {number} 2))')


def test_a_reference_twice_is_two_footprints_and_the_first_answers(tmp_path):
    part = '(footprint "L:{}" (layer "F.Cu") (at 1 2) (property "Reference" "R1" (at 0 0)))'
    board = board_of(tmp_path, part.format("A") + part.format("B"))
    assert (len(board.footprints), board.footprint("R1").lib_id) == (2, "L:A")


def test_footprints_come_in_natural_order(tmp_path):
    board = load_board(written(tmp_path / "b.kicad_pcb", NEW))
    assert [(part.refdes, part.rotation) for part in board.footprints] == [("R9", 45), ("R10", 0)]


def test_a_schematic_is_no_board(draw):
    with pytest.raises(KicadFileError, match="not a KiCad board"):
        load_board(draw("R R1 10 10"))


@pytest.mark.parametrize("board", ["copperbench-ldo-sensor", "copperbench-sensor-hub"])
def test_the_pads_of_our_own_boards_agree_with_their_schematics(board, root):
    tree = root / "fixtures" / board / "tree"
    drawn = netlist(load_schematic(tree / f"{board}.kicad_sch"))
    pads = {(pad.refdes, pad.number): pad.net for pad in load_board(tree / f"{board}.kicad_pcb").pads if pad.number}
    assert pads == {pin: net.name for net in drawn.nets for pin in net.pins}
