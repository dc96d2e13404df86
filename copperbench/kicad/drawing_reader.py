"""From a `.kicad_sch` file's text to a `Drawing` (file formats of KiCad 6 to 10)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from copperbench.kicad.drawing import Drawing, Label, Line, PlacedSymbol, Placement, Point, SheetPin, SheetSymbol
from copperbench.kicad.library import KNOWN_VERSION, read_library
from copperbench.kicad.sexpr import Node, Source, child, decode, flag, head, lists, parse, pruning, value, word

_UNITS_PER_MM = 10_000
_FARTHEST_MM = 1e6
_TURNS = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}
_SWALLOWED = """
arc bezier circle color diameter do_not_autoplace effects embedded_files embedded_fonts exclude_from_sim
fields_autoplaced fill generator generator_version group image in_pos_files length page paper pin_names pin_numbers
polyline rectangle sheet_instances show_name stroke table text text_box variant
"""
_READ = """
bus bus_alias bus_entry directive_label global_label hierarchical_label host junction label lib_symbols netclass_flag
no_connect rule_area sheet symbol symbol_instances title_block uuid version wire
"""
_KNOWN_ITEMS = frozenset((_SWALLOWED + _READ).split())


@cache
def _tokens() -> re.Pattern[str]:
    pin_of_symbol = r'\(pin\s++"[^"\\]*+"\s*+\(uuid\s++[^()]*+\)\s*+\)'
    return pruning(_SWALLOWED.split(), whole=[pin_of_symbol])


def read_drawing(data: bytes, name: str) -> Drawing:
    """Read one schematic file; `name` is what errors call it.

    Raises KicadFileError (`file:line:column`) where KiCad would not load the file.
    """
    source = read_tree(data, name)
    if head(source.root) != "kicad_sch":
        raise source.fault(source.root, "not a KiCad schematic (no kicad_sch list)", "name a .kicad_sch file")
    return _DrawingReader(source).drawing()


def read_tree(data: bytes, name: str) -> Source:
    """The tree of a schematic file without graphics and text effects. Raises KicadFileError."""
    return parse(decode(data, name), name, _tokens())


class _DrawingReader:
    """The reading of one file: knows the version, and where a fault stands."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.root = source.root
        self.version = self._version()
        self.items = self._items()

    def drawing(self) -> Drawing:
        library = child(self.root, "lib_symbols")
        table = child(self.root, "symbol_instances")
        return Drawing(
            name=self.source.name,
            version=self.version,
            uuid=value(self.root, "uuid"),
            title=self._title(),
            library={} if library is None else read_library(self.source, library, self.version),
            symbols=tuple(self._symbol(node) for node in self._of("symbol")),
            lines=tuple(self._lines()),
            entries=tuple(self._entry(node) for node in self._of("bus_entry")),
            junctions=tuple(self._at(node) for node in self._of("junction")),
            no_connects=tuple(self._at(node) for node in self._of("no_connect")),
            labels=tuple(self._labels()),
            sheets=tuple(self._sheet(node) for node in self._of("sheet")),
            aliases={word(node): _texts(child(node, "members")) for node in self._of("bus_alias")},
            placements={} if table is None else {row.path: row for row in self._placements(table)},
            clears_board=any(not flag(node, "on_board", default=True) for node in self._of("rule_area")),
        )

    def _version(self) -> int:
        text = value(self.root, "version")
        if not (text.isascii() and text.isdigit() and len(text) == 8):
            raise self.source.fault(self.root, "no file version", "save the file with KiCad 6 or later")
        return int(text)

    def _items(self) -> Mapping[str, list[Node]]:
        found: dict[str, list[Node]] = {}
        for item in self.root[1:]:
            if not isinstance(item, list):
                raise self.source.fault(self.root, f"'{item[:40]}' stands outside of any list")
            key = head(item)
            if key not in _KNOWN_ITEMS and self.version <= KNOWN_VERSION:
                raise self.source.fault(item, f"'{key[:40]}' is no schematic item")
            found.setdefault(key, []).append(item)
        return found

    def _of(self, key: str) -> list[Node]:
        return self.items.get(key, [])

    def _title(self) -> Mapping[str, str]:
        block = child(self.root, "title_block")
        if block is None:
            return {}
        plain = {key: value(block, key) for key in ("title", "date", "rev", "company")}
        return plain | {f"comment{word(node)}": word(node, 2) for node in lists(block, "comment")}

    def _lines(self) -> Iterator[Line]:
        for kind in ("wire", "bus"):
            for node in self._of(kind):
                points = child(node, "pts")
                ends = [] if points is None else [self._point(xy) for xy in lists(points, "xy")]
                if len(ends) != 2:
                    raise self.source.fault(node, f"a {kind} of {len(ends)} points instead of two")
                yield Line(ends[0], ends[1], kind == "bus")

    def _entry(self, node: Node) -> tuple[Point, Point]:
        x, y = self._at(node)
        size = child(node, "size")
        if size is None:
            raise self.source.fault(node, "a bus entry without a size")
        dx, dy = self._point(size)
        return (x, y), (x + dx, y + dy)

    def _labels(self) -> Iterator[Label]:
        for kind in ("label", "global_label", "hierarchical_label"):
            for node in self._of(kind):
                yield Label(kind, word(node), self._at(node))

    def _symbol(self, node: Node) -> PlacedSymbol:
        position = child(node, "at")
        if position is None:
            raise self.source.fault(node, "a symbol without a position")
        lib_id = value(node, "lib_id")
        return PlacedSymbol(
            uuid=value(node, "uuid"),
            lib_id=lib_id,
            library_key=value(node, "lib_name") or lib_id,
            at=self._point(position),
            matrix=self._matrix(node, position),
            unit=self._whole(node, value(node, "unit", "1")),
            style=self._whole(node, value(node, "body_style") or value(node, "convert", "1")),
            in_bom=flag(node, "in_bom", default=True),
            on_board=flag(node, "on_board", default=True),
            dnp=flag(node, "dnp"),
            fields=_fields(node),
            alternates={word(pin): value(pin, "alternate") for pin in lists(node, "pin") if child(pin, "alternate")},
            placements=tuple(self._instances(node)),
        )

    def _matrix(self, node: Node, position: Node) -> tuple[int, int, int, int]:
        angle = self._number(position, word(position, 3, "0"))
        turn = _TURNS.get(int(angle) % 360)
        if turn is None or angle != int(angle):
            raise self.source.fault(position, f"a symbol cannot be turned by {angle:g} degrees")
        a, b, c, d = turn
        mirror = value(node, "mirror")
        if mirror == "x":
            c, d = -c, -d
        elif mirror == "y":
            a, b = -a, -b
        elif mirror:
            raise self.source.fault(node, f"a symbol cannot be mirrored in '{mirror[:40]}'")
        return a, -b, c, -d

    def _instances(self, node: Node) -> Iterator[Placement]:
        for instances in lists(node, "instances"):
            for project in lists(instances, "project"):
                yield from self._placements(project)

    def _placements(self, table: Node) -> Iterator[Placement]:
        for row in lists(table, "path"):
            unit = self._whole(row, value(row, "unit", "1"))
            fields = child(row, "value"), child(row, "footprint")
            texts = [None if field is None else word(field) for field in fields]
            yield Placement(word(row), value(row, "reference"), unit, *texts)

    def _sheet(self, node: Node) -> SheetSymbol:
        fields = _fields(node)
        file = fields.get("Sheetfile", fields.get("Sheet file", ""))
        if not file:
            raise self.source.fault(node, "a sheet that names no file")
        return SheetSymbol(
            uuid=value(node, "uuid"),
            name=fields.get("Sheetname", fields.get("Sheet name", "")),
            file=file,
            on_board=flag(node, "on_board", default=True),
            fields=fields,
            pins=tuple(SheetPin(word(pin), word(pin, 2), self._on_outline(node, pin)) for pin in lists(node, "pin")),
        )

    def _on_outline(self, sheet: Node, pin: Node) -> Point:
        """Where KiCad puts a sheet's pin: on the nearest edge, then on the side that its angle names."""
        size = child(sheet, "size")
        if size is None:
            raise self.source.fault(sheet, "a sheet without a size")
        (left, top), (width, height) = self._at(sheet), self._point(size)
        right, bottom = left + width, top + height
        x, y = self._at(pin)
        inside = min(max(x, left), right), min(max(y, top), bottom)
        edges = [(inside[0], top), (right, inside[1]), (inside[0], bottom), (left, inside[1])]
        x, y = min(edges, key=lambda edge: (edge[0] - x) ** 2 + (edge[1] - y) ** 2)
        sides = {0: (right, y), 90: (x, top), 180: (left, y), 270: (x, bottom)}
        angle = self._number(pin, word(child(pin, "at") or [], 3, "0"))
        if angle not in sides:
            raise self.source.fault(pin, f"a sheet's pin cannot have the angle {angle:g}")
        return sides[int(angle)]

    def _at(self, node: Node) -> Point:
        position = child(node, "at")
        if position is None:
            raise self.source.fault(node, f"a {head(node)} without a position")
        return self._point(position)

    def _point(self, node: Node) -> Point:
        return (
            round(self._number(node, word(node, 1)) * _UNITS_PER_MM),
            round(self._number(node, word(node, 2)) * _UNITS_PER_MM),
        )

    def _number(self, node: Node, text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not -_FARTHEST_MM < number < _FARTHEST_MM:
            raise self.source.fault(node, f"'{text[:40]}' is no coordinate")
        return number

    def _whole(self, node: Node, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 6):
            raise self.source.fault(node, f"'{text[:40]}' is no unit number")
        return int(text)


def _fields(node: Node) -> Mapping[str, str]:
    return {word(field): word(field, 2) for field in lists(node, "property")}


def _texts(node: Node | None) -> tuple[str, ...]:
    return () if node is None else tuple(item for item in node[1:] if isinstance(item, str))
