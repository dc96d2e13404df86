"""What a `.kicad_pro` says that changes a netlist: text variables, bus aliases, unit letters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copperbench.kicad.files import read_file

_LARGEST = 16 * 1024 * 1024
_FIRST_LETTER = ord("A")


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a project that the netlist depends on; the defaults are KiCad's."""

    variables: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_unit: int = _FIRST_LETTER
    unit_separator: str = ""

    def unit_token(self, unit: int) -> str:
        """What a reference gains for its unit: `A`, `B`, ..., `AA`, or a number where the project says so."""
        if chr(self.first_unit).isdigit():
            return f"{self.unit_separator}{unit}"
        letters = ""
        while unit > 0:
            unit, place = divmod(unit - 1, 26)
            letters = chr(self.first_unit + place) + letters
        return self.unit_separator + letters


def load_project(path: Path) -> Project:
    """Read the project file at `path`; the defaults where there is none, or where it is not valid JSON (as KiCad does).

    Raises KicadFileError where the file is too large or no regular file.
    """
    if not path.is_file():
        return Project()
    data = read_file(path, _LARGEST)
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return Project()
    schematic = _mapping(_mapping(document).get("schematic"))
    variables = _mapping(_mapping(document).get("text_variables"))
    aliases = _mapping(schematic.get("bus_aliases"))
    first = schematic.get("subpart_first_id", _FIRST_LETTER)
    separator = schematic.get("subpart_id_separator", 0)
    return Project(
        variables={name: text for name, text in variables.items() if isinstance(text, str)},
        aliases={name: tuple(map(str, members)) for name, members in aliases.items() if isinstance(members, list)},
        first_unit=first if isinstance(first, int) and 33 <= first < 127 else _FIRST_LETTER,
        unit_separator=chr(separator) if isinstance(separator, int) and 32 < separator < 127 else "",
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
