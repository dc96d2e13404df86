"""How large a design is, and which nets a task could build on (STANDARD 13)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from copperbench.curation.design import Candidate
from copperbench.errors import KicadFileError
from copperbench.kicad import netlist
from copperbench.suite import Tier

_MOST_NAMES = 12
_UNNAMED = re.compile(r"(Net-\(|unconnected-\()")
_MEDIUM_SYMBOLS, _HARD_SHEETS = 50, 8


@dataclass(frozen=True, slots=True)
class Scale:
    """Lines of all schematic files and of the board (None without one), parts, schematic files, names of nets."""

    schematic_lines: int
    board_lines: int | None
    symbols: int
    sheets: int
    files: int
    signal_nets: tuple[str, ...]
    power_nets: tuple[str, ...]

    @property
    def tier(self) -> Tier:
        """The tier that the size alone suggests; reasoning load decides, so a curator has the last word."""
        if self.sheets >= _HARD_SHEETS:
            return "hard"
        return "medium" if self.sheets > 1 or self.symbols > _MEDIUM_SYMBOLS else "simple"


def scale_of(candidate: Candidate, tree: Path) -> Scale:
    """The scale of a design whose files lie in `tree`. The nets are those with most pins, a dozen of each kind."""
    read = candidate.read
    sheets = [path for path in candidate.files if path.endswith(".kicad_sch")]
    power = {use.name for use in read.names if use.kind == "power"}
    try:
        nets = sorted(netlist(read).nets, key=lambda net: (-len(net.pins), net.name))
    except KicadFileError:
        nets = []
    named = [net.name.removeprefix("/") for net in nets if not _UNNAMED.match(net.name)]
    signals = [name for name in named if name not in power and "/" not in name]
    return Scale(
        schematic_lines=sum(_lines(tree / path) for path in sheets),
        board_lines=None if candidate.board is None else _lines(tree / candidate.board),
        symbols=len(read.symbols),
        sheets=len(sheets),
        files=len(candidate.files),
        signal_nets=tuple(sorted(dict.fromkeys(signals[:_MOST_NAMES]))),
        power_nets=tuple(sorted({name for name in named if name in power})),
    )


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")
