"""Our own `init`: the design documents of a fresh project, deterministic and with nets that are right."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from copperbench.publish import json_bytes
from copperbench.scaffold.constraints import CONFIG_PATH, DEFAULTS
from copperbench.scaffold.nets import documented_net
from copperbench.scaffold.tables import cell_text, plain
from copperbench.suite import Fixture

if TYPE_CHECKING:
    from copperbench.kicad import Netlist, Schematic, Symbol

_README = """\
# Project records

- `config.json`: the schematic and board of this project, its budgets and the limits of a run.
- `constraints.json`: registered limits by key; each names its source and what it affects.
- `runs/`: transcripts of runs; ignored by git.
"""
_UNVERIFIED = "UNVERIFIED"
_RATIONALE = "Taken over from the schematic; not reviewed."


def init(root: Path, fixture: Fixture, budgets: Mapping[str, float]) -> tuple[str, ...]:
    """Write the design documents and `.copperhead/` for the fixture's schematic (STANDARD 2, step 2).

    Returns the paths written, sorted. Same schematic and budgets, same bytes: no date, path or machine is in them.
    Raises KicadFileError when the schematic cannot be read.
    """
    from copperbench.kicad import load_schematic

    schematic = load_schematic(root / fixture.schematic, within=root)
    documents = {
        f"docs/{name}": text.encode() for name, text in write_documents(schematic, fixture.schematic, budgets).items()
    }
    config = {
        **DEFAULTS,
        "board": fixture.board,
        "budgets": dict(budgets),
        "generatedHashes": {
            PurePosixPath(path).name: hashlib.sha256(data).hexdigest()
            for path, data in documents.items()
            if not path.endswith(("DECISIONS.md", "CHANGELOG.md"))
        },
        "llmCache": False,
        "schematic": fixture.schematic,
    }
    files = {**documents, CONFIG_PATH: json_bytes(config), ".copperhead/README.md": _README.encode()}
    for path, data in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    return tuple(sorted(files))


def write_documents(
    schematic: Schematic, path: str, budgets: Mapping[str, float], nets: Netlist | None = None
) -> Mapping[str, str]:
    """The seven documents by file name; `path` names the root sheet in the title of the specification.

    `nets` is the schematic's netlist where the caller has it already.
    """
    from copperbench.kicad import netlist

    title = cell_text(PurePosixPath(path).stem)
    return {
        "SPEC.md": _spec(title, budgets),
        "BOM.md": _bom(schematic),
        "PINOUT.md": _pinout(schematic, nets or netlist(schematic)),
        "SUBSYSTEMS.md": _subsystems(schematic),
        "LAYOUT.md": "# Layout\n\n## Draft quality\n\n<!-- Placement, lengths, clearances to respect. -->\n",
        "DECISIONS.md": "# Decisions\n",
        "CHANGELOG.md": "# Changelog\n",
    }


def _spec(title: str, budgets: Mapping[str, float]) -> str:
    lines = [f"- {key}: {_number(budgets[key])}" for key in sorted(budgets)]
    stated = "\n".join(lines) or "<!-- Limits that the design must keep, one `- name: value` per line. -->"
    return (
        f"# {title} — Specification\n\n## Budgets\n\n{stated}\n\n"
        "## Assumptions\n\n<!-- What the design takes for granted, and from whom. -->\n"
    )


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _bom(schematic: Schematic) -> str:
    rows = ((part.refdes, part.value, part.footprint, _UNVERIFIED, _RATIONALE) for part in schematic.symbols)
    return "# Bill of materials\n\n" + _table(("Refdes", "Value", "Footprint", "MPN", "Rationale"), rows)


def _pinout(schematic: Schematic, nets: Netlist) -> str:
    """All pins of the integrated circuits; on a board without any, all pins of all parts."""
    circuits = tuple(part for part in schematic.symbols if part.refdes.startswith("U"))
    rows = (
        (part.refdes, pin.number, pin.name, documented_net(nets, part.refdes, pin.number), "")
        for part in circuits or schematic.symbols
        for pin in part.pins
    )
    return "# Pinout\n\n" + _table(("Refdes", "Pin", "Name", "Net", "Notes"), rows)


def _subsystems(schematic: Schematic) -> str:
    sheets: dict[str, list[Symbol]] = {}
    for part in schematic.symbols:
        sheets.setdefault(part.sheet, []).append(part)
    parts = [
        f"## Sheet {plain(sheet)}\n\n"
        + "".join(f"- {plain(part.refdes)}: {plain(part.value)}\n" for part in sheets[sheet])
        for sheet in sorted(sheets)
    ]
    return "\n".join(["# Subsystems\n", *parts])


def _table(headers: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [headers, tuple("---" for _ in headers), *(tuple(cell_text(cell) for cell in row) for row in rows)]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)
