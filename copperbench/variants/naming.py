"""Which names a variant changes, and to what: decided by the seed and the schematic alone (STANDARD 10)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from copperbench.errors import SuiteError
from copperbench.kicad import Schematic, parse_bus

_PREFIXES = ("AX", "BK", "CM", "DV", "EQ", "FT", "GH", "HW", "JB", "KN", "LZ", "MQ", "NV", "PX", "QT", "RW", "TK", "VB")
_REFDES = re.compile(r"([A-Z]+)(\d+)")
# A pattern may mean several parts at once: R[34], R1[02], R(3|4), R(?:3|12).
_NUMBERS = r"(?:\d*\[\d+\]|\((?:\?:)?\d+(?:\|\d+)+\))"
_SEVERAL = re.compile(rf"([A-Z]+)({_NUMBERS})")
# A name may follow a regular expression's escape: in \bR2\b the letter before R2 is no part of a word.
BEFORE = r"(?:(?<=\\[bBdDsSwWnt])|(?<![A-Za-z0-9_]))"
AFTER = r"(?![A-Za-z0-9_])"


@dataclass(frozen=True)
class Renaming:
    """New names by old: `nets` are the names of labels and sheet pins, `numbers` the refdes numbers by prefix.

    A refdes keeps its length, which silkscreen has room for. Numbers that no part bears have new ones too, so that a
    part that the task wants added never meets another. All names of nets get the same prefix: what was part of a name
    is part of it still, and what sorted before another sorts before it.
    """

    nets: Mapping[str, str]
    numbers: Mapping[str, Mapping[int, int]]

    def refdes(self, name: str) -> str:
        """The new name of a part; as it is where nothing of the board is called so."""
        match = _REFDES.fullmatch(name)
        if match is None or match[1] not in self.numbers:
            return name
        number = int(match[2])
        return f"{match[1]}{self.numbers[match[1]].get(number, number)}"

    def net(self, name: str) -> str:
        """The new name of a label, a sheet pin or anything else that is a net's name and nothing more."""
        return self.nets.get(name, name)

    def text(self, text: str) -> str:
        """Words about the board: every whole word that is a net's or a part's name is the new one."""
        return self._words.sub(lambda match: self._new(match[0]), text)

    def _new(self, word: str) -> str:
        several = _SEVERAL.fullmatch(word)
        if several is None:
            return self.nets.get(word) or self.refdes(word)
        prefix, (tens, _, units) = several[1], several[2].partition("[")
        numbers = [tens + unit for unit in units.rstrip("]")] or re.findall(r"\d+", several[2])
        return f"{prefix}(?:{'|'.join(self.refdes(prefix + each).removeprefix(prefix) for each in numbers)})"

    @cached_property
    def _words(self) -> re.Pattern[str]:
        nets = sorted(self.nets, key=lambda name: (-len(name), name))
        parts = [re.escape(name) for name in nets]
        parts += [rf"{prefix}(?:{_NUMBERS}|[1-9]\d*)" for prefix in sorted(self.numbers)]
        return re.compile(f"{BEFORE}(?:{'|'.join(parts)}){AFTER}") if parts else re.compile(r"(?!)")


def choose_names(schematic: Schematic, seed: int) -> Renaming:
    """The names of variant `seed` of a design.

    Power nets keep their names, which say what they are, as do buses and their members, whose names are a syntax.
    """
    uses = schematic.names
    power = {use.name for use in uses if use.kind == "power"}
    named = sorted({use.name for use in uses if use.kind != "power"} - power)
    buses = [bus for name in named if (bus := parse_bus(name, lambda _: None))]
    members = {member.name for bus in buses for member in bus.members}
    nets = [name for name in named if re.fullmatch(r"[A-Za-z0-9_]+", name) and name not in members]
    prefix = _PREFIXES[draw(f"{seed}/nets", len(_PREFIXES))]
    taken = sorted({f"{prefix}_{name}" for name in nets} & {use.name for use in uses})
    if taken:
        what = f"a net would be called {taken[0]}, as another is"
        raise SuiteError(f"variant {seed} of {schematic.root.name}", what, "use another seed")
    return Renaming({name: f"{prefix}_{name}" for name in nets}, _numbers(schematic, seed))


def _numbers(schematic: Schematic, seed: int) -> dict[str, dict[int, int]]:
    """By prefix the new number of each old one, one to one."""
    used: dict[str, set[int]] = {}
    for symbol in schematic.symbols:
        match = _REFDES.fullmatch(symbol.refdes)
        if match is not None:
            used.setdefault(match[1], set()).add(int(match[2]))
    found: dict[str, dict[int, int]] = {}
    for prefix, numbers in sorted(used.items()):
        found[prefix] = {}
        for digits in sorted({len(str(number)) for number in numbers}):
            known = sorted(number for number in numbers if len(str(number)) == digits)
            found[prefix] |= _spread(known, digits, f"{seed}/{prefix}")
    return found


def _spread(used: list[int], digits: int, seed: str) -> dict[int, int]:
    """New numbers of the same length: growing as the old ones do where there is room, else moved round in a circle."""
    least = 10 ** (digits - 1)
    room = range(least, min(10**digits, max(least + 2 * len(used), used[-1] + 1)))
    if len(used) == len(room):
        turn = 1 + draw(f"{seed}/{digits}", len(room) - 1) if len(room) > 1 else 0
        return {number: room[(at + turn) % len(room)] for at, number in enumerate(room)}
    for again in range(100):
        order = sorted(room, key=lambda number: draw(f"{seed}/{again}/{number}", 2**32))
        chosen = sorted(order[: len(used)])
        if chosen != used:
            break
    unused = [number for number in room if number not in used]
    return dict(zip((*used, *unused), (*chosen, *(each for each in room if each not in chosen)), strict=True))


def draw(what: str, sides: int) -> int:
    """A number below `sides` that is the same on every machine and in every version of Python."""
    return int.from_bytes(hashlib.sha256(what.encode()).digest()[:8], "big") % sides
