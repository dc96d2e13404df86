"""A right answer must be possible in a harness that reads fewer nets from the drawing than KiCad does.

The copperhead CLI joins only what meets in the same point of one sheet, each file read once, and does not let a run
finish while PINOUT.md names a net that it does not see at that pin. So no task may demand such a name.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import regex

from copperbench.kicad import load_schematic
from copperbench.kicad.groups import _position
from copperbench.sandbox import apply_operation, build_sandbox, unpack_archive
from copperbench.suite import load_suite

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT)
DEMANDS = {
    task: [spec for spec in SUITE.task(task).required if spec.args.get("doc") == "PINOUT.md"]
    for task in SUITE.task_ids()
    if SUITE.task(task).mode == "do"
}


def seen_nets(schematic):
    """The net of every pin, `REF:PIN`, as that harness sees it; empty where it sees none."""
    nets, drawings = {}, set()
    for instance in schematic.instances:
        if id(instance.drawing) in drawings:
            continue
        drawings.add(id(instance.drawing))
        joined: dict[tuple[int, int], tuple[int, int]] = {}

        def end(point, joined=joined):
            while joined.get(point, point) != point:
                point = joined[point]
            return point

        for line in instance.drawing.lines:
            if not line.bus and end(line.start) != end(line.end):
                joined[end(line.start)] = end(line.end)
        units = [unit for unit in schematic.units if unit.instance is instance]
        placed = [(unit, pin, end(_position(unit, pin))) for unit in units for pin in unit.pins]
        names = {at: unit.value for unit, _, at in placed if unit.library.power}
        names |= {end(label.at): label.text for label in instance.drawing.labels}
        for unit, pin, at in placed:
            if not unit.library.power:
                nets[f"{unit.placed.fields['Reference']}:{pin.number}"] = names.get(at, "")
    return nets


def after_the_right_edit(task, tree, folder):
    """What that harness sees once the reference solution was carried out."""
    fixture = SUITE.fixture(task.fixture_id)
    unpack_archive(build_sandbox(task, fixture, tree).data, folder, "test")
    (gold,) = (solution for solution in SUITE.solutions(task.id) if solution.name == "gold")
    for step in gold.steps:
        if step.kind not in ("commit", "event"):
            apply_operation(folder, step, "gold")
    return seen_nets(load_schematic(folder / fixture.schematic, within=folder))


def holds(spec, nets):
    """Whether a demand is met by a PINOUT.md that says just what is seen."""
    if spec.type == "doc_row_matches":
        return spec.args["column"] != "Net" or regex.search(spec.args["pattern"], nets[spec.args["key"]]) is not None
    rows = "\n".join(f"| {pin.split(':')[0]} | {pin.split(':')[1]} |  | {net} |  |" for pin, net in nets.items())
    return (regex.search(spec.args["pattern"], rows, regex.MULTILINE) is None) == spec.args.get("absent", False)


@pytest.mark.parametrize("name", [task for task, demands in DEMANDS.items() if demands])
def test_no_net_is_demanded_in_a_document_that_a_harness_does_not_see_there(name, tmp_path):
    task = SUITE.task(name)
    places = (ROOT / "fixtures", ROOT.parent / "shared/fixtures")
    trees = [place / task.fixture_id / "tree" for place in places if (place / task.fixture_id / "tree").is_dir()]
    if not trees:
        pytest.skip(f"the board {task.fixture_id} is not here")
    nets = after_the_right_edit(task, trees[0], tmp_path / "sandbox")
    assert [spec.id for spec in DEMANDS[name] if not holds(spec, nets)] == []


def test_what_is_seen_is_what_that_harness_was_seen_to_see():
    """Noted of its init on our LDO sensor board: no net at U2.3, which is on ALERT; supplies it does see."""
    tree = ROOT / "fixtures/copperbench-ldo-sensor/tree"
    nets = seen_nets(load_schematic(tree / "copperbench-ldo-sensor.kicad_sch", within=tree))
    assert (nets["U2:3"], nets["U2:5"], nets["U1:1"]) == ("", "+3V3", "+5V")


def test_on_the_microphone_board_it_sees_one_pin_of_three_on_the_data_line(shared):
    """Noted of its init: no net at D4.1 and J1.5, which are on DATA."""
    tree = shared / "fixtures/antmicro-microphone-board/tree/hardware"
    nets = seen_nets(load_schematic(tree / "microphone-board.kicad_sch", within=tree))
    assert (nets["D4:1"], nets["J1:5"], nets["R1:2"]) == ("", "", "DATA")
