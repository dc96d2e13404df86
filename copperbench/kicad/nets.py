"""The netlist of a schematic: KiCad's names, KiCad's pins, decided without KiCad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Net:
    """A net: its full name, its pins as (refdes, pin) in natural order, and every name that it carries.

    Where KiCad's own choice of name depends on the order in which it happens to work, `ambiguous` is set and
    `ambiguity` says why; the pins then still hold, the name may not.
    """

    name: str
    pins: tuple[tuple[str, str], ...]
    names: frozenset[str]
    ambiguous: bool = False
    ambiguity: str = ""


@dataclass(frozen=True)
class Netlist:
    """All nets that have a pin, in natural order of name; `warnings` say what a reader of them should know."""

    nets: tuple[Net, ...]
    warnings: tuple[str, ...]

    def net_of(self, refdes: str, pin: str) -> Net | None:
        """The net of a pin, or None. A pin number that a symbol has twice counts for its first net."""
        return self._by_pin.get((refdes, pin))

    def named(self, name: str) -> Net | None:
        """The net that carries `name` by label, power symbol or full name (STANDARD 4.2), or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_pin(self) -> Mapping[tuple[str, str], Net]:
        found: dict[tuple[str, str], Net] = {}
        for net in self.nets:
            for pin in net.pins:
                found.setdefault(pin, net)
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, Net]:
        found = {net.name: net for net in self.nets}
        for net in self.nets:
            for name in sorted(net.names):
                found.setdefault(name, net)
        return found
