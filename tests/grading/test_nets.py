"""Nets, pins and symbols: what the drawing says after the edit."""

from __future__ import annotations

import re
from typing import Any

import pytest

from copperbench.evidence import EndState
from copperbench.kicad import Net, Netlist


def loose_label(name: str, kind: str = "label") -> str:
    shape = "" if kind == "label" else "(shape input)"
    return f'({kind} "{name}" {shape} (at 20 20 0) (effects (font (size 1.27 1.27))) (uuid "0-{name}"))'


def add(world: Any, schematic: str, item: str) -> Any:
    text = (world.folder / schematic).read_text().rstrip()
    assert text.endswith(")")
    return world.write(schematic, f"{text[:-1]}{item})\n")


def test_a_label_with_pins_is_a_net(world: Any) -> None:
    assert world.judge("net_present", net="ALERT").detail == "/ALERT has J2.5, R5.2, U2.3"


@pytest.mark.parametrize("net", ["/ALERT", "+3V3", "GND", "Net-(D2-A)"])
def test_a_net_is_found_by_full_name_and_by_power_symbol(world: Any, net: str) -> None:
    assert world.status("net_present", net=net) == "pass"


@pytest.mark.parametrize("net", ["alert", "ALER", "NOWHERE", "3V3"])
def test_a_name_that_no_net_has_is_absent_to_the_letter(world: Any, net: str) -> None:
    assert world.status("net_present", net=net) == "fail"
    assert world.status("net_absent", net=net) == "pass"


def test_a_label_that_touches_nothing_makes_no_net(world: Any, schematic: str) -> None:
    add(world, schematic, loose_label("GHOST"))
    outcome = world.judge("net_present", net="GHOST")
    assert (outcome.status, "no pin is connected" in outcome.detail) == ("fail", True)


@pytest.mark.parametrize("kind", ["label", "global_label", "hierarchical_label"])
def test_a_dangling_label_keeps_a_name_from_being_gone(world: Any, schematic: str, kind: str) -> None:
    add(world, schematic, loose_label("GHOST", kind))
    outcome = world.judge("net_absent", net="GHOST")
    assert (outcome.status, outcome.detail) == ("fail", f"GHOST is left as {kind} 'GHOST' on sheet /")


def test_a_bus_label_still_names_its_members(world: Any, schematic: str) -> None:
    add(world, schematic, loose_label("D[0..7]"))
    assert world.status("net_absent", net="D3") == "fail"
    assert world.status("net_absent", net="D[0..7]") == "fail"
    assert world.status("net_absent", net="D8") == "pass"


def test_renaming_one_of_two_labels_leaves_the_old_name(world: Any, schematic: str) -> None:
    text = (world.folder / schematic).read_text()
    world.write(schematic, text.replace('(label "SDA"', '(label "I2C_SDA"', 1))
    assert world.status("net_absent", net="SDA") == "fail"


def test_a_complete_rename_is_seen_from_both_sides(world: Any, schematic: str) -> None:
    world.edit(schematic, '(label "ALERT"', '(label "SENS_ALERT"')
    assert world.status("net_absent", net="ALERT") == "pass"
    assert world.status("net_present", net="SENS_ALERT") == "pass"


@pytest.mark.parametrize("net", ["ALERT", "/ALERT"])
def test_a_pin_is_on_its_net_with_or_without_the_leading_slash(world: Any, net: str) -> None:
    assert world.status("pin_net_equals", refdes="U2", pin="3", net=net) == "pass"


@pytest.mark.parametrize(
    ("refdes", "pin", "detail"),
    [
        ("U2", "1", "U2 pin 1 is on /SDA"),
        ("U2", "99", "U2 pin 99 is not in the netlist"),
        ("U9", "1", "there is no symbol U9"),
    ],
)
def test_a_pin_elsewhere_fails_and_says_where_it_is(world: Any, refdes: str, pin: str, detail: str) -> None:
    outcome = world.judge("pin_net_equals", refdes=refdes, pin=pin, net="ALERT")
    assert (outcome.status, outcome.detail) == ("fail", detail)


def test_a_symbol_is_compared_with_value_and_footprint(world: Any) -> None:
    assert world.status("symbol_present", refdes="R2") == "pass"
    assert world.status("symbol_present", refdes="R2", value="1k", footprint="ldo-sensor:CHIP_0603") == "pass"
    assert world.judge("symbol_present", refdes="R2", value="1K").detail == "R2: value '1k', not '1K'"
    assert world.status("symbol_present", refdes="R2", footprint="CHIP_0603") == "fail"


def test_a_symbol_that_is_not_there_is_absent(world: Any) -> None:
    assert world.status("symbol_present", refdes="R99") == "fail"
    assert world.status("symbol_absent", refdes="R99") == "pass"
    assert world.status("symbol_absent", refdes="R2") == "fail"


def test_a_part_that_is_only_not_fitted_is_still_there(world: Any, schematic: str) -> None:
    text = (world.folder / schematic).read_text()
    world.write(schematic, re.sub(r"\(dnp no\)", "(dnp yes)", text))
    assert world.status("symbol_absent", refdes="R2") == "fail"


ON_THE_DRAWING: list[tuple[str, dict[str, str]]] = [
    ("net_present", {"net": "ALERT"}),
    ("net_absent", {"net": "NOWHERE"}),
    ("symbol_present", {"refdes": "R2"}),
    ("symbol_absent", {"refdes": "R99"}),
    ("pin_net_equals", {"refdes": "U2", "pin": "3", "net": "ALERT"}),
    ("drift_clean", {}),
]


@pytest.mark.parametrize(("kind", "args"), ON_THE_DRAWING)
@pytest.mark.parametrize("content", [b"", b"(kicad_sch", b"\0" * 100, b"(" * 100_000, b"no schematic"])
def test_a_schematic_that_the_run_broke_fails_even_what_asks_for_absence(
    world: Any, schematic: str, kind: str, args: dict[str, str], content: bytes
) -> None:
    world.write(schematic, content)
    outcome = world.judge(kind, **args)
    assert (outcome.status, outcome.detail.startswith("design no longer loads: ")) == ("fail", True)


@pytest.mark.parametrize(("kind", "args"), ON_THE_DRAWING)
def test_a_schematic_that_the_run_deleted_fails(world: Any, schematic: str, kind: str, args: dict[str, str]) -> None:
    assert world.delete(schematic).status(kind, **args) == "fail"


@pytest.mark.parametrize(("kind", "args"), ON_THE_DRAWING)
def test_a_schematic_that_never_loaded_is_not_the_runs_fault(
    world: Any, schematic: str, kind: str, args: dict[str, str]
) -> None:
    world.baseline_too(schematic, "(broken")
    assert world.status(kind, **args) == "unevaluable"


def test_the_detail_of_a_broken_schematic_does_not_name_a_folder_of_this_machine(world: Any, schematic: str) -> None:
    world.write(schematic, b"(broken")
    assert str(world.folder) not in world.judge("net_present", net="ALERT").detail


def nets(monkeypatch: pytest.MonkeyPatch, *, before: bool, after: bool) -> None:
    """Give the run a net whose full name is open, and say whether it was before, too."""

    def netlist(state: EndState) -> Netlist:
        doubt = before if state._original is None else after
        pins = (("R2", "1"), ("U2", "2"))
        return Netlist((Net("/odd", pins, frozenset({"odd", "/odd"}), doubt, "two buses" if doubt else ""),), ())

    monkeypatch.setattr(EndState, "netlist", netlist)


ON_DOUBTFUL_NAMES: list[tuple[str, dict[str, str]]] = [
    ("net_present", {"net": "odd"}),
    ("net_absent", {"net": "odd"}),
    ("pin_net_equals", {"refdes": "R2", "pin": "1", "net": "even"}),
]


@pytest.mark.parametrize(("kind", "args"), ON_DOUBTFUL_NAMES)
def test_a_name_that_was_in_doubt_before_the_run_is_nobodys_fault(
    world: Any, monkeypatch: pytest.MonkeyPatch, kind: str, args: dict[str, str]
) -> None:
    nets(monkeypatch, before=True, after=True)
    assert world.status(kind, **args) == "unevaluable"


@pytest.mark.parametrize(("kind", "args"), ON_DOUBTFUL_NAMES)
def test_a_name_that_the_edit_put_in_doubt_fails(
    world: Any, monkeypatch: pytest.MonkeyPatch, kind: str, args: dict[str, str]
) -> None:
    nets(monkeypatch, before=False, after=True)
    outcome = world.judge(kind, **args)
    assert (outcome.status, outcome.detail) == ("fail", "the edit made /odd ambiguous: two buses")


def test_a_label_on_a_net_of_doubtful_full_name_is_a_fact(
    world: Any, schematic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(world, schematic, loose_label("odd"))
    nets(monkeypatch, before=False, after=True)
    assert world.status("net_present", net="odd") == "pass"
    assert world.status("pin_net_equals", refdes="R2", pin="1", net="odd") == "pass"
