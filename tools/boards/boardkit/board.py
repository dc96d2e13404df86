"""The board file: placed footprints with the schematic's nets, tracks, zones, outline."""

from __future__ import annotations

import itertools
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree import ElementTree

from . import footprints
from .project import cli
from .router import DRILL, STEP, VIA, Land, Router
from .schematic import Project
from .sexpr import Node, Q, dump, optional, uid
from .symbols import effects

_LAYERS = """9 F.Adhes F.Adhesive, 11 B.Adhes B.Adhesive, 13 F.Paste, 15 B.Paste,
5 F.SilkS F.Silkscreen, 7 B.SilkS B.Silkscreen, 1 F.Mask, 3 B.Mask, 17 Dwgs.User User.Drawings,
19 Cmts.User User.Comments, 21 Eco1.User User.Eco1, 23 Eco2.User User.Eco2,
25 Edge.Cuts, 27 Margin, 31 F.CrtYd F.Courtyard, 29 B.CrtYd B.Courtyard, 35 F.Fab, 33 B.Fab"""
_COPPER = ("F.Cu", "B.Cu")
Point = tuple[float, float]


@dataclass
class Board:
    """A two-sided board in the making. Coordinates are mm from its top left corner, y down."""

    project: Project
    footprints: Mapping[str, footprints.Footprint]
    size: Point
    places: Mapping[str, tuple[float, float, float]]  # reference -> x, y, angle
    zones: list[tuple[str, str]]  # net and layer; each fills the board
    layers: int = 2
    corner: float = 2.0
    origin: Point = (100.0, 80.0)  # of the board on the page
    ref_at: Mapping[str, Point] = field(default_factory=dict)  # where silk references go that are not above their part
    texts: list[tuple[str, float, float, float]] = field(default_factory=list)  # silk text, x, y, size
    items: list[Node] = field(default_factory=list)
    lands: list[Land] = field(default_factory=list)
    fixed: set[str] = field(default_factory=set)  # nets routed by hand

    def _uid(self, *key: object) -> Q:
        return uid(self.project.name, "board", *key)

    def _xy(self, at: Point) -> Point:
        return round(self.origin[0] + at[0], 4), round(self.origin[1] + at[1], 4)

    def place(self, folder: Path) -> None:
        """Add every component of the schematic that is saved in the folder, with its nets."""
        with tempfile.TemporaryDirectory() as tmp:
            root = folder / self.project.sheets[0].file
            cli("sch", "export", "netlist", "--format", "kicadxml", "-o", f"{tmp}/n.xml", root)
            netlist = ElementTree.parse(f"{tmp}/n.xml").getroot()  # noqa: S314 (kicad-cli wrote it just now)
        nets: dict[str, dict[str, Node]] = {}
        for net in netlist.iterfind("nets/net"):
            for node in net.iterfind("node"):
                function = node.get("pinfunction")
                info: Node = [
                    ["net", Q(net.get("name"))],
                    *optional(function, ["pinfunction", Q(function)]),
                    ["pintype", Q(node.get("pintype"))],
                ]
                nets.setdefault(node.get("ref", ""), {})[node.get("pin", "")] = info
        for comp in netlist.iterfind("components/comp"):
            self._component(comp, nets.get(comp.get("ref", ""), {}))
        missing = set(self.places) - {c.get("ref", "") for c in netlist.iterfind("components/comp")}
        if missing:
            raise ValueError(f"placed but not in the schematic: {sorted(missing)}")

    def _component(self, comp: ElementTree.Element, nets: Mapping[str, Node]) -> None:
        ref, sheet = comp.get("ref", ""), comp.find("sheetpath")
        assert sheet is not None
        part = self.footprints[comp.findtext("footprint", "").split(":")[1]]
        props = {p.get("name", ""): p.get("value", "") for p in comp.iterfind("property")}
        found = {f.get("name", ""): f.text or "" for f in comp.iterfind("fields/field") if f.get("name") != "Footprint"}
        fields = {"Reference": ref, "Value": comp.findtext("value", ""), "Datasheet": "", "Description": ""} | found
        link: Node = optional("ki_fp_filters" in props, ["property", "ki_fp_filters", Q(props.get("ki_fp_filters"))])
        link += [
            ["path", Q(sheet.get("tstamps", "") + comp.findtext("tstamps", ""))],
            ["sheetname", Q(sheet.get("names"))],
        ]
        link += [["sheetfile", Q(props["Sheetfile"])]]
        units = [
            ["unit", ["name", Q(u.get("name"))], ["pins", *(Q(p.get("num")) for p in u.iterfind("pins/pin"))]]
            for u in comp.iterfind("units/unit")
            if u.find("pins/pin") is not None
        ]
        link += optional(units, ["units", *units])
        x, y, angle = self.places[ref]
        flags = ("dnp",) if "dnp" in props else ()
        self.items.append(
            footprints.to_node(
                part,
                self.project.library,
                key=(self.project.name, "board", ref),
                at=(*self._xy((x, y)), angle),
                fields=fields,
                link=link,
                flags=flags,
                nets=nets,
                ref_at=self.ref_at.get(ref),
            )
        )
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        for pad in part.pads:
            w, h = (pad.h, pad.w) if angle % 180 == 90 else (pad.w, pad.h)
            grow = 0.0 if pad.plated else 0.1
            net = nets[pad.number][0][1] if pad.number in nets else ""
            self.lands.append(
                Land(
                    net,
                    round(x + pad.x * c + pad.y * s, 4),
                    round(y - pad.x * s + pad.y * c, 4),
                    w + grow,
                    h + grow,
                    (0, 1) if pad.drill else (0,),
                    pad.drill,
                    pad.shape in ("circle", "oval"),
                )
            )

    def track(self, net: str, layer: int, width: float, *points: Point) -> None:
        """A hand-made track. The router leaves its net alone and keeps clear of it."""
        self.fixed.add(net)
        for a, b in itertools.pairwise(points):
            self._segment(net, layer, width, a, b)
            steps = math.ceil(math.dist(a, b) / STEP)
            for i in range(steps + 1):
                x, y = (a[j] + (b[j] - a[j]) * i / steps for j in (0, 1))
                self.lands.append(Land(net, x, y, width, width, (layer,), target=False))

    def _segment(self, net: str, layer: int, width: float, a: Point, b: Point) -> None:
        node: Node = [
            "segment",
            ["start", *self._xy(a)],
            ["end", *self._xy(b)],
            ["width", width],
            ["layer", Q(_COPPER[layer])],
        ]
        self.items.append([*node, ["net", Q(net)], ["uuid", self._uid("track", net, layer, a, b)]])

    def route(self, planes: set[str], wide: dict[str, float]) -> list[str]:
        """Route all nets but the hand-made ones; gives the names of those that failed."""
        lands = [replace(p, target=False) if p.net in self.fixed else p for p in self.lands]
        router = Router(self.size, lands, planes, wide)
        failed = router.run()
        seen: set[object] = set()
        for net, paths in sorted(router.routes.items()):
            for width, path in paths:
                spots = [(layer, (round(col * STEP, 4), round(row * STEP, 4))) for layer, row, col in path]
                first = 0
                for i in range(1, len(spots)):
                    (layer, a), (other, b) = spots[i - 1], spots[i]
                    after = spots[i + 1] if i + 1 < len(spots) else (-1, b)
                    straight = (
                        after[0] == other
                        and math.dist((b[0] - a[0], b[1] - a[1]), (after[1][0] - b[0], after[1][1] - b[1])) < 1e-6
                    )
                    if layer == other and straight:
                        continue
                    key = (net, b) if layer != other else (net, layer, *sorted((spots[first][1], b)))
                    if key not in seen and layer == other:
                        self._segment(net, layer, width, spots[first][1], b)
                    elif key not in seen:
                        node: Node = [
                            "via",
                            ["at", *self._xy(b)],
                            ["size", VIA],
                            ["drill", DRILL],
                            ["layers", *map(Q, _COPPER)],
                        ]
                        self.items.append([*node, ["net", Q(net)], ["uuid", self._uid("via", net, b)]])
                    seen.add(key)
                    first = i
        return failed

    def _outline(self) -> None:
        (w, h), r = self.size, self.corner
        k = r * (1 - math.sqrt(0.5))
        sides = [((r, 0), (w - r, 0)), ((w, r), (w, h - r)), ((w - r, h), (r, h)), ((0, h - r), (0, r))]
        bends = [
            ((0, r), (k, k), (r, 0)),
            ((w - r, 0), (w - k, k), (w, r)),
            ((w, h - r), (w - k, h - k), (w - r, h)),
            ((r, h), (k, h - k), (0, h - r)),
        ]
        for points in [*sides, *bends]:
            names = ("start", "mid", "end") if len(points) == 3 else ("start", "end")
            shape: Node = [
                "gr_arc" if len(points) == 3 else "gr_line",
                *([n, *self._xy(p)] for n, p in zip(names, points, strict=True)),
            ]
            stroke: Node = ["stroke", ["width", 0.1], ["type", "default"]]
            self.items.append([*shape, stroke, ["layer", Q("Edge.Cuts")], ["uuid", self._uid("edge", points)]])

    def _zone(self, net: str, layer: str) -> Node:
        (w, h), m = self.size, 0.5
        corners = [["xy", *self._xy(c)] for c in ((m, m), (w - m, m), (w - m, h - m), (m, h - m))]
        fill: Node = ["fill", "yes", ["thermal_gap", 0.3], ["thermal_bridge_width", 0.3], ["island_removal_mode", 0]]
        name: Node = [["uuid", self._uid("zone", layer, net)], ["name", Q(f"{net} {layer}")]]
        return [
            "zone",
            ["net", Q(net)],
            ["layer", Q(layer)],
            *name,
            ["hatch", "edge", 0.5],
            ["connect_pads", ["clearance", 0.25]],
            ["min_thickness", 0.2],
            fill,
            ["polygon", ["pts", *corners]],
        ]

    def save(self, file: Path) -> None:
        """Write the board, then let KiCad fill the zones and save it in its own form."""
        self._outline()
        for text, x, y, size in self.texts:
            place: Node = [["at", *self._xy((x, y)), 0], ["layer", Q("F.SilkS")], ["uuid", self._uid("text", text)]]
            self.items.append(["gr_text", Q(text), *place, effects(size, thickness=round(size * 0.15, 3))])
        self.items += [self._zone(*z) for z in self.zones]
        self.items.sort(key=lambda n: (n[0] != "footprint", next(x[1] for x in n if x[0] == "uuid")))
        inner = [[4 + 2 * i, Q(f"In{i + 1}.Cu"), "power"] for i in range(self.layers - 2)]
        other = [
            [int(n), Q(name), "user", *map(Q, shown)]
            for n, name, *shown in (entry.split() for entry in _LAYERS.split(","))
        ]
        title: Node = [
            "title_block",
            ["title", Q("${BOARD}")],
            ["date", Q("${DATE}")],
            ["rev", Q("${REVISION}")],
            ["company", Q("${COMPANY}")],
        ]
        node: Node = [
            "kicad_pcb",
            ["version", "20260206"],
            ["generator", Q("pcbnew")],
            ["generator_version", Q("10.0")],
        ]
        node += [["general", ["thickness", 1.6], ["legacy_teardrops", False]], ["paper", Q("A4")], title]
        node += [["layers", [0, Q("F.Cu"), "signal"], *inner, [2, Q("B.Cu"), "signal"], *other]]
        node += [
            ["setup", ["pad_to_mask_clearance", 0], ["allow_soldermask_bridges_in_footprints", False]],
            *self.items,
            ["embedded_fonts", False],
        ]
        file.write_text(dump(node), encoding="utf-8")
        cli("pcb", "drc", "--refill-zones", "--save-board", "-o", "/dev/null", file)
        cli("pcb", "upgrade", "--force", file)  # a second save settles the order of the tracks
        file.with_suffix(".kicad_prl").unlink(missing_ok=True)
