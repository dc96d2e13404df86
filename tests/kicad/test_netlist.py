"""Netlists: names a net carries, doubts that are said, and KiCad's own word on real and on mutated designs."""

from __future__ import annotations

import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from mutation import mutate
from netlist_oracle import export_nets, plain_nets

from copperbench.kicad import load_schematic, netlist

BOARDS = ("copperbench-ldo-sensor", "copperbench-sensor-hub")


def nets(root):
    return netlist(load_schematic(root))


def test_a_net_carries_its_labels_and_both_forms_of_its_full_name(draw):
    net = nets(draw("R R1 10 10\nlabel A/B 10 8\nlabel C 10 8")).net_of("R1", "1")
    assert net.names == {"/A{slash}B", "A{slash}B", "A/B", "C"}


def test_a_net_is_found_by_a_name_that_does_not_name_it(draw):
    found = nets(draw("R R1 10 10\nlabel A 10 8\npower VX 10 8")).named("A")
    assert found.name == "VX"


def test_a_label_without_a_pin_is_no_net(draw):
    assert nets(draw("wire 1 1 5 1\nlabel A 1 1")).named("A") is None


def test_a_net_named_by_chance_is_said_to_be(draw):
    lines = "R R1 60 67\nR R2 60 87\nsheet A sub at=60,60\npin P 60 65\nsheet B sub at=60,80\npin P 60 85\nfile sub"
    assert [net.name for net in nets(draw(lines)).nets if net.ambiguous] == ["/P", "/P_1"]


def test_a_bus_name_on_a_pin_is_said_to_be_doubtful(draw):
    assert nets(draw("R R1 10 10\nlabel D[0..3] 10 8")).warnings == (
        "/D[0..3]: a bus meets a plain name, a pin or a bus of other members",
    )


def test_two_global_names_that_meet_through_a_sheet_pin_are_said_to_be_doubtful(draw):
    lines = "R R1 60 67\nglobal AA 60 65\nsheet S sub\npin P 60 65\nfile sub\nR R2 10 10\nhier P 10 8\nglobal BB 10 8"
    assert nets(draw(lines)).net_of("R1", "1").ambiguous


def test_our_own_boards_hold_no_doubt(root):
    found = [nets(root / f"fixtures/{board}/tree/{board}.kicad_sch").warnings for board in BOARDS]
    assert found == [(), ()]


def test_a_drawing_of_wires_piled_up_ends_in_our_error(draw):
    lines = "\n".join("wire 0 0 100 0" for _ in range(5000)) + "\n"
    lines += "\n".join(f"label L{at} {at % 100} 0" for at in range(5000))
    with pytest.raises(Exception, match="too many lines"):
        nets(draw(lines))


def projects(folder):
    for project in sorted(folder.rglob("*.kicad_pro")):
        if project.with_suffix(".kicad_sch").exists():
            yield project.with_suffix(".kicad_sch")


def copied(folder, scratch):
    ignore = shutil.ignore_patterns("*.kicad_pcb", "*.step", "*.wrl", "*.kicad_prl")
    shutil.copytree(folder, scratch, ignore=ignore)
    scratch.chmod(0o755)
    for path in scratch.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return scratch


@pytest.mark.kicad
def test_upstream_boards_have_the_nets_that_kicad_gives_them(shared, tmp_path):
    roots = list(projects(copied(shared / "fixtures", tmp_path / "boards")))
    ours = {root.name: (nets(root).warnings, plain_nets(nets(root))) for root in roots}
    assert ours == {root.name: ((), export_nets(root)) for root in roots}


@pytest.mark.kicad
@pytest.mark.corpus
def test_kicads_demos_have_the_nets_that_kicad_gives_them(tmp_path):
    demos = Path(os.environ.get("KICAD_DEMOS") or "/opt/kicad/usr/share/kicad/demos")
    if not demos.is_dir():
        pytest.skip(f"no KiCad demos at {demos} (KICAD_DEMOS names their folder)")
    differing = []
    for root in projects(copied(demos, tmp_path / "demos")):
        said = export_nets(root)
        found = nets(root)
        if said is not None and (plain_nets(found) != said or found.warnings):
            differing.append(str(root))
    assert differing == []


@dataclass(frozen=True)
class Mutant:
    """A board after one hurried edit: what was done, whether a net is doubted, which undoubted nets differ."""

    board: str
    seed: int
    done: str
    doubted: bool
    wrong: tuple[str, ...]


def judged_mutant(tree, board, seed):
    with tempfile.TemporaryDirectory() as scratch:
        folder = copied(tree, Path(scratch) / "tree")
        done = mutate(folder, seed)
        found = nets(folder / f"{board}.kicad_sch")
        said = export_nets(folder / f"{board}.kicad_sch")
    ours = plain_nets(found)
    doubtful = {net.name for net in found.nets if net.ambiguous}
    pins = {pin for name in doubtful for pin in ours[name]}
    wrong = {name for name in ours if ours[name] != said.get(name)} - doubtful
    wrong |= {name for name in said if ours.get(name) != said[name] and not pins.issuperset(said[name])}
    return Mutant(board, seed, str(done), bool(doubtful), tuple(sorted(wrong)))


def mutants(root, seeds):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(root / "fixtures" / board / "tree", board, seed) for board in BOARDS for seed in seeds]
        return list(pool.map(lambda job: judged_mutant(*job), jobs))


@pytest.mark.kicad
def test_hurried_edits_leave_the_nets_that_kicad_gives_unless_said_doubtful(root):
    assert [mutant for mutant in mutants(root, range(20)) if mutant.wrong] == []


@pytest.mark.kicad
@pytest.mark.slow
def test_a_thousand_hurried_edits_leave_no_net_wrong_and_one_in_fifty_doubtful_at_most(root):
    made = mutants(root, range(500))
    assert [mutant for mutant in made if mutant.wrong] == []
    assert sum(mutant.doubted for mutant in made) <= len(made) // 50
