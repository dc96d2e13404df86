"""A variant is the same design and the same question under other names, and nothing is taken on trust."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copperbench.errors import SuiteError
from copperbench.kicad import find_kicad_cli, load_schematic, netlist
from copperbench.suite import load_suite, tree_files
from copperbench.variants import Renaming, choose_names, load_declaration, make_variant
from copperbench.variants.manifests import kept_solutions
from copperbench.variants.naming import _PREFIXES
from copperbench.variants.rewriting import rewrite_board, rewrite_schematic
from copperbench.variants.trees import choose_change, write_tree

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT)
BOARDS = ["copperbench-ldo-sensor", "copperbench-sensor-hub"]


@dataclass
class NameUse:
    name: str
    kind: str = "local"


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
@pytest.mark.parametrize("seed", [2, 5])
def test_the_nets_join_the_same_pins(board, seed, tmp_path):
    fixture, tree, schematic = design(board)
    change = choose_change(tree, fixture, load_declaration(ROOT).pins(board), seed)
    write_tree(tree, tmp_path, fixture, change)
    new = netlist(load_schematic(tmp_path / fixture.schematic, within=tmp_path))
    moved = {frozenset(change.pin(*pin) for pin in net.pins) for net in netlist(schematic).nets}
    assert {frozenset(net.pins) for net in new.nets} == moved


@pytest.mark.kicad
def test_the_same_seed_gives_the_same_bytes_and_another_others():
    made = [make_variant(SUITE, "do-budget-refusal-bus-pullups", seed, find_kicad_cli()) for seed in (3, 3, 4)]
    assert (made[0] == made[1], set(made[0].files) & set(made[2].files)) == (True, set())


@pytest.mark.kicad
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_committed_variant_is_what_its_seed_makes(variant):
    original, seed = SUITE.task(variant).variant_of, int(variant.rpartition("-v")[2])
    fixture = SUITE.fixture(SUITE.task(original).fixture_id)
    if not (ROOT / "fixtures" / fixture.id / "tree").is_dir():
        pytest.skip(f"fixtures/{fixture.id}/tree is not here: `copperbench fixture get {fixture.id}`")
    made = make_variant(SUITE, original, seed, find_kicad_cli())
    assert [path for path, data in made.files.items() if (ROOT / path).read_bytes() != data] == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_keeps_every_assertion(variant):
    kinds = [
        [(each.id, each.type, each.weight) for each in SUITE.task(task).assertions]
        for task in (variant, SUITE.task(variant).variant_of)
    ]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_has_the_traps_that_prove_it_caught_as_in_the_original(variant):
    original = SUITE.task(SUITE.task(variant).variant_of)
    readme = (ROOT / "tasks" / original.id / "README.md").read_text(encoding="utf-8")
    kept = kept_solutions(original, SUITE.solutions(original.id), readme)
    caught = {each.name: each.caught_by for each in SUITE.solutions(original.id) if each.name in kept}
    assert {each.name: each.caught_by for each in SUITE.solutions(variant)} == caught


def test_ten_tasks_have_a_variant_over_tiers_outcomes_and_boards():
    tasks = [SUITE.task(SUITE.task(variant).variant_of) for variant in VARIANTS]
    spread = [{getattr(task, key) for task in tasks} for key in ("tier", "expected_outcome", "fixture_id")]
    assert (len(tasks) >= 10, spread) == (
        True,
        [{"simple", "medium", "hard"}, {"edit", "refusal", "flag"}, {*BOARDS, "antmicro-microphone-board"}],
    )


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("do-rename-net", "declares no subset that may be varied"),
        ("do-raise-led-resistor-v1", "is a variant already"),
    ],
)
def test_a_task_that_declares_nothing_is_not_varied(task, said):
    with pytest.raises(SuiteError, match=said):
        make_variant(SUITE, task, 1, None)


def test_a_new_name_that_another_net_has_is_refused():
    schematic = SimpleNamespace(
        root=Path("a.kicad_sch"), names=[NameUse("EN"), *(NameUse(f"{prefix}_EN") for prefix in _PREFIXES)], symbols=()
    )
    with pytest.raises(SuiteError, match="as another is; use another seed"):
        choose_names(schematic, 1)
