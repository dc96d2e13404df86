"""Netlists, parts and changes as JSON values and as plain tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from copperbench.kicad.changes import NetlistChange
from copperbench.kicad.nets import Netlist
from copperbench.kicad.schematic import Schematic, Symbol


def netlist_json(nets: Netlist) -> dict[str, Any]:
    """What `copperbench netlist --json` prints: nets by name, each with its pins; warnings."""
    return {
        "nets": [
            {"name": net.name, "pins": [list(pin) for pin in net.pins], "ambiguous": net.ambiguous} for net in nets.nets
        ],
        "warnings": list(nets.warnings),
    }


def symbols_json(schematic: Schematic, nets: Netlist) -> dict[str, Any]:
    """What `copperbench symbols --json` prints: title, sheets, and the parts with their pins and nets."""
    return {
        "title": schematic.title,
        "sheets": [{"path": sheet.path, "name": sheet.name, "file": sheet.file} for sheet in schematic.sheets],
        "symbols": [_symbol(symbol, nets) for symbol in schematic.symbols],
    }


def change_json(change: NetlistChange) -> dict[str, Any]:
    """What `copperbench netlist --diff A B --json` prints."""
    return {
        "nets_renamed": [{"before": old, "after": new} for old, new in change.nets_renamed],
        "nets_added": list(change.nets_added),
        "nets_removed": list(change.nets_removed),
        "pins_moved": [
            {"refdes": move.refdes, "pin": move.pin, "before": move.before, "after": move.after}
            for move in change.pins_moved
        ],
        "parts_added": list(change.parts_added),
        "parts_removed": list(change.parts_removed),
        "parts_changed": [
            {"refdes": part.refdes, "what": part.what, "before": part.before, "after": part.after}
            for part in change.parts_changed
        ],
    }


def netlist_lines(nets: Netlist) -> Iterator[str]:
    """A netlist as a table: name, number of pins, pins."""
    rows = [("net", "pins", "")]
    rows += [(net.name, str(len(net.pins)), " ".join(f"{ref}.{pin}" for ref, pin in net.pins)) for net in nets.nets]
    return _table(rows)


def symbols_lines(schematic: Schematic) -> Iterator[str]:
    """The parts as a table: reference, value, footprint, sheet, marks."""
    rows = [("refdes", "value", "footprint", "sheet", "")]
    rows += [(part.refdes, part.value, part.footprint, part.sheet, _marks(part)) for part in schematic.symbols]
    return _table(rows)


def change_lines(change: NetlistChange) -> Iterator[str]:
    """An electrical difference, one finding per line."""
    yield from (f"net renamed: {old} -> {new}" for old, new in change.nets_renamed)
    yield from (f"net added: {name}" for name in change.nets_added)
    yield from (f"net removed: {name}" for name in change.nets_removed)
    for move in change.pins_moved:
        yield f"pin moved: {move.refdes}.{move.pin}: {move.before or 'no net'} -> {move.after or 'no net'}"
    yield from (f"part added: {refdes}" for refdes in change.parts_added)
    yield from (f"part removed: {refdes}" for refdes in change.parts_removed)
    for part in change.parts_changed:
        yield f"part changed: {part.refdes}: {part.what}: '{part.before}' -> '{part.after}'"


def _symbol(symbol: Symbol, nets: Netlist) -> dict[str, Any]:
    found = ((pin, nets.net_of(symbol.refdes, pin.number)) for pin in symbol.pins)
    return {
        "refdes": symbol.refdes,
        "value": symbol.value,
        "footprint": symbol.footprint,
        "lib_id": symbol.lib_id,
        "sheet": symbol.sheet,
        "dnp": symbol.dnp,
        "in_bom": symbol.in_bom,
        "on_board": symbol.on_board,
        "fields": dict(symbol.fields),
        "pins": [
            {"number": pin.number, "name": pin.name, "type": pin.electrical, "net": net.name if net else None}
            for pin, net in found
        ],
    }


def _marks(symbol: Symbol) -> str:
    marks = {"DNP": symbol.dnp, "not in BOM": not symbol.in_bom, "not on board": not symbol.on_board}
    return ", ".join(name for name, holds in marks.items() if holds)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    clean = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in clean) for column in range(len(clean[0]))]
    for row in clean:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
