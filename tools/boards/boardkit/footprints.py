"""Footprints from package dimensions, by IPC-7351 arithmetic (density level B). Millimetres, y down."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from .sexpr import Node, Q, dump, optional, uid
from .symbols import effects

_TOL = 0.05  # fabrication and placement tolerance
Range = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


@dataclass(frozen=True)
class Pad:
    """A pad, in mm from the origin of its footprint; with a drill it goes through."""

    number: str
    x: float
    y: float
    w: float
    h: float
    drill: float = 0.0
    shape: str = "roundrect"
    plated: bool = True
    solid: bool = False  # joined to zones without thermal spokes
    paste: bool = True


@dataclass
class Footprint:
    """A land pattern with what is drawn around it; boxes in mm."""

    name: str
    descr: str
    pads: list[Pad]
    body: Box
    silk: list[Box] = field(default_factory=list)  # lines: x1, y1, x2, y2
    court: Box | None = None
    dot: tuple[float, float] | None = None  # mark at pin 1
    attrs: tuple[str, ...] = ("smd",)

    def courtyard(self) -> Box:
        """The room that the part keeps free: as given, or pads and body with a margin."""
        if self.court:
            return self.court
        xs = [self.body[0], self.body[2]] + [p.x + s * p.w / 2 for p in self.pads for s in (-1, 1)]
        ys = [self.body[1], self.body[3]] + [p.y + s * p.h / 2 for p in self.pads for s in (-1, 1)]
        return grid(min(xs) - 0.275), grid(min(ys) - 0.275), grid(max(xs) + 0.275), grid(max(ys) + 0.275)


def grid(value: float) -> float:
    """To the nearest 0.05 mm."""
    return round(value * 20) / 20


def lands(length: Range, term: Range, width: Range, toe: float, heel: float, side: float) -> tuple[float, float, float]:
    """Centre distance, pad length and pad width for two facing terminals."""
    cl, ct, cw = length[1] - length[0], term[1] - term[0], width[1] - width[0]
    spread = math.sqrt(cl * cl + 2 * ct * ct)  # of the gap between the terminals
    gap_max = length[1] - 2 * term[0] - (cl + 2 * ct - spread) / 2
    z = length[0] + 2 * toe + math.sqrt(cl * cl + 2 * _TOL * _TOL)
    g = gap_max - 2 * heel - math.sqrt(spread * spread + 2 * _TOL * _TOL)
    return grid((z + g) / 2), grid((z - g) / 2), grid(width[0] + 2 * side + math.sqrt(cw * cw + 2 * _TOL * _TOL))


def _centred(w: float, h: float) -> Box:
    return -w / 2, -h / 2, w / 2, h / 2


def chip(
    name: str, length: Range, width: Range, term: Range, descr: str, *, body: float = 0, polar: bool = False
) -> Footprint:
    """A two-terminal part along x; pin 1 on the left.

    `body` is its width, if not that of the terminals; `polar` marks pin 1.
    """
    height = body or grid(sum(width) / 2)
    span, pl, pw = lands(length, term, width, 0.35, -0.05, 0.0)
    y, inner = grid(max(pw, height) / 2 + 0.2), span / 2 - pl / 2
    fp = Footprint(
        name,
        descr,
        [Pad("1", -span / 2, 0, pl, pw), Pad("2", span / 2, 0, pl, pw)],
        _centred(grid(sum(length) / 2), height),
    )
    if polar:
        left = -grid(span / 2 + pl / 2 + 0.2)
        fp.silk = [(left, -y, inner, -y), (left, -y, left, y), (left, y, inner, y)]
        fp.court = (left - 0.15, -y - 0.15, grid(span / 2 + pl / 2 + 0.25), y + 0.15)
    else:
        fp.silk = [(-inner + 0.15, s * y, inner - 0.15, s * y) for s in (-1, 1)]
    return fp


def two_rows(
    name: str,
    descr: str,
    pitch: float,
    left: str,
    right: str,
    length: Range,
    term: Range,
    width: Range,
    body: tuple[float, float],
    joints: tuple[float, float, float] = (0.35, 0.35, 0.03),
    centre: Pad | None = None,
) -> Footprint:
    """Leads on the left (listed downwards) and the right (listed upwards); `-` leaves a place free."""
    span, pl, pw = lands(length, term, width, *joints)
    pads = [
        Pad(n, s * span / 2, -s * (i - (len(row.split()) - 1) / 2) * pitch, pl, pw)
        for s, row in ((-1, left), (1, right))
        for i, n in enumerate(row.split())
        if n != "-"
    ]
    y = max(grid(body[1] / 2 + 0.1), max(abs(p.y) + p.h / 2 for p in pads) + 0.25)
    fp = Footprint(name, descr, pads + ([centre] if centre else []), _centred(*body))
    fp.silk = [(-body[0] / 2, s * y, body[0] / 2, s * y) for s in (-1, 1)]
    fp.dot = (pads[0].x - pl / 2 - 0.35, pads[0].y)
    x = max(span / 2 + pl / 2, body[0] / 2)
    fp.court = (-grid(x + 0.6), -grid(y + 0.15), grid(x + 0.25), grid(y + 0.15))
    return fp


def quad(
    name: str, descr: str, pitch: float, count: int, length: Range, term: Range, width: Range, body: float
) -> Footprint:
    """A square package with `count` leads in all, counter-clockwise from the top left."""
    span, pl, pw = lands(length, term, width, 0.35, 0.35, 0.03)
    per, pads = count // 4, []
    for n in range(count):
        side, i = divmod(n, per)
        o = (i - (per - 1) / 2) * pitch
        pads.append(
            Pad(
                str(n + 1),
                *[(-span / 2, o, pl, pw), (o, span / 2, pw, pl), (span / 2, -o, pl, pw), (-o, -span / 2, pw, pl)][side],
            )
        )
    fp = Footprint(name, descr, pads, _centred(body, body))
    b, e = body / 2 + 0.1, (per - 1) / 2 * pitch + pw / 2 + 0.25
    for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        fp.silk += [(sx * b, sy * b, sx * e, sy * b), (sx * b, sy * b, sx * b, sy * e)]
    fp.dot = (-span / 2, -e - 0.3)
    return fp


def header(name: str, descr: str, count: int, pitch: float, pad: float, drill: float, around: Box) -> Footprint:
    """One row of pins along x from the origin; `around` is how far the body reaches beyond the end pins."""
    pads = [Pad(str(i + 1), i * pitch, 0, pad, pad, drill, "oval" if i else "rect") for i in range(count)]
    x0, y0, x1, y1 = -around[0], -around[1], (count - 1) * pitch + around[2], around[3]
    m = 0.12
    silk = [
        (x0 - m, y0 - m, x1 + m, y0 - m),
        (x1 + m, y0 - m, x1 + m, y1 + m),
        (x1 + m, y1 + m, x0 - m, y1 + m),
        (x0 - m, y1 + m, x0 - m, y0 - m),
    ]
    court = (grid(x0 - 0.95), grid(y0 - 0.4), grid(x1 + 0.4), grid(y1 + 0.4))
    return Footprint(name, descr, pads, (x0, y0, x1, y1), silk, court, (x0 - 0.55, 0), ("through_hole",))


def spot(name: str, descr: str, size: float, drill: float = 0.0) -> Footprint:
    """A round test pad, or with a drill a mounting hole whose screw head has this size."""
    pad = (
        Pad("", 0, 0, drill, drill, drill, "circle", plated=False)
        if drill
        else Pad("1", 0, 0, size, size, shape="circle", paste=False)
    )
    attrs = ("exclude_from_pos_files", "exclude_from_bom")
    return Footprint(
        name, descr, [pad], _centred(size, size), court=_centred(size, size) if drill else None, attrs=attrs
    )


def _pad_node(pad: Pad, key: tuple[object, ...], angle: float, net: Node) -> Node:
    style = "smd" if not pad.drill else "thru_hole" if pad.plated else "np_thru_hole"
    layers = ["*.Cu", "*.Mask"] if pad.drill else ["F.Cu", "F.Mask", "F.Paste"] if pad.paste else ["F.Cu", "F.Mask"]
    node: Node = [
        "pad",
        Q(pad.number),
        style,
        pad.shape,
        ["at", pad.x, pad.y] + ([angle] if angle else []),
        ["size", pad.w, pad.h],
    ]
    node += optional(pad.drill, ["drill", pad.drill])
    node += [["layers", *map(Q, layers)], *optional(style == "thru_hole", ["remove_unused_layers", False])]
    node += optional(pad.shape == "roundrect", ["roundrect_rratio", round(min(0.25, 0.25 / min(pad.w, pad.h)), 6)])
    node += [*net, *optional(pad.solid, ["solder_paste_margin_ratio", -0.1], ["zone_connect", 2])]
    return [*node, ["uuid", uid(*key, "pad", pad.number, pad.x, pad.y)]]


def to_node(
    fp: Footprint,
    library: str = "",
    *,
    key: tuple[object, ...] = (),
    at: tuple[float, float, float] | None = None,
    fields: Mapping[str, str] | None = None,
    link: Node | None = None,
    flags: tuple[str, ...] = (),
    nets: Mapping[str, Node] | None = None,
    ref_at: tuple[float, float] | None = None,
) -> Node:
    """The library entry, or with `at` and the rest the copy on a board.

    `ref_at` is seen from the board, not the part.
    """
    key, angle = key or ("footprint", fp.name), at[2] if at else 0
    x0, y0, x1, y1 = fp.courtyard()
    upright = 90 if angle % 180 == 90 else 0
    node: Node = ["footprint", Q(f"{library}:{fp.name}" if at else fp.name)]
    node += optional(not at, ["version", "20260206"], ["generator", Q("pcbnew")], ["generator_version", Q("10.0")])
    node += [["layer", Q("F.Cu")]]
    node += [["uuid", uid(*key)], ["at", at[0], at[1]] + ([angle] if angle else [])] if at else []
    node += [["descr", Q(fp.descr)], ["tags", Q(fp.name.split("_")[0].lower())]]
    for name, value in (fields or {"Reference": "REF**", "Value": fp.name, "Datasheet": "", "Description": ""}).items():
        hidden, ref = name not in ("Reference", "Value"), name == "Reference"
        x, y, turn = 0.0, 0.0 if hidden else y1 + 0.7, upright
        if ref:  # by default above the part as it lies on the board, and always level
            bx, by = ref_at or (0, {0: y0, 90: -x1, 180: -y1, 270: x0}[int(angle) % 360] - 0.55)
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            x, y, turn = round(bx * c - by * s, 4), round(bx * s + by * c, 4), 0
        node.append(
            [
                "property",
                Q(name),
                Q(value),
                ["at", x, y, turn],
                *optional(hidden and at, ["unlocked", True]),
                ["layer", Q("F.SilkS" if ref else "F.Fab")],
                *optional(hidden, ["hide", True]),
                ["uuid", uid(*key, "field", name)],
                effects(0.8 if ref else 0.5, thickness=0.12 if ref else 0.08),
            ]
        )
    node += [*(link or []), ["attr", *fp.attrs, *flags], ["duplicate_pad_numbers_are_jumpers", False]]

    def shape(kind: str, layer: str, width: float, *parts: Node, fill: str = "") -> Node:
        tail = [*optional(fill, ["fill", fill]), ["layer", Q(layer)], ["uuid", uid(*key, kind, layer, parts)]]
        return [kind, *parts, ["stroke", ["width", width], ["type", "solid"]], *tail]

    node += [shape("fp_line", "F.SilkS", 0.12, ["start", a, b], ["end", c, d]) for a, b, c, d in sorted(fp.silk)]
    if fp.dot:
        node.append(
            shape("fp_circle", "F.SilkS", 0.12, ["center", *fp.dot], ["end", fp.dot[0] + 0.12, fp.dot[1]], fill="yes")
        )
    node.append(shape("fp_rect", "F.CrtYd", 0.05, ["start", x0, y0], ["end", x1, y1], fill="no"))
    node.append(shape("fp_rect", "F.Fab", 0.1, ["start", *fp.body[:2]], ["end", *fp.body[2:]], fill="no"))
    w, h = fp.body[2] - fp.body[0], fp.body[3] - fp.body[1]
    size = max(0.25, min(0.8, round(min(w, h) * 0.3, 2), round(max(w, h) / 5, 2)))
    node.append(
        [
            "fp_text",
            "user",
            Q("${REFERENCE}"),
            ["at", (fp.body[0] + fp.body[2]) / 2, (fp.body[1] + fp.body[3]) / 2, upright],
            ["layer", Q("F.Fab")],
            ["uuid", uid(*key, "fab")],
            effects(size, thickness=round(size * 0.15, 3)),
        ]
    )
    node += [
        _pad_node(p, key, angle, (nets or {}).get(p.number, []))
        for p in sorted(fp.pads, key=lambda p: (len(p.number), p.number))
    ]
    return [*node, ["embedded_fonts", False]]


def library_text(fp: Footprint) -> str:
    """The `.kicad_mod` file."""
    return dump(to_node(fp))
