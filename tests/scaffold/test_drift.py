"""A document that is right is never drift, one that is wrong always is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.kicad import Net, Netlist, Symbol, SymbolPin
from copperbench.scaffold import Mismatch, drift, fold, write_documents

PINOUT = "| Refdes | Pin | Name | Net | Notes |\n|---|---|---|---|---|\n"
BOM = "| Refdes | Value | Footprint | MPN | Rationale |\n|---|---|---|---|---|\n"


@pytest.fixture
def board(make_part, draw):
    return draw(make_part("R1", {"1": "", "2": ""}), make_part("U1", {"3": "DATA"}, "TPS7A02", "lib:SOT23"))


@pytest.fixture
def nets(wire):
    return wire(R1_1="/DATA", R1_2="unconnected-(R1-Pad2)", U1_3="/Power/EN")


@pytest.fixture
def pinout(board, nets):
    return lambda *rows: drift({"docs/PINOUT.md": PINOUT + "".join(f"| {row} |\n" for row in rows)}, board, nets)


@pytest.fixture
def bom(board, nets):
    return lambda *rows: drift({"BOM.md": BOM + "".join(f"| {row} |\n" for row in rows)}, board, nets)


def test_a_wrong_net_is_named_with_claim_and_fact(pinout):
    assert pinout("R1 | 1 | | CLK |") == (Mismatch("docs/PINOUT.md", "R1:1", "Net", "CLK", "DATA"),)


@pytest.mark.parametrize("net", ["DATA", "/DATA", "`DATA`", "  DATA "])
def test_a_net_is_right_with_and_without_its_slash_and_in_backticks(pinout, net):
    assert pinout(f"R1 | 1 | | {net} |") == ()


def test_a_net_name_is_compared_with_its_case(pinout):
    assert [each.claim for each in pinout("R1 | 1 | | data |")] == ["data"]


def test_a_net_on_a_sheet_is_named_with_the_sheet(pinout):
    assert (pinout("U1 | 3 | | Power/EN |"), len(pinout("U1 | 3 | | EN |"))) == ((), 1)


@pytest.mark.parametrize("claim", ["", "NC", "`NC`"])
def test_an_unconnected_pin_is_empty_or_nc(pinout, claim):
    assert pinout(f"R1 | 2 | | {claim} |") == ()


def test_an_empty_net_of_a_connected_pin_is_drift(pinout):
    assert [each.actual for each in pinout("R1 | 1 | | |")] == ["DATA"]


def test_a_pin_that_is_not_there_is_drift_and_one_left_out_is_not(pinout):
    assert pinout("R1 | 7 | | DATA |") == (Mismatch("docs/PINOUT.md", "R1:7", "Pin", "R1:7", "absent"),)


def test_a_pin_table_without_nets_is_one_mismatch(board, nets):
    found = drift({"PINOUT.md": "| Refdes | Pin |\n|---|---|\n| R1 | 1 |\n| R9 | 1 |\n"}, board, nets)
    assert [each.key for each in found] == [("PINOUT.md", "", "Net")]


def test_tables_of_other_things_are_not_judged(board, nets):
    assert drift({"PINOUT.md": "| Mode | Net |\n|---|---|\n| boot | CLK |\n"}, board, nets) == ()


def test_a_table_in_a_code_fence_claims_nothing(board, nets):
    assert drift({"PINOUT.md": f"```\n{PINOUT}| R1 | 1 | | CLK |\n```\n"}, board, nets) == ()


def test_where_kicad_itself_may_choose_a_name_each_of_them_is_right(board):
    either = Net("/A", (("R1", "1"),), frozenset({"A", "/A", "B", "/B"}), ambiguous=True, ambiguity="two labels")
    rows = "".join(f"| R1 | 1 | | {name} | |\n" for name in "AB")
    assert drift({"PINOUT.md": PINOUT + rows}, board, Netlist((either,), ())) == ()  # type: ignore[arg-type]


def test_every_part_needs_a_row_of_its_own_in_the_bill(bom):
    assert [(each.row, each.claim) for each in bom("R1 | 10k | lib:R | | |")] == [("U1", "absent")]


def test_a_row_of_several_parts_is_the_row_of_none(bom):
    assert [each.row for each in bom("R1, U1 | 10k | | | |")] == ["R1, U1", "R1", "U1"]


def test_a_wrong_value_and_a_wrong_footprint_are_named(bom):
    found = bom("R1 | 22k | lib:r | | |", "U1 | | | | |")
    assert [(each.column, each.claim, each.actual) for each in found] == [
        ("Value", "22k", "10k"),
        ("Footprint", "lib:r", "lib:R"),
    ]


def test_a_bill_whose_columns_have_other_names_is_read_by_position(board, nets):
    text = "| Refdes | What | Case |\n|---|---|---|\n| R1 | 22k | |\n| U1 | | |\n"
    assert [each.claim for each in drift({"BOM.md": text}, board, nets)] == ["22k"]


def test_a_board_without_parts_has_no_drift(draw, nets):
    assert drift({"BOM.md": BOM + "| R9 | 1k | | | |\n"}, draw(), nets) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4.7 kΩ", "4.7kohm"),
        ("10 µF", "10UF"),
        ("10 μF", "10uF"),
        ("≥ 5", ">=5"),
        ("5″", '5"'),
        ("5 inch", '5"'),
        ("100 Ohms", "100Ω"),
        ("ｘ５", "X5"),
        ("‘a’", "'a'"),
    ],
)
def test_ways_to_write_one_value_are_one(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), [("10k", "10"), ("1n", "1u"), ("5 in", "5 int"), ("", "0")])
def test_different_values_stay_different(one, other):
    assert fold(one) != fold(other)


NAME = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@st.composite
def boards(draw):
    """Parts and nets with names that nobody would choose."""
    refs = draw(st.lists(st.from_regex(r"[A-Z]{1,3}[0-9?]{1,3}", fullmatch=True), unique=True, max_size=5))
    symbols, nets = [], {}
    for ref in refs:
        pins = draw(st.lists(NAME.filter(str.split), unique_by=lambda pin: " ".join(pin.split()), max_size=4))
        shape = tuple(SymbolPin(pin, draw(NAME), "passive") for pin in pins)
        symbols.append(Symbol(ref, draw(NAME), draw(NAME), "l:X", draw(NAME), False, True, True, {}, shape))
        for pin in pins:
            nets.setdefault(draw(st.one_of(NAME, st.just("unconnected-(X)"))), []).append((ref, pin))
    return SimpleNamespace(symbols=tuple(symbols)), Netlist(
        tuple(Net(name, tuple(pins), frozenset({name})) for name, pins in sorted(nets.items())), ()
    )


@given(boards())
def test_documents_made_by_init_never_drift(made):
    schematic, nets = made
    assert drift(write_documents(schematic, "board.kicad_sch", {"a": 1}, nets), schematic, nets) == ()


@given(boards(), st.data())
def test_a_net_changed_after_init_always_drifts(made, data):
    schematic, nets = made
    if not nets.nets:
        return
    documents = write_documents(schematic, "board.kicad_sch", {}, nets)
    pins = [pin for net in nets.nets for pin in net.pins if f"| {pin[0]} |" in documents["PINOUT.md"]]
    if not pins:
        return
    moved = data.draw(st.sampled_from(pins))
    kept = (Net(net.name, tuple(pin for pin in net.pins if pin != moved), net.names) for net in nets.nets)
    after = Netlist((*kept, Net("MOVED_ELSEWHERE", (moved,), frozenset({"MOVED_ELSEWHERE"}))), ())
    assert [each.row.split(":")[0] for each in drift(documents, schematic, after)] == [moved[0]]
