"""Hundreds of small drawings whose netlists KiCad once decided: ours are the same, name by name and pin by pin.

`COPPERBENCH_RECORD=1 pytest tests/kicad/test_edge_cases.py -m kicad` writes what KiCad says now to `expected.json`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from drawing_language import read_cases
from netlist_oracle import export_nets, plain_nets

from copperbench.errors import KicadFileError
from copperbench.kicad import load_schematic, netlist

FOLDER = Path(__file__).parent / "edge_cases"
EXPECTED = FOLDER / "expected.json"
CASES = {
    name: lines
    for file in sorted(FOLDER.glob("*.txt"))
    for name, _, lines in read_cases(file.read_text(encoding="utf-8"))
}
RECORDED = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.exists() else {}


def our_nets(root):
    try:
        return plain_nets(netlist(load_schematic(root)))
    except KicadFileError:
        return None


@pytest.mark.parametrize("case", CASES)
def test_an_edge_case_has_the_nets_that_kicad_gave_it(case, draw):
    assert our_nets(draw(CASES[case])) == RECORDED[case]


def test_every_recorded_case_is_still_drawn():
    assert RECORDED.keys() == CASES.keys()


@pytest.mark.kicad
@pytest.mark.corpus
def test_kicad_still_says_what_is_recorded(draw):
    said = {case: export_nets(draw(lines, case)) for case, lines in CASES.items()}
    if os.environ.get("COPPERBENCH_RECORD"):
        text = ",\n".join(
            f"{json.dumps(case)}: {json.dumps(nets, sort_keys=True)}" for case, nets in sorted(said.items())
        )
        EXPECTED.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    assert said == json.loads(EXPECTED.read_text(encoding="utf-8"))
