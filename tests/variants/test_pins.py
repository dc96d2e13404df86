"""Pin numbers change places in symbol and footprint together; nothing else about a board moves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from copperbench.errors import SuiteError
from copperbench.kicad import load_schematic
from copperbench.suite import load_suite, tree_files
from copperbench.variants import Pins, choose_pins, load_declaration

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT)
BOARDS = ["copperbench-ldo-sensor", "copperbench-sensor-hub"]
NUMBERS = {"2": "3", "3": "4", "4": "2"}
PINS = Pins({"lib:CONN": NUMBERS}, {"lib:PIN": NUMBERS}, {"J4": NUMBERS})


def schematic(board):
    tree = ROOT / "fixtures" / board / "tree"
    return load_schematic(tree / SUITE.fixture(board).schematic, within=tree)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("J4.2 and J4:3", "J4.3 and J4:4"),
        (r"^J4\.4$", r"^J4\.2$"),
        ("J4 pin 2, pin 2 of U1", "J4 pin 3, pin 2 of U1"),
        ("J4.1, J41.2, XJ4.2, J4.22", "J4.1, J41.2, XJ4.2, J4.22"),
    ],
)
def test_only_words_about_a_declared_pin_follow(text, said):
    assert PINS.text(text) == said


def test_a_pad_takes_its_pin_s_number_and_a_name_that_is_no_number_stays():
    board = '(footprint "lib:PIN" (pad "2" smd (net "/TX") (pinfunction "2_2")) (pad "3" smd (pinfunction "TX_3")))'
    other = '(footprint "lib:PIN_B" (pad "2" smd (pinfunction "2_2")))'
    said = '(footprint "lib:PIN" (pad "3" smd (net "/TX") (pinfunction "3_3")) (pad "4" smd (pinfunction "TX_4")))'
    assert PINS.board(board + other) == said + other


def test_a_symbol_s_pins_follow_in_library_and_sheet():
    pin = '(pin passive line (name "TX" (effects)) (number "{}" (effects)))'
    sheet = '(lib_symbols (symbol "lib:CONN" {}))\n\t(symbol\n\t\t(lib_id "lib:CONN") (pin "{}" (uuid "a)")))'
    said = sheet.format(pin.format(3), 3)
    assert PINS.schematic(sheet.format(pin.format(2), 2)) == said


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", [1, 4])
def test_untouched_bytes_stay_and_the_way_back_gives_the_very_bytes(board, seed):
    pins = choose_pins(schematic(board), load_declaration(ROOT).pins(board), seed, board)
    back = Pins(
        *(
            {name: {new: old for old, new in numbers.items()} for name, numbers in each.items()}
            for each in (pins.symbols, pins.footprints, pins.parts)
        )
    )
    changes = {".kicad_sch": "schematic", ".kicad_pcb": "board", ".kicad_sym": "library", ".kicad_mod": "footprint"}
    for path, place in tree_files(ROOT / "fixtures" / board / "tree"):
        if place.suffix in changes:
            text = place.read_text(encoding="utf-8")
            new = getattr(pins, changes[place.suffix])(text)
            assert getattr(back, changes[place.suffix])(new) == text, path
            assert re.sub(r'"\d+(_\d+)?"', "", new) == re.sub(r'"\d+(_\d+)?"', "", text), path


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_every_declared_symbol_gets_another_order_of_the_same_numbers(board, seed):
    pins = choose_pins(schematic(board), load_declaration(ROOT).pins(board), seed, board)
    assert all(
        sorted(each) == sorted(each.values()) and list(each) != [*each.values()] for each in pins.symbols.values()
    )


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"ldo-sensor:NONE": ("1", "2")}, "is not on the board"),
        ({"ldo-sensor:CONN_6": ("1", "7")}, "has 0 pins numbered 7"),
        ({"ldo-sensor:R": ("1", "2")}, "shares a footprint with another symbol"),
    ],
)
def test_a_symbol_whose_pins_cannot_change_alone_is_refused(declared, said):
    with pytest.raises(SuiteError, match=said):
        choose_pins(schematic(BOARDS[0]), declared, 1, BOARDS[0])
