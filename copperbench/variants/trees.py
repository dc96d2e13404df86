"""The tree of a varied board: the original's, file by file, under other names and pin numbers (STANDARD 10)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.kicad import Netlist, load_schematic, netlist
from copperbench.suite import Fixture, tree_files
from copperbench.variants.naming import Renaming, choose_names
from copperbench.variants.pins import Pins, choose_pins
from copperbench.variants.rewriting import rewrite_board, rewrite_rules, rewrite_schematic


@dataclass(frozen=True)
class Change:
    """What a seed changes about a board."""

    names: Renaming
    pins: Pins

    def text(self, text: str) -> str:
        """Words about the board, under new names and pin numbers."""
        return self.names.text(self.pins.text(text))

    def pin(self, refdes: str, pin: str) -> tuple[str, str]:
        """The new name of a part and the new number of its pin."""
        return self.names.refdes(refdes), self.pins.number(refdes, pin)


def choose_change(tree: Path, fixture: Fixture, declared: Mapping[str, tuple[str, ...]], seed: int) -> Change:
    """What variant `seed` changes about a board; `declared` are its pins that trade numbers. Raises SuiteError."""
    schematic = load_schematic(tree / fixture.schematic, within=tree)
    return Change(choose_names(schematic, seed), choose_pins(schematic, declared, seed, fixture.id))


def write_tree(old: Path, new: Path, fixture: Fixture, change: Change) -> None:
    """Write the tree `old` to `new`, changed; the board comes last, as KiCad names some nets after parts.

    Raises CopperbenchError unless the new netlist joins the very pins that the old one joins.
    """
    texts = {path: place.read_bytes() for path, place in tree_files(old)}
    for path, data in texts.items():
        rewrite = _rewrite_of(path, change)
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).write_bytes(data if rewrite is None else rewrite(data.decode()).encode())
    before = netlist(load_schematic(old / fixture.schematic, within=old))
    after = netlist(load_schematic(new / fixture.schematic, within=new))
    nets = same_nets(before, after, change, fixture.id)
    for path, data in texts.items():
        if path.endswith(".kicad_pcb"):
            text = rewrite_board(change.pins.board(data.decode()), change.names, nets)
            (new / path).write_bytes(text.encode())


def _rewrite_of(path: str, change: Change) -> Callable[[str], str] | None:
    if path.endswith(".kicad_sch"):
        return lambda text: rewrite_schematic(change.pins.schematic(text), change.names)
    if path.endswith(".kicad_sym"):
        return change.pins.library
    if path.endswith(".kicad_mod"):
        return change.pins.footprint
    return (lambda text: rewrite_rules(text, change.names)) if path.endswith((".kicad_pro", ".kicad_dru")) else None


def same_nets(before: Netlist, after: Netlist, change: Change, board: str) -> dict[str, str]:
    """The new full name of each net by its old; raises CopperbenchError unless both netlists join the same pins."""
    new = {frozenset(net.pins): net.name for net in after.nets}
    found = {net.name: new.get(frozenset(change.pin(*pin) for pin in net.pins), "") for net in before.nets}
    lost = sorted(name for name, renamed in found.items() if not renamed)
    if lost or len(before.nets) != len(after.nets):
        what = f"its nets are not those of the original: {', '.join(lost[:5]) or 'there are more'}"
        raise CopperbenchError(f"a variant of {board}", what, "use another seed")
    return found
