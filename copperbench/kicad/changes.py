"""What changed electrically between two schematics: nets renamed, pins moved, parts added, removed or changed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from copperbench.kicad.netlister import netlist
from copperbench.kicad.nets import Netlist
from copperbench.kicad.schematic import Schematic, Symbol
from copperbench.kicad.text import natural

Pin = tuple[str, str]
_COMPARED = ("value", "footprint", "lib_id", "dnp", "in_bom", "on_board")


@dataclass(frozen=True, slots=True)
class PinMove:
    """A pin that is on another net than before; an empty name means on none."""

    refdes: str
    pin: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PartChange:
    """A part whose `what` (value, footprint, lib_id, dnp, in_bom, on_board or the name of a field) changed."""

    refdes: str
    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class NetlistChange:
    """The electrical difference of two schematics; every tuple is in natural order.

    A net counts as renamed when most of its pins went to a net of another name; pins of parts that only one side
    has are not moves.
    """

    nets_renamed: tuple[tuple[str, str], ...]
    nets_added: tuple[str, ...]
    nets_removed: tuple[str, ...]
    pins_moved: tuple[PinMove, ...]
    parts_added: tuple[str, ...]
    parts_removed: tuple[str, ...]
    parts_changed: tuple[PartChange, ...]

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return any(getattr(self, name) for name in self.__dataclass_fields__)


def compare_netlists(before: Schematic, after: Schematic) -> NetlistChange:
    """Say what changed electrically from `before` to `after` (STANDARD 4)."""
    old_parts = {symbol.refdes: symbol for symbol in before.symbols}
    new_parts = {symbol.refdes: symbol for symbol in after.symbols}
    common = old_parts.keys() & new_parts.keys()
    old, new = _names_by_pin(netlist(before)), _names_by_pin(netlist(after))
    shared = sorted(
        (pin for pin in old.keys() | new.keys() if pin[0] in common), key=lambda pin: (natural(pin[0]), natural(pin[1]))
    )
    became = _matched(shared, old, new)
    moves = (PinMove(*pin, old.get(pin, ""), new.get(pin, "")) for pin in shared)
    old_names, new_names = set(old.values()), set(new.values())
    return NetlistChange(
        nets_renamed=tuple((name, became[name]) for name in _ordered(became) if became[name] != name),
        nets_added=tuple(_ordered(new_names - old_names - set(became.values()))),
        nets_removed=tuple(_ordered(old_names - new_names - became.keys())),
        pins_moved=tuple(move for move in moves if became.get(move.before, "") != move.after or not move.before),
        parts_added=tuple(_ordered(new_parts.keys() - common)),
        parts_removed=tuple(_ordered(old_parts.keys() - common)),
        parts_changed=tuple(
            change for refdes in _ordered(common) for change in _part_changes(old_parts[refdes], new_parts[refdes])
        ),
    )


def _names_by_pin(nets: Netlist) -> Mapping[Pin, str]:
    return {pin: net.name for net in reversed(nets.nets) for pin in net.pins}


def _matched(pins: Iterable[Pin], old: Mapping[Pin, str], new: Mapping[Pin, str]) -> Mapping[str, str]:
    """For each old net the new net that it became: the one that shares most pins, the same name first among equals."""
    overlap: dict[str, Counter[str]] = defaultdict(Counter)
    for pin in pins:
        if pin in old and pin in new:
            overlap[old[pin]][new[pin]] += 1
    pairs = sorted(
        ((count, name == other, name, other) for name, others in overlap.items() for other, count in others.items()),
        key=lambda pair: (-pair[0], not pair[1], natural(pair[2]), natural(pair[3])),
    )
    became: dict[str, str] = {}
    taken: set[str] = set()
    for same_name_only in (True, False):
        for _, same_name, name, other in pairs:
            if name not in became and other not in taken and (same_name or not same_name_only):
                became[name] = other
                taken.add(other)
    return became


def _part_changes(old: Symbol, new: Symbol) -> Iterator[PartChange]:
    for what in _COMPARED:
        if getattr(old, what) != getattr(new, what):
            yield PartChange(old.refdes, what, str(getattr(old, what)), str(getattr(new, what)))
    for name in _ordered((old.fields.keys() | new.fields.keys()) - {"Reference", "Value", "Footprint"}):
        if old.fields.get(name, "") != new.fields.get(name, ""):
            yield PartChange(old.refdes, name, old.fields.get(name, ""), new.fields.get(name, ""))


def _ordered(names: Iterable[str]) -> list[str]:
    return sorted(names, key=natural)
