"""A board's footprints, pads and nets: enough to hold it against its schematic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from copperbench.kicad.files import read_file
from copperbench.kicad.sexpr import Node, Source, child, decode, head, lists, parse, pruning, value, word
from copperbench.kicad.text import natural

_LARGEST = 256 * 1024 * 1024
_FARTHEST_MM = 1e6
_SWALLOWED = """
arc attr barcode clearance component_classes descr die_length dimension drill duplicate_pad_numbers_are_jumpers
embedded_files embedded_fonts fp_arc fp_circle fp_curve fp_line fp_poly fp_rect fp_text_box general generated
generator generator_version gr_arc gr_bbox gr_circle gr_curve gr_line gr_poly gr_rect gr_text gr_text_box group
image keepout layers locked model net_class net_tie_pad_groups options padstack page paper path pinfunction pintype
placed point primitives remove_unused_layers roundrect_rratio segment setup sheetfile sheetname size
solder_mask_margin solder_paste_margin table tags target teardrops tedit tenting thermal_bridge_angle
thermal_bridge_width thermal_gap title_block tstamp units uuid variants via zone zone_connect
"""


@dataclass(frozen=True, slots=True)
class Pad:
    """A pad of a footprint; `number` and `net` are empty where it has none."""

    refdes: str
    number: str
    net: str


@dataclass(frozen=True, slots=True)
class Footprint:
    """A placed footprint: position in mm (y downward), rotation in degrees, `side` `front` or `back`."""

    refdes: str
    value: str
    lib_id: str
    x_mm: float
    y_mm: float
    rotation: float
    side: str
    fields: Mapping[str, str]
    pads: tuple[Pad, ...]


@dataclass(frozen=True)
class Board:
    """Footprints in natural order of reference; nets in natural order of name."""

    footprints: tuple[Footprint, ...]
    nets: tuple[str, ...]

    @cached_property
    def pads(self) -> tuple[Pad, ...]:
        """Every pad of every footprint."""
        return tuple(pad for footprint in self.footprints for pad in footprint.pads)

    def footprint(self, refdes: str) -> Footprint | None:
        """The first footprint of that reference, or None."""
        return self._by_refdes.get(refdes)

    @cached_property
    def _by_refdes(self) -> Mapping[str, Footprint]:
        return {footprint.refdes: footprint for footprint in reversed(self.footprints)}


def load_board(path: Path) -> Board:
    """Read the footprints, pads and nets of a `.kicad_pcb` (file formats of KiCad 6 to 10).

    Raises KicadFileError, `where` being `file:line:column`.
    """
    name = str(path)
    source = parse(decode(read_file(Path(path), _LARGEST), name), name, _tokens())
    if head(source.root) != "kicad_pcb":
        raise source.fault(source.root, "not a KiCad board (no kicad_pcb list)", "name a .kicad_pcb file")
    codes = {word(node): word(node, 2) for node in lists(source.root, "net") if len(node) > 2}
    parts = [node for kind in ("footprint", "module") for node in lists(source.root, kind)]
    footprints = [_footprint(source, node, codes) for node in parts]
    nets = set(codes.values())
    nets |= {pad.net for footprint in footprints for pad in footprint.pads}
    return Board(
        footprints=tuple(sorted(footprints, key=lambda footprint: natural(footprint.refdes))),
        nets=tuple(sorted(nets - {""}, key=natural)),
    )


@cache
def _tokens() -> re.Pattern[str]:
    return pruning(_SWALLOWED.split())


def _footprint(source: Source, node: Node, codes: Mapping[str, str]) -> Footprint:
    fields = {word(field): word(field, 2) for field in lists(node, "property")}
    fields |= {word(text).capitalize(): word(text, 2) for text in lists(node, "fp_text") if word(text) != "user"}
    position = child(node, "at")
    numbers = [] if position is None else list(_numbers(source, position))
    if len(numbers) < 2:
        raise source.fault(node, "a footprint without a position")
    refdes = fields.get("Reference", "")
    return Footprint(
        refdes=refdes,
        value=fields.get("Value", ""),
        lib_id=word(node),
        x_mm=numbers[0],
        y_mm=numbers[1],
        rotation=numbers[2] if len(numbers) > 2 else 0.0,
        side="back" if value(node, "layer").startswith("B.") else "front",
        fields=fields,
        pads=tuple(Pad(refdes, word(pad), _net(pad, codes)) for pad in lists(node, "pad")),
    )


def _net(pad: Node, codes: Mapping[str, str]) -> str:
    """The net of a pad: `(net 5 "GND")` where the board has a table of net codes, else `(net "GND")`."""
    found = child(pad, "net")
    if found is None:
        return ""
    return word(found, 2) if len(found) > 2 else codes.get(word(found), word(found))


def _numbers(source: Source, position: Node) -> Iterator[float]:
    for index in range(1, len(position)):
        text = word(position, index)
        if text == "unlocked":
            continue
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if not -_FARTHEST_MM < number < _FARTHEST_MM:
            raise source.fault(position, f"'{text[:40]}' is no coordinate")
        yield number
