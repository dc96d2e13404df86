"""Schematic sheets. All coordinates are grid units of 1.27 mm, y down."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from .sexpr import Node, Q, dump, optional, uid
from .symbols import G, Symbol, effects, prop, to_node

Point = tuple[int, int]
Spot = tuple[float, float, str]  # offset of a field from its symbol, and its justification
_TURN = {0: (1, 0, 0, 1), 90: (0, 1, -1, 0), 180: (-1, 0, 0, -1), 270: (0, -1, 1, 0)}
_STROKE: Node = ["stroke", ["width", 0], ["type", "default"]]
_ORDER = [
    "rectangle",
    "text",
    "junction",
    "no_connect",
    "bus_entry",
    "wire",
    "label",
    "global_label",
    "hierarchical_label",
    "symbol",
    "sheet",
]


def _at(point: Point, *angle: int) -> Node:
    return ["at", point[0] * G, point[1] * G, *angle]


@dataclass
class Part:
    """A placed symbol; `refs` holds one reference per instance of the sheet."""

    symbol: Symbol
    refs: list[str]
    value: str
    footprint: str
    at: Point
    angle: int
    mirror: bool = False
    dnp: bool = False
    spots: tuple[Spot, Spot] | None = None  # where the reference and the value go
    fields: Mapping[str, str] = field(default_factory=dict)

    def pin(self, number: str) -> Point:
        """Where a pin ends on the sheet."""
        pin = next(p for p in self.symbol.pins if p.number == number)
        a, b, c, d = _TURN[self.angle]
        x, y = a * pin.x - b * pin.y, c * pin.x - d * pin.y
        return self.at[0] + int(-x if self.mirror else x), self.at[1] + int(y)

    def field_spots(self) -> tuple[Spot, Spot]:
        """Where the reference and the value stand."""
        (hw, hh), kind = self.symbol.box, self.symbol.prefix
        if self.spots:
            return self.spots
        if self.symbol.power:
            return (0, 0, ""), (0, -2.1 if self.value.startswith("GND") == (self.angle == 180) else 2.6, "")
        if kind == "TP":
            return (0, -3.2, ""), (0, -4.6, "")
        if self.symbol.named:
            return (-hw, -hh - 2.5, "left"), (-hw, -hh - 1.1, "left")
        if self.angle in (90, 270):
            return (0, -2.1, ""), (0, 2.1, "")
        return (hw + 1, -0.7, "left"), (hw + 1, 0.7, "left")


@dataclass
class Project:
    """A design: its own symbol and footprint library, its sheets, the first of which is the root."""

    name: str
    library: str
    symbols: dict[str, Symbol]
    footprint: str = ""  # of parts that name none
    sheets: list[Sheet] = field(default_factory=list)
    pages: int = 1
    counters: Counter[str] = field(default_factory=Counter)

    def sheet(self, file: str, title: str, comment: str = "") -> Sheet:
        """Add a sheet; the first is the root, the others are placed with `Sheet.child`."""
        self.sheets.append(Sheet(self, file, title, comment))
        return self.sheets[-1]


@dataclass
class Sheet:
    """One schematic file; a sub-sheet may be placed several times."""

    project: Project
    file: str
    title: str
    comment: str
    parts: list[Part] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    lines: dict[str, list[tuple[Point, Point]]] = field(default_factory=lambda: {"wire": [], "bus": []})
    paths: list[str] = field(default_factory=list)  # of a sub-sheet's instances

    def uid(self, *key: object) -> Q:
        """The id of something on this sheet."""
        return uid(self.project.name, self.file, *key)

    def instances(self) -> list[str]:
        """The paths of ids that lead to each use of the sheet."""
        return self.paths or [f"/{self.uid('sheet')}"]

    def point(self, where: Point | str) -> Point:
        """A grid point, or that of a pin, such as "R1.2"."""
        if not isinstance(where, str):
            return where
        ref, _, number = where.rpartition(".")
        return next(p for p in self.parts if ref in p.refs).pin(number)

    def part(
        self,
        kind: str,
        ref: str,
        value: str,
        at: Point,
        angle: int = 0,
        fp: str = "",
        *,
        mirror: bool = False,
        dnp: bool = False,
        spots: tuple[Spot, Spot] | None = None,
        **fields: str,
    ) -> None:
        """Place a symbol. `ref` lists one reference per instance of the sheet, as in "R1|R2"."""
        footprint = f"{self.project.library}:{fp or self.project.footprint}"
        self.parts.append(
            Part(self.project.symbols[kind], ref.split("|"), value, footprint, at, angle, mirror, dnp, spots, fields)
        )

    def power(self, name: str, *where: Point | str, angle: int = 0) -> None:
        """Place a power symbol at each point."""
        symbol = self.project.symbols[name]
        for spot in where:
            refs = []
            for _ in self.instances():
                self.project.counters[symbol.prefix] += 1
                refs.append(f"{symbol.prefix}{self.project.counters[symbol.prefix]:03d}")
            self.parts.append(Part(symbol, refs, name, "", self.point(spot), angle))

    def wire(self, *points: Point | str, kind: str = "wire") -> None:
        """Join points in turn; where two are not in line, horizontally first."""
        spots = [self.point(p) for p in points]
        for a, b in itertools.pairwise(spots):
            corner = (b[0], a[1])
            self.lines[kind] += [pair for pair in ((a, corner), (corner, b)) if pair[0] != pair[1]]

    def entry(self, at: Point, to: Point) -> None:
        """A bus entry from a point of the bus to the end of a wire."""
        size: Node = ["size", (to[0] - at[0]) * G, (to[1] - at[1]) * G]
        self.items.append(["bus_entry", _at(at), size, _STROKE, ["uuid", self.uid("entry", at, to)]])

    def label(
        self, name: str, where: Point | str, angle: int = 0, kind: str = "label", shape: str = "bidirectional"
    ) -> None:
        """A net label, by default a local one."""
        at, side = self.point(where), "left" if angle in (0, 90) else "right"
        shown = _at(at, angle), effects(justify=side + (" bottom" if kind == "label" else ""))
        node: Node = [kind, Q(name), *optional(kind != "label", ["shape", shape]), shown[0]]
        node += [
            *optional(kind == "global_label", ["fields_autoplaced", True]),
            shown[1],
            ["uuid", self.uid(kind, name, at)],
        ]
        refs = prop("Intersheetrefs", "${INTERSHEET_REFS}", at[0] * G, at[1] * G, 0, hide=True, justify=side)
        self.items.append(node + optional(kind == "global_label", refs))

    def port(self, name: str, where: Point | str, angle: int, shape: str) -> None:
        """A hierarchical label."""
        self.label(name, where, angle, "hierarchical_label", shape)

    def no_connect(self, *where: Point | str) -> None:
        """Mark pins as left open on purpose."""
        self.items += [["no_connect", _at(self.point(w)), ["uuid", self.uid("nc", self.point(w))]] for w in where]

    def text(self, text: str, at: Point, size: float = G) -> None:
        """A note for the reader; `size` in mm."""
        self.items.append(
            [
                "text",
                Q(text),
                ["exclude_from_sim", False],
                _at(at, 0),
                effects(size, "left bottom"),
                ["uuid", self.uid("text", at)],
            ]
        )

    def frame(self, start: Point, end: Point, title: str) -> None:
        """A dashed box around a function block."""
        corners = [["start", *_at(start)[1:]], ["end", *_at(end)[1:]]]
        stroke = ["stroke", ["width", 0], ["type", "dash"]]
        self.items.append(
            ["rectangle", *corners, stroke, ["fill", ["type", "none"]], ["uuid", self.uid("frame", start)]]
        )
        self.text(title, (start[0] + 1, start[1] + 3), 1.778)

    def child(self, name: str, sheet: Sheet, at: Point, size: Point, left: str = "", right: str = "") -> None:
        """Place a sub-sheet. Its pins are `NAME:type` in order, two grid units apart; `-` leaves a gap."""
        box, (x, y), (w, h) = self.uid("subsheet", name), at, size
        node: Node = [
            "sheet",
            _at(at),
            ["size", w * G, h * G],
            ["exclude_from_sim", False],
            ["in_bom", True],
            ["on_board", True],
            ["dnp", False],
            ["fields_autoplaced", True],
            ["stroke", ["width", 0.1524], ["type", "solid"]],
            ["fill", ["color", 0, 0, 0, 0]],
            ["uuid", box],
        ]
        node += [prop("Sheetname", name, x * G, y * G - 0.7, justify="left bottom")]
        node += [prop("Sheetfile", sheet.file, x * G, (y + h) * G + 0.6, justify="left top")]
        for px, angle, side, specs in ((x, 180, "left", left), (x + w, 0, "right", right)):
            for i, spec in enumerate(specs.split()):
                if spec != "-":
                    label, kind = spec.rsplit(":", 1)
                    pin = self.uid("sheetpin", name, label)
                    node.append(
                        ["pin", Q(label), kind, _at((px, y + 2 + 2 * i), angle), ["uuid", pin], effects(justify=side)]
                    )
        self.project.pages += 1
        page: Node = ["page", Q(self.project.pages)]
        self.items.append(
            [*node, ["instances", ["project", Q(self.project.name), *(["path", Q(p), page] for p in self.instances())]]]
        )
        sheet.paths += [f"{p}/{box}" for p in self.instances()]

    def _line_items(self) -> list[Node]:
        """Wires and buses, cut where another line or a pin ends on them, with a junction where three or more meet."""
        out: list[Node] = []
        pins = [p.pin(x.number) for p in self.parts for x in p.symbol.pins]
        for kind, lines in self.lines.items():
            ends = pins if kind == "wire" else []
            stops, pieces = {e for pair in lines for e in pair} | set(ends), set()
            for (ax, ay), (bx, by) in map(sorted, lines):
                chain = sorted(p for p in stops if ax <= p[0] <= bx and ay <= p[1] <= by)
                pieces |= set(itertools.pairwise(chain))
            touched = Counter(e for pair in pieces for e in pair)
            meeting = touched + Counter(p for p in ends if p in touched)
            out += [
                ["junction", _at(p), ["diameter", 0], ["color", 0, 0, 0, 0], ["uuid", self.uid("junction", kind, p)]]
                for p, n in meeting.items()
                if n > 2
            ]
            out += [
                [kind, ["pts", ["xy", *_at(a)[1:]], ["xy", *_at(b)[1:]]], _STROKE, ["uuid", self.uid(kind, a, b)]]
                for a, b in pieces
            ]
        return out

    def _symbol(self, part: Part) -> Node:
        symbol, (x, y) = part.symbol, part.at
        node: Node = ["symbol", ["lib_id", Q(f"{self.project.library}:{symbol.name}")], _at(part.at, part.angle)]
        node += optional(part.mirror, ["mirror", "y"])
        node += [
            ["unit", 1],
            ["body_style", 1],
            ["exclude_from_sim", False],
            ["in_bom", symbol.bom],
            ["on_board", symbol.board],
        ]
        node += [
            ["in_pos_files", symbol.board and symbol.bom],
            ["dnp", part.dnp],
            ["uuid", self.uid("symbol", part.refs[0])],
        ]
        level = 90 if part.angle in (90, 270) else 0
        flip = {"left": "right", "right": "left"} if part.angle == 180 or part.mirror else {}
        for name, value, (dx, dy, side) in zip(
            ("Reference", "Value"), (part.refs[-1], part.value), part.field_spots(), strict=True
        ):
            hide = symbol.power and (name == "Reference" or symbol.prefix == "#FLG")
            node.append(prop(name, value, (x + dx) * G, (y + dy) * G, level, hide=hide, justify=flip.get(side, side)))
        hidden = {"Footprint": part.footprint, "Datasheet": "", "Description": symbol.description, **part.fields}
        node += [prop(k, v, x * G, y * G, level, hide=True) for k, v in hidden.items()]
        node += [["pin", Q(p.number), ["uuid", self.uid("symbol", part.refs[0], p.number)]] for p in symbol.pins]
        paths = [
            ["path", Q(p), ["reference", Q(r)], ["unit", 1]]
            for p, r in sorted(zip(self.instances(), part.refs, strict=True))
        ]
        return [*node, ["instances", ["project", Q(self.project.name), *paths]]]

    def text_form(self) -> str:
        """The file. KiCad sorts items by kind (buses among the wires) and then by id."""
        items = [*self.items, *self._line_items(), *map(self._symbol, self.parts)]
        items.sort(
            key=lambda n: (_ORDER.index("wire" if n[0] == "bus" else n[0]), next(x[1] for x in n if x[0] == "uuid"))
        )
        title: Node = [
            "title_block",
            ["title", Q(self.title)],
            ["date", Q("${DATE}")],
            ["rev", Q("${REVISION}")],
            ["company", Q("${COMPANY}")],
        ]
        title += optional(self.comment, ["comment", 1, Q(self.comment)])
        used = {p.symbol.name: p.symbol for p in self.parts}
        library = [to_node(used[n], self.project.library) for n in sorted(used)]
        node: Node = [
            "kicad_sch",
            ["version", "20260306"],
            ["generator", Q("eeschema")],
            ["generator_version", Q("10.0")],
        ]
        node += [["uuid", self.uid("sheet")], ["paper", Q("A4")], title, ["lib_symbols", *library], *items]
        node += optional(not self.paths, ["sheet_instances", ["path", Q("/"), ["page", Q("1")]]])
        return dump([*node, ["embedded_fonts", False]])
