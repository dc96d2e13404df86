"""Schematic symbols. Library coordinates have y up; pins lie on a 1.27 mm grid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .sexpr import Node, Q, dump, optional

G = 1.27  # the schematic grid, mm
_TYPES = {
    "i": "input",
    "o": "output",
    "b": "bidirectional",
    "p": "passive",
    "w": "power_in",
    "W": "power_out",
    "n": "no_connect",
}


@dataclass(frozen=True)
class Pin:
    """A pin; its end, where wires join, is at x, y."""

    number: str
    name: str
    kind: str  # a key of _TYPES
    x: float  # grid units
    y: float
    angle: int  # 0: the body is to the right of the pin's end
    length: float = 2.0  # grid units


@dataclass(frozen=True)
class Symbol:
    """A library symbol with one unit and one body style."""

    name: str
    prefix: str
    pins: tuple[Pin, ...]
    art: tuple[Node, ...]
    box: tuple[float, float]  # half width and half height in grid units, for placing the fields
    description: str = ""
    filters: str = ""
    named: bool = False  # shows pin names; the fields then go above the body
    numbered: bool = False  # shows pin numbers
    bom: bool = True
    board: bool = True

    @property
    def power(self) -> bool:
        """Whether it names a net and is no part."""
        return self.prefix.startswith("#")


def effects(size: float = G, justify: str = "", thickness: float = 0) -> Node:
    """How a text looks; lengths in mm."""
    font: Node = ["font", ["size", size, size], *optional(thickness, ["thickness", thickness])]
    return ["effects", font, *optional(justify, ["justify", *justify.split()])]


def prop(
    name: str,
    value: str,
    x: float,
    y: float,
    angle: float = 0,
    *,
    hide: bool = False,
    justify: str = "",
    placed: bool = True,
) -> Node:
    """A field. On sheets KiCad writes `hide` before the other flags, in libraries after them."""
    flags: list[Node] = [["show_name", False], ["do_not_autoplace", False]]
    hidden = optional(hide, ["hide", True])
    ordered = hidden + flags if placed else flags + hidden
    return ["property", Q(name), Q(value), ["at", x, y, angle], *ordered, effects(justify=justify)]


def _shape(kind: str, parts: list[Node], width: float, fill: str) -> Node:
    return [kind, *parts, ["stroke", ["width", width], ["type", "default"]], ["fill", ["type", fill]]]


def line(*points: tuple[float, float], fill: str = "none", width: float = 0.2) -> Node:
    """A polyline; points in mm."""
    return _shape("polyline", [["pts", *(["xy", x, y] for x, y in points)]], width, fill)


def rect(x: float, y: float, fill: str = "none") -> Node:
    """A rectangle around the origin; half sides in mm."""
    return _shape("rectangle", [["start", -x, y], ["end", x, -y]], 0.254, fill)


def circle(x: float, y: float, radius: float) -> Node:
    """A circle; mm."""
    return _shape("circle", [["center", x, y], ["radius", radius]], 0.2, "none")


def _place(node: Node) -> list[float]:
    """KiCad's order of drawings: left to right, then top to bottom, point by point."""
    points = node[1][1:] if node[0] == "polyline" else node[1:3]
    return [v for p in points for v in (p[1], -p[2] if len(p) > 2 else 0)]


def to_node(symbol: Symbol, library: str = "") -> Node:
    """The library entry; with a library name, the copy that a schematic embeds."""
    top = symbol.box[1] * G
    node: Node = [
        "symbol",
        Q(f"{library}:{symbol.name}" if library else symbol.name),
        *optional(symbol.power, ["power", "global"]),
    ]
    node += optional(not symbol.numbered, ["pin_numbers", ["hide", True]])
    node += [["pin_names", ["offset", 0.762 if symbol.named else 0], *optional(not symbol.named, ["hide", True])]]
    node += [
        ["exclude_from_sim", False],
        ["in_bom", symbol.bom],
        ["on_board", symbol.board],
        ["in_pos_files", symbol.board],
    ]
    node += [["duplicate_pin_numbers_are_jumpers", False]]
    node += [prop("Reference", symbol.prefix, 0, top + 3.81, hide=symbol.power, placed=False)]
    node += [prop("Value", symbol.name, 0, top + 1.27, placed=False)]
    hidden = {"Footprint": "", "Datasheet": "", "Description": symbol.description}
    hidden |= {"ki_fp_filters": symbol.filters} if symbol.filters else {}
    node += [prop(k, v, 0, 0, hide=True, placed=False) for k, v in hidden.items()]
    node += optional(symbol.art, ["symbol", Q(symbol.name + "_0_1"), *sorted(symbol.art, key=_place)])
    pins = [
        [
            "pin",
            _TYPES[p.kind],
            "line",
            ["at", p.x * G, p.y * G, p.angle],
            ["length", p.length * G],
            ["name", Q(p.name), effects()],
            ["number", Q(p.number), effects()],
        ]
        for p in sorted(symbol.pins, key=lambda p: (len(p.number), p.number))
    ]
    return [*node, *optional(pins, ["symbol", Q(symbol.name + "_1_1"), *pins]), ["embedded_fonts", False]]


def library_text(symbols: Iterable[Symbol]) -> str:
    """The `.kicad_sym` file."""
    head: Node = [
        "kicad_symbol_lib",
        ["version", "20251024"],
        ["generator", Q("kicad_symbol_editor")],
        ["generator_version", Q("10.0")],
    ]
    return dump([*head, *(to_node(s) for s in sorted(symbols, key=lambda s: s.name))])


def chip(name: str, prefix: str, half: float, description: str, filters: str, **sides: str) -> Symbol:
    """A box with named pins.

    `left`, `right`, `top`, `bottom` list `number:name:kind`, two grid units apart; `-` leaves a gap.
    """
    rows = [
        side.split()
        for side in (sides.get("left", ""), sides.get("right", ""), sides.get("top", ""), sides.get("bottom", ""))
    ]
    tall = max(len(rows[0]), len(rows[1]), 1) + 1
    pins: list[Pin] = []
    for side, specs in enumerate(rows):
        for i, spec in enumerate(specs):
            if spec != "-":
                down, across = tall - 2 - 2 * i, 2 * i - (len(specs) - 1)
                number, label, kind = spec.rsplit(":", 2)
                x, y, angle = [
                    (-half - 2, down, 0),
                    (half + 2, down, 180),
                    (across, tall + 2, 270),
                    (across, -tall - 2, 90),
                ][side]
                pins.append(Pin(number, label, kind, x, y, angle))
    body = rect(half * G, tall * G, "background")
    return Symbol(name, prefix, tuple(pins), (body,), (half, tall), description, filters, named=True, numbered=True)
