"""One `.kicad_sch` file as it is drawn: what stands on the sheet, before any hierarchy or connection.

Named tuples, since a big design has tens of thousands of these and they never leave this room.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

Point = tuple[int, int]
"""A position in KiCad's internal units of 100 nm, y growing downward."""


class LibPin(NamedTuple):
    """A pin of a library symbol. `number` is as stored (`[1-3]` is three pins); `alternates` name a pin type each."""

    number: str
    name: str
    electrical: str
    at: Point
    hidden: bool
    unit: int
    style: int
    alternates: Mapping[str, str]


class LibSymbol(NamedTuple):
    """A symbol of a sheet's own library copy. `power` is `global`, `local` or empty; `reference` its prefix."""

    name: str
    reference: str
    power: str
    units: int
    pins: tuple[LibPin, ...]
    joins_equal_numbers: bool
    joined_groups: tuple[tuple[str, ...], ...]


class Placement(NamedTuple):
    """What a placed symbol is called on one sheet instance; `path` is KiCad's `/uuid/uuid` of that instance."""

    path: str
    reference: str
    unit: int
    value: str | None = None
    footprint: str | None = None


class PlacedSymbol(NamedTuple):
    """A symbol on the sheet. `matrix` turns library coordinates (y up) into sheet coordinates."""

    uuid: str
    lib_id: str
    library_key: str
    at: Point
    matrix: tuple[int, int, int, int]
    unit: int
    style: int
    in_bom: bool
    on_board: bool
    dnp: bool
    fields: Mapping[str, str]
    alternates: Mapping[str, str]
    placements: tuple[Placement, ...]


class Line(NamedTuple):
    """A wire, or a bus, from `start` to `end`."""

    start: Point
    end: Point
    bus: bool


class Label(NamedTuple):
    """A label of `kind` `label`, `global_label` or `hierarchical_label`; `text` as stored."""

    kind: str
    text: str
    at: Point


class SheetPin(NamedTuple):
    """A pin on the outline of a sheet symbol; `shape` is its direction."""

    text: str
    shape: str
    at: Point


class SheetSymbol(NamedTuple):
    """A sub-sheet as placed on its parent; `file` as stored, relative to the parent's folder."""

    uuid: str
    name: str
    file: str
    on_board: bool
    fields: Mapping[str, str]
    pins: tuple[SheetPin, ...]


class Drawing(NamedTuple):
    """A whole schematic file; `placements` is the table of files before 20221002, keyed by symbol path.

    `clears_board`: a rule area takes the parts in it off the board.
    """

    name: str
    version: int
    uuid: str
    title: Mapping[str, str]
    library: Mapping[str, LibSymbol]
    symbols: tuple[PlacedSymbol, ...]
    lines: tuple[Line, ...]
    entries: tuple[tuple[Point, Point], ...]
    junctions: tuple[Point, ...]
    no_connects: tuple[Point, ...]
    labels: tuple[Label, ...]
    sheets: tuple[SheetSymbol, ...]
    aliases: Mapping[str, tuple[str, ...]]
    placements: Mapping[str, Placement]
    clears_board: bool
