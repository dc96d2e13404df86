"""A variant is the same design and the same question under other names, and nothing is taken on trust."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copperbench.errors import SuiteError
from copperbench.kicad import find_kicad_cli, load_schematic, netlist
from copperbench.suite import load_suite, tree_files
from copperbench.variants import Renaming, choose_names, make_variant
from copperbench.variants.rewriting import rewrite_board, rewrite_schematic

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT)
BOARDS = ["copperbench-ldo-sensor", "copperbench-sensor-hub"]
NAMES = Renaming({"SDA": "QT_SDA", "SDA_1V8": "QT_SDA_1V8", "EN": "QT_EN"}, {"R": {1: 4, 2: 6, 3: 1}, "U": {2: 3}})
VARIANTS = [task for task in SUITE.task_ids() if SUITE.task(task).variant_of]


def design(board):
    fixture = SUITE.fixture(board)
    tree = ROOT / "fixtures" / board / "tree"
    return fixture, tree, load_schematic(tree / fixture.schematic, within=tree)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise R2 on /A/SDA", "raise R6 on /A/QT_SDA"),
        (r"^\| R2 \|.*\bSDA\b", r"^\| R6 \|.*\bQT_SDA\b"),
        ("SDA_1V8 is not SDA", "QT_SDA_1V8 is not QT_SDA"),
        ("R22, XR2, R2_A and SDAT", "R22, XR2, R2_A and SDAT"),
        ("Net-(U2-EN) at U2:3 and U2.4", "Net-(U3-QT_EN) at U3:3 and U3.4"),
        ("R1, R2, R3", "R4, R6, R1"),
        (r"^R1[02]$ and R[13]$", r"^R(?:10|12)$ and R(?:4|1)$"),
        (r"- R[12]: and R(?:2|3)\b", r"- R(?:4|6): and R(?:6|1)\b"),
    ],
)
def test_whole_words_that_are_names_change_and_nothing_else(text, said):
    assert NAMES.text(text) == said


def test_a_pin_of_a_symbol_keeps_its_own_name():
    text = '(pin passive line (name "SDA") (number "1")) (label "SDA" (at 0 0)) (pin "SDA" input)'
    expected = '(pin passive line (name "SDA") (number "1")) (label "QT_SDA" (at 0 0)) (pin "QT_SDA" input)'
    assert rewrite_schematic(text, NAMES) == expected


def test_a_board_takes_its_nets_from_the_new_netlist():
    text = '(net 3 "Net-(R1-Pad1)") (net "/SDA") (pinfunction "SDA")'
    said = rewrite_board(text, NAMES, {"Net-(R1-Pad1)": "Net-(R9-Pad2)", "/SDA": "/QT_SDA"})
    assert said == '(net 3 "Net-(R9-Pad2)") (net "/QT_SDA") (pinfunction "SDA")'


@pytest.mark.parametrize("board", BOARDS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(1, 10**6))
def test_no_two_parts_meet_and_a_name_keeps_its_length(board, seed):
    schematic = _schematic(board)
    names = choose_names(schematic, seed)
    parts = [part.refdes for part in schematic.symbols] + ["R98", "C97", "U9", "R9"]
    new = [names.refdes(part) for part in parts]
    assert (len(set(new)), [len(part) for part in new]) == (len(set(parts)), [len(part) for part in parts])


_READ: dict[str, object] = {}


def _schematic(board):
    if board not in _READ:
        _READ[board] = design(board)[2]
    return _READ[board]


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_way_back_gives_the_very_bytes(board, seed):
    _, tree, schematic = design(board)
    names = choose_names(schematic, seed)
    back = Renaming(
        {new: old for old, new in names.nets.items()},
        {prefix: {new: old for old, new in each.items()} for prefix, each in names.numbers.items()},
    )
    for path, place in tree_files(tree):
        if path.endswith(".kicad_sch"):
            text = place.read_text(encoding="utf-8")
            assert rewrite_schematic(text, names) != text
            assert rewrite_schematic(rewrite_schematic(text, names), back) == text


@pytest.mark.parametrize("board", BOARDS)
def test_the_nets_join_the_same_pins(board, tmp_path):
    from copperbench.variants.making import _write_tree

    fixture, tree, schematic = design(board)
    names = choose_names(schematic, 2)
    _write_tree(tree, tmp_path, fixture, names)
    new = netlist(load_schematic(tmp_path / fixture.schematic, within=tmp_path))
    moved = {frozenset((names.refdes(part), pin) for part, pin in net.pins) for net in netlist(schematic).nets}
    assert {frozenset(net.pins) for net in new.nets} == moved


@pytest.mark.kicad
def test_the_same_seed_gives_the_same_bytes_and_another_others():
    made = [make_variant(SUITE, "do-budget-refusal-bus-pullups", seed, find_kicad_cli()) for seed in (3, 3, 4)]
    assert (made[0] == made[1], set(made[0].files) & set(made[2].files)) == (True, set())


@pytest.mark.kicad
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_committed_variant_is_what_its_seed_makes(variant):
    original, seed = SUITE.task(variant).variant_of, int(variant.rpartition("-v")[2])
    made = make_variant(SUITE, original, seed, find_kicad_cli())
    assert [path for path, data in made.files.items() if (ROOT / path).read_bytes() != data] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_keeps_every_assertion_and_trap(variant):
    original = SUITE.task(variant).variant_of
    kinds = [
        [(each.id, each.type, each.weight) for each in SUITE.task(task).assertions] for task in (variant, original)
    ]
    traps = [{each.name: each.caught_by for each in SUITE.solutions(task)} for task in (variant, original)]
    assert (kinds[0], traps[0]) == (kinds[1], traps[1])


def test_a_board_of_others_is_not_varied():
    with pytest.raises(SuiteError, match="is not ours to change and commit"):
        make_variant(SUITE, "do-rename-net", 1, None)
