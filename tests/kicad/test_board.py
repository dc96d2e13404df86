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
