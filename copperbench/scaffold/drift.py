"""Where documents and schematic disagree: the harness's drift rules, judged by our exact netlist."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copperbench.scaffold.nets import documented_net, right_names
from copperbench.scaffold.tables import Table, plain, tables

if TYPE_CHECKING:
    from copperbench.kicad import Netlist, Schematic, Symbol

_FOLDED = str.maketrans(
    {"≥": ">=", "≤": "<=", "Ω": "ohm", "ω": "ohm", "μ": "u", "‘": "'", "’": "'", "′": "'", "“": '"', "”": '"', "″": '"'}
)
_INCH = re.compile(r"(?<=\d)(?:inch(?:es)?|in|'')(?![a-z])")
_OHMS = re.compile(r"ohms(?![a-z])")
_BOM_FALLBACK = {"Refdes": 0, "Value": 1, "Footprint": 2}


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One disagreement: the document, the row (`R1`, `U1:3`) and column it is about, its claim and what is so."""

    doc: str
    row: str
    column: str
    claim: str
    actual: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes it the same mismatch in two trees: document, row, column (STANDARD 4, `drift_clean`)."""
        return self.doc, self.row, self.column

    def __str__(self) -> str:
        return f"{self.doc}: {self.row} {self.column} {self.claim!r}, the schematic has {self.actual!r}"


def drift(docs: Mapping[str, str], schematic: Schematic, nets: Netlist | None = None) -> tuple[Mismatch, ...]:
    """Every mismatch of the bill of materials and the pinout with a schematic (STANDARD 4, `drift_clean`).

    `docs` maps paths to Markdown; those named BOM.md and PINOUT.md are judged, the others never are. Only tables with
    a header cell `Refdes` or `Pin` (any case) count. BOM: the part exists, a Value that is given equals the symbol's
    (NFKC, ohm, micro, quotes, inch, comparison signs folded; case and blanks ignored), a Footprint that is given
    equals it, every symbol has a row; a row that names several parts is the row of none. Pinout: the pin exists and
    Net is KiCad's name of its net, with or without the leading `/`; empty and `NC` both mean no net. Backticks around
    a cell are not part of it. Pins that the pinout leaves out are no drift. `nets` is the schematic's netlist where the
    caller has it already.

    Raises DocumentTooLarge for a document that no board needs.
    """
    from copperbench.kicad import netlist

    if not schematic.symbols:
        return ()
    found: list[Mismatch] = []
    for doc, text in docs.items():
        name = doc.rsplit("/", 1)[-1]
        if name == "BOM.md":
            found += _bom(doc, _part_tables(text, doc), schematic)
        elif name == "PINOUT.md":
            found += _pinout(doc, _part_tables(text, doc), schematic, nets or netlist(schematic))
    return tuple(found)


def fold(value: str) -> str:
    """A component value as it is compared: `4.7 kΩ`, `4.7kohm` and `4.7KOhm` are one."""
    folded = unicodedata.normalize("NFKC", plain(value)).casefold().translate(_FOLDED)
    return _OHMS.sub("ohm", _INCH.sub('"', "".join(folded.split())))


def _part_tables(text: str, doc: str) -> tuple[Table, ...]:
    return tuple(
        table for table in tables(text, doc) if {"refdes", "pin"} & {cell.casefold() for cell in table.headers}
    )


def _bom(doc: str, found: tuple[Table, ...], schematic: Schematic) -> Iterator[Mismatch]:
    symbols = _by_refdes(schematic)
    listed = set()
    for table in found:
        columns = {name: _bom_column(table, name) for name in _BOM_FALLBACK}
        for row in table.rows:
            cell = {name: _bare(row[at]) if at is not None else "" for name, at in columns.items()}
            refdes = cell["Refdes"]
            if not refdes:
                continue
            listed.add(refdes)
            symbol = symbols.get(refdes)
            if symbol is None:
                yield Mismatch(doc, refdes, "Refdes", refdes, "absent")
                continue
            if cell["Value"] and fold(cell["Value"]) != fold(_bare(plain(symbol.value))):
                yield Mismatch(doc, refdes, "Value", cell["Value"], symbol.value)
            if cell["Footprint"] and cell["Footprint"] != _bare(plain(symbol.footprint)):
                yield Mismatch(doc, refdes, "Footprint", cell["Footprint"], symbol.footprint)
    for refdes in symbols:
        if refdes and refdes not in listed:
            yield Mismatch(doc, refdes, "Refdes", "absent", "exists")


def _pinout(doc: str, found: tuple[Table, ...], schematic: Schematic, nets: Netlist) -> Iterator[Mismatch]:
    pins = {
        (refdes, plain(pin.number)): (symbol.refdes, pin.number)
        for refdes, symbol in _by_refdes(schematic).items()
        for pin in symbol.pins
    }
    for table in found:
        pin_at, net_at = table.column("Pin"), table.column("Net")
        if pin_at is None or net_at is None:
            yield Mismatch(doc, "", "Pin" if pin_at is None else "Net", "absent", "needed in a pinout table")
            continue
        part_at = table.column("Refdes")
        for row in table.rows:
            pin, claim = _bare(row[pin_at]), _bare(row[net_at])
            part = _bare(row[part_at]) if part_at is not None else ""
            if not part:
                part, _, pin = pin.partition(":")
            if not part and not pin:
                continue
            place = pins.get((part, pin))
            if place is None:
                yield Mismatch(doc, f"{part}:{pin}", "Pin", f"{part}:{pin}", "absent")
                continue
            names = {_bare(plain(name)) for name in right_names(nets.net_of(*place))}
            if claim not in names and not (claim == "NC" and "" in names):
                yield Mismatch(doc, f"{part}:{pin}", "Net", claim, documented_net(nets, *place))


def _by_refdes(schematic: Schematic) -> dict[str, Symbol]:
    return {_bare(plain(symbol.refdes)): symbol for symbol in schematic.symbols}


def _bom_column(table: Table, name: str) -> int | None:
    at = table.column(name)
    if at is not None:
        return at
    fallback = _BOM_FALLBACK[name]
    return fallback if fallback < len(table.headers) else None


def _bare(cell: str) -> str:
    """A cell without the backticks around it."""
    text = cell.strip()
    while len(text) > 1 and text[0] == text[-1] == "`":
        text = text[1:-1].strip()
    return text
