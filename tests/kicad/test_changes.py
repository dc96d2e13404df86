"""What changed electrically between two schematics."""

from __future__ import annotations

from copperbench.kicad import PartChange, PinMove, compare_netlists, load_schematic

BASE = "R R1 10 10\nR R2 20 10\nR R3 30 10\nwire 10 8 20 8\nwire 20 8 30 8\nlabel A 10 8\nlabel B 10 12\nlabel B 20 12"


def change(draw, before, after):
    return compare_netlists(load_schematic(draw(before, "before")), load_schematic(draw(after, "after")))


def test_nothing_changed_is_false(draw):
    assert not change(draw, BASE, BASE)


def test_moving_and_redrawing_changes_nothing(draw):
    assert not change(draw, "R R1 10 10\nR R2 20 10\nwire 10 8 20 8", "R R1 50 50\nR R2 50 46 turn=180")


def test_a_renamed_label_is_a_renamed_net(draw):
    assert change(draw, BASE, BASE.replace("label A", "label NEW")).nets_renamed == (("/A", "/NEW"),)


def test_a_renamed_net_moves_no_pin(draw):
    assert change(draw, BASE, BASE.replace("label A", "label NEW")).pins_moved == ()


def test_a_pin_on_another_net_has_moved(draw):
    after = BASE.replace("wire 20 8 30 8", "label B 30 8")
    assert change(draw, BASE, after).pins_moved == (PinMove("R3", "1", "/A", "/B"),)


def test_two_names_swapped_are_moves_and_not_nothing(draw):
    after = BASE.replace("label A", "label T").replace("label B", "label A").replace("label T", "label B")
    assert change(draw, BASE, after)


def test_parts_that_came_and_went_are_told(draw):
    found = change(draw, BASE, BASE.replace("R R3", "R R4"))
    assert (found.parts_added, found.parts_removed) == (("R4",), ("R3",))


def test_the_pins_of_a_new_part_are_no_moves(draw):
    assert change(draw, BASE, f"{BASE}\nR R4 40 10\nwire 30 8 40 8").pins_moved == ()


def test_a_changed_value_is_told(draw):
    found = change(draw, BASE, BASE.replace("R R1 10 10", "R R1 10 10 value=1k"))
    assert found.parts_changed == (PartChange("R1", "value", "R", "1k"),)


def test_a_split_net_is_a_new_net(draw):
    found = change(draw, BASE, BASE.replace("wire 20 8 30 8", "label NEW 30 8"))
    assert found.nets_added == ("/NEW",)
