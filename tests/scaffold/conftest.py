"""Schematics made of a few values, for tests of documents that need no drawing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from copperbench.kicad import Net, Netlist, Symbol, SymbolPin


@dataclass(frozen=True)
class Drawn:
    """What `drift` and `write_documents` read of a schematic."""

    symbols: tuple[Symbol, ...]


def part(
    refdes: str, pins: Mapping[str, str], value: str = "10k", footprint: str = "lib:R", sheet: str = "/"
) -> Symbol:
    numbered = tuple(SymbolPin(number, name, "passive") for number, name in pins.items())
    return Symbol(refdes, value, footprint, "lib:R", sheet, False, True, True, {}, numbered)


def wired(*nets: tuple[str, str], **pins: str) -> Netlist:
    """Nets by name from `R1.2=...` style keyword arguments (`R1_2="DATA"`)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for pin, net in (*nets, *pins.items()):
        refdes, _, number = pin.rpartition("_")
        found.setdefault(net, []).append((refdes, number))
    return Netlist(
        tuple(Net(name, tuple(found[name]), frozenset({name, name.lstrip("/")})) for name in sorted(found)), ()
    )


@pytest.fixture
def make_part() -> Callable[..., Symbol]:
    return part


@pytest.fixture
def wire() -> Callable[..., Netlist]:
    return wired


@pytest.fixture
def draw() -> Callable[..., Drawn]:
    return lambda *symbols: Drawn(tuple(symbols))
