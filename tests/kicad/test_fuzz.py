"""Whatever a file holds, reading it and deciding its nets ends in an answer or in our own error."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawing_language import read_cases, read_design
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.errors import KicadFileError
from copperbench.kicad import load_board, load_schematic, netlist, symbols_json

CASES = [
    lines
    for file in sorted((Path(__file__).parent / "edge_cases").glob("*.txt"))
    for _, _, lines in read_cases(file.read_text(encoding="utf-8"))
]
ESCAPED_WORDS = r"""
( ) (( )) () " \\ \n # \xff \x00 \xef\xbb\xbf "D[0..99999999]" "A{B\x20C[0..9]\x20D}" "${A}" "~" "{slash}" [1-3]
nan inf -1e308 1e999 -0 90 45 (at\x201\x202\x200) (at) (uuid) (unit\x2099999) (mirror\x20x) (pts) (version\x201)
(on_board\x20no) (power) (effects\x20" (pin (symbol (sheet (wire (bus (label\x20"A"\x20(at\x2010.16\x2010.16\x200))
(property\x20"Sheetfile"\x20"root.kicad_sch") (path\x20"/"
"""
WORDS = [word.encode().decode("unicode_escape").encode("latin-1") for word in ESCAPED_WORDS.split()]
SPLICES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.one_of(st.sampled_from(WORDS), st.binary(max_size=6))),
    min_size=1,
    max_size=4,
)
BOARD = b"""(kicad_pcb (version 20260206) (generator "pcbnew") (net 0 "") (net 1 "GND")
  (footprint "L:R" (layer "F.Cu") (uuid "u") (at 1 2 90) (property "Reference" "R1" (at 0 0 0) (layer "F.SilkS"))
    (fp_text value "4k7" (at 0 0)) (pad "1" smd rect (at 0 0) (size 1 1) (layers "F.Cu") (net 1 "GND") (uuid "v"))
    (pad "2" thru_hole circle (at 0 0) (net "A"))))
"""


def spliced(data, splices):
    """`data` with pieces of it replaced."""
    for where, length, piece in splices:
        at = int(where * len(data))
        data = data[:at] + piece + data[at + length :]
    return data


def survives(work):
    """Do the work, and let none but our own error pass; it is one line."""
    said = ""
    try:
        work()
    except KicadFileError as error:
        said = str(error)
    assert "\n" not in said


def design_survives(folder, lines, splices):
    root = read_design("case", lines).write(folder)
    root.write_bytes(spliced(root.read_bytes(), splices))

    def work():
        schematic = load_schematic(root, within=folder)
        symbols_json(schematic, netlist(schematic))

    survives(work)


def board_survives(folder, splices):
    path = folder / "b.kicad_pcb"
    path.write_bytes(spliced(BOARD, splices))
    survives(lambda: load_board(path))


QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LONG = settings(QUICK, max_examples=2000)


@QUICK
@given(st.sampled_from(CASES), SPLICES)
def test_a_damaged_schematic_ends_in_nets_or_in_our_error(tmp_path, lines, splices):
    design_survives(tmp_path, lines, splices)


@QUICK
@given(SPLICES)
def test_a_damaged_board_ends_in_footprints_or_in_our_error(tmp_path, splices):
    board_survives(tmp_path, splices)


@pytest.mark.slow
@LONG
@given(st.sampled_from(CASES), SPLICES)
def test_thousands_of_damaged_schematics_end_in_nets_or_in_our_error(tmp_path, lines, splices):
    design_survives(tmp_path, lines, splices)


@pytest.mark.slow
@LONG
@given(SPLICES)
def test_thousands_of_damaged_boards_end_in_footprints_or_in_our_error(tmp_path, splices):
    board_survives(tmp_path, splices)


@pytest.mark.slow
@LONG
@given(st.binary(max_size=200), st.sampled_from(["root.kicad_sch", "b.kicad_pcb"]))
def test_thousands_of_files_of_any_bytes_end_in_an_answer_or_in_our_error(tmp_path, data, name):
    path = tmp_path / name
    path.write_bytes((b"(kicad_sch (version 20260306) " if name == "root.kicad_sch" else b"(kicad_pcb ") + data)
    survives(lambda: netlist(load_schematic(path)) if name == "root.kicad_sch" else load_board(path))
