"""Pin numbers that change places in a symbol and its footprint together, so that copper stays right (STANDARD 10).

Nothing moves: a pin keeps its place on the sheet, its pad the place on the board and its net. Only the numbers that
both are called by are dealt out anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from copperbench.errors import SuiteError
from copperbench.kicad import Schematic, Symbol
from copperbench.variants.naming import AFTER, BEFORE, draw

_PIN = re.compile(r'\(pin "([^"]+)"')
_NUMBERED = re.compile(r'\(name "([^"]*)"(?P<between>.*?)\(number "([^"]+)"', re.DOTALL)
_PAD = re.compile(r'\(pad "([^"]+)"')
_FUNCTION = re.compile(r'\(pinfunction "([^"]*)_([^"_]+)"')


@dataclass(frozen=True)
class Pins:
    """New pin numbers by old: by library symbol, by footprint and by the refdes of the parts that are one."""

    symbols: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    footprints: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    parts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def number(self, refdes: str, pin: str) -> str:
        """The new number of a part's pin; `refdes` is the part's old name."""
        return self.parts.get(refdes, {}).get(pin, pin)

    def text(self, text: str) -> str:
        """Words about the board: J4.2, J4:2 and J4 pin 2 follow, also where a pattern escapes the point."""
        return self._words.sub(lambda match: match[1] + match[2] + self.number(match[1], match[3]), text)

    @cached_property
    def _words(self) -> re.Pattern[str]:
        parts = "|".join(sorted(self.parts)) or "(?!)"
        return re.compile(rf"{BEFORE}({parts})(\\?[.:]|,? pin )(\d+){AFTER}")

    def schematic(self, text: str) -> str:
        """A `.kicad_sch`: the library symbols that it carries, and the pins of the symbols placed."""
        for name, numbers in self.symbols.items():
            text = _in_blocks(text, f'(symbol "{name}"', _numbered(numbers))
            text = _in_blocks(text, "(symbol\n", _placed(name, numbers))
        return text

    def library(self, text: str) -> str:
        """A `.kicad_sym`, where a symbol's name stands without its library's."""
        for name, numbers in self.symbols.items():
            text = _in_blocks(text, f'(symbol "{name.rpartition(":")[2]}"', _numbered(numbers))
        return text

    def footprint(self, text: str) -> str:
        """A `.kicad_mod`."""
        for name, numbers in self.footprints.items():
            text = _in_blocks(text, f'(footprint "{name.rpartition(":")[2]}"', _pads(numbers))
        return text

    def board(self, text: str) -> str:
        """A `.kicad_pcb`: the pads of every footprint placed."""
        for name, numbers in self.footprints.items():
            text = _in_blocks(text, f'(footprint "{name}"', _pads(numbers))
        return text


def choose_pins(schematic: Schematic, declared: Mapping[str, tuple[str, ...]], seed: int, board: str) -> Pins:
    """The pin numbers of variant `seed` of a board; `declared` names by library symbol the pins that trade numbers.

    Raises SuiteError for a symbol that is not there, lacks such a pin or has two with a number, or shares its footprint
    with another symbol.
    """
    symbols: dict[str, dict[str, str]] = {}
    footprints: dict[str, dict[str, str]] = {}
    parts: dict[str, dict[str, str]] = {}
    for name, pins in sorted(declared.items()):
        place = f"config/variants.yaml: $.boards.{board}.pins.{name}"
        placed = [symbol for symbol in schematic.symbols if symbol.lib_id == name]
        for fault in _unfit(schematic, placed, pins):
            raise SuiteError(place, fault, "leave it out, or name pins that one footprint of its own carries")
        symbols[name] = _dealt(pins, f"{seed}/pins/{name}")
        footprints[placed[0].footprint] = symbols[name]
        parts |= {symbol.refdes: symbols[name] for symbol in placed}
    return Pins(symbols, footprints, parts)


def _unfit(schematic: Schematic, placed: list[Symbol], pins: tuple[str, ...]) -> Iterator[str]:
    if not placed:
        yield "is not on the board"
        return
    carried = {symbol.footprint for symbol in placed}
    if len(carried) > 1 or any(
        symbol.footprint in carried and symbol.lib_id != placed[0].lib_id for symbol in schematic.symbols
    ):
        yield "shares a footprint with another symbol, or has several"
    numbers = [pin.number for pin in placed[0].pins]
    for pin in pins:
        if numbers.count(pin) != 1:
            yield f"has {numbers.count(pin)} pins numbered {pin}"


def _dealt(pins: tuple[str, ...], seed: str) -> dict[str, str]:
    """New numbers by old, at least one of them another."""
    for again in range(100):
        order = sorted(pins, key=lambda pin: draw(f"{seed}/{again}/{pin}", 2**32))
        if tuple(order) != pins:
            break
    return dict(zip(pins, order, strict=True))


def _numbered(numbers: Mapping[str, str]) -> Callable[[str], str]:
    """A name that is nothing but the number follows it; any other is the pin's own and stays with the pin."""

    def said(match: re.Match[str]) -> str:
        name, old = match[1], match[3]
        new = numbers.get(old, old)
        return f'(name "{new if name == old else name}"{match["between"]}(number "{new}"'

    return lambda block: _NUMBERED.sub(said, block)


def _placed(name: str, numbers: Mapping[str, str]) -> Callable[[str], str]:
    """A pin of a placed symbol is known by its number; what hangs on it goes with the pin."""

    def change(block: str) -> str:
        if f'(lib_id "{name}")' not in block:
            return block
        return _PIN.sub(lambda match: f'(pin "{numbers.get(match[1], match[1])}"', block)

    return change


def _pads(numbers: Mapping[str, str]) -> Callable[[str], str]:
    """Pads, and what a board notes of a pad's pin: its name and number in one."""

    def function(match: re.Match[str]) -> str:
        name, old = match[1], match[2]
        new = numbers.get(old, old)
        return f'(pinfunction "{new if name == old else name}_{new}"'

    def change(block: str) -> str:
        block = _PAD.sub(lambda match: f'(pad "{numbers.get(match[1], match[1])}"', block)
        return _FUNCTION.sub(function, block)

    return change


def _in_blocks(text: str, start: str, change: Callable[[str], str]) -> str:
    """Change every s-expression of `text` that begins with `start`; all else stays as it is."""
    pieces, at = [], 0
    while (found := text.find(start, at)) >= 0:
        end = _end(text, found)
        pieces += [text[at:found], change(text[found:end])]
        at = end
    return "".join((*pieces, text[at:]))


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[()]')


def _end(text: str, start: int) -> int:
    """Where the s-expression that opens at `start` is closed."""
    depth = 0
    for token in _TOKENS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)
