"""A schematic as a whole: parts, sheets and names over every sheet instance."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from copperbench.kicad.drawing import LibPin, LibSymbol, PlacedSymbol, Placement
from copperbench.kicad.hierarchy import Instance, read_hierarchy
from copperbench.kicad.library import TILDE_IS_TEXT
from copperbench.kicad.project import Project, load_project
from copperbench.kicad.text import natural
from copperbench.kicad.variables import Variables

_POWER_BY_PIN_NAME = 20230221
_MOST_STACKED = 1000


@dataclass(frozen=True, slots=True)
class SymbolPin:
    """A pin of a part; `name` is empty for a nameless pin, `electrical` is KiCad's pin type (`power_in`)."""

    number: str
    name: str
    electrical: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part: all its units as one. `sheet` is the human path of the sheet of its first unit (`/`, `/Power/`)."""

    refdes: str
    value: str
    footprint: str
    lib_id: str
    sheet: str
    dnp: bool
    in_bom: bool
    on_board: bool
    fields: Mapping[str, str]
    pins: tuple[SymbolPin, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet instance: human path, name (empty for the root), file relative to the root's folder."""

    path: str
    name: str
    file: str


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name that is drawn somewhere. `kind`: label, global_label, hierarchical_label, sheet_pin or power."""

    kind: str
    name: str
    sheet: str


@dataclass(frozen=True, slots=True)
class Unit:
    """A placed symbol on one sheet instance: one unit of a part, or a power symbol.

    `pins` are the library's pins of this unit and body style.
    """

    instance: Instance
    placed: PlacedSymbol
    library: LibSymbol | None
    refdes: str
    unit: int
    value: str
    footprint: str
    pins: tuple[LibPin, ...]

    @property
    def power_name(self) -> str | None:
        """The net that this power symbol names, or None for anything else (PWR_FLAG names none)."""
        if self.library is None or not self.library.power:
            return None
        pins = [pin for pin in self.pins if self.electrical(pin) == "power_in"]
        if not pins:
            return None
        if self.instance.drawing.version < _POWER_BY_PIN_NAME and pins[0].hidden:
            return pins[0].name
        return self.value

    def electrical(self, pin: LibPin) -> str:
        """The pin's type, that of the chosen alternate where there is one."""
        chosen = self.placed.alternates.get(pin.number) if self.placed.alternates else None
        return pin.alternates.get(chosen, pin.electrical) if chosen else pin.electrical


@dataclass(frozen=True)
class Schematic:
    """A root sheet and everything under it, as `load_schematic` read it."""

    root: Path
    project: Project
    instances: tuple[Instance, ...]
    variables: Variables

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Every placed symbol of every sheet instance, power symbols included, in the order of the files."""
        pins: dict[tuple[int, int, int], tuple[LibPin, ...]] = {}
        units: list[Unit] = []
        for instance in self.instances:
            for placed in instance.drawing.symbols:
                placement = instance.placement(placed, self.instances[0].drawing)
                library = instance.drawing.library.get(placed.library_key)
                key = id(library), placement.unit, placed.style
                if key not in pins:
                    pins[key] = _pins_of(library, placement.unit, placed.style)
                units.append(self._unit(instance, placed, placement, pins[key]))
        return tuple(units)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The parts in natural order of reference; a multi-unit part once; no power symbols, no `#` references."""
        found: dict[str, list[Unit]] = {}
        for unit in self.units:
            if unit.refdes and not unit.refdes.startswith("#") and not (unit.library and unit.library.power):
                found.setdefault(unit.refdes, []).append(unit)
        return tuple(self._merged(refdes, found[refdes]) for refdes in sorted(found, key=natural))

    @cached_property
    def sheets(self) -> tuple[Sheet, ...]:
        """Every sheet instance, parents before children."""
        return tuple(Sheet(item.prefix, item.name, item.file) for item in self.instances)

    @cached_property
    def names(self) -> tuple[NameUse, ...]:
        """Every label, sheet pin and power symbol, dangling or not."""
        return tuple(self._names())

    @property
    def title(self) -> str:
        """The title in the root sheet's title block, variables expanded."""
        root = self.instances[0]
        return self.variables.shown(root.drawing.title.get("title", ""), root)

    def symbol(self, refdes: str) -> Symbol | None:
        """The part of that reference, or None."""
        return self._by_refdes.get(refdes)

    @cached_property
    def _by_refdes(self) -> Mapping[str, Symbol]:
        return {symbol.refdes: symbol for symbol in self.symbols}

    def _merged(self, refdes: str, units: list[Unit]) -> Symbol:
        first = min(units, key=lambda unit: unit.unit)
        stored = dict(first.placed.fields, Reference=refdes, Value=first.value, Footprint=first.footprint)
        pins: dict[str, SymbolPin] = {}
        for unit in units:
            for pin in unit.pins:
                for number in stacked(pin.number):
                    pins.setdefault(number, SymbolPin(number, pin.name, unit.electrical(pin)))
        return Symbol(
            refdes=refdes,
            value=first.value,
            footprint=first.footprint,
            lib_id=first.placed.lib_id,
            sheet=first.instance.prefix,
            dnp=any(unit.placed.dnp for unit in units),
            in_bom=all(unit.placed.in_bom for unit in units),
            on_board=all(unit.placed.on_board and unit.instance.on_board for unit in units),
            fields={name: self.variables.shown(text, first.instance, stored) for name, text in stored.items()},
            pins=tuple(pins[number] for number in sorted(pins, key=natural)),
        )

    def _unit(self, instance: Instance, placed: PlacedSymbol, placement: Placement, pins: tuple[LibPin, ...]) -> Unit:
        value = placed.fields.get("Value", "") if placement.value is None else placement.value
        footprint = placed.fields.get("Footprint", "") if placement.footprint is None else placement.footprint
        fields = dict(placed.fields, Reference=placement.reference, Value=value, Footprint=footprint)
        if instance.drawing.version < TILDE_IS_TEXT:
            value, footprint = (("" if text == "~" else text) for text in (value, footprint))
        return Unit(
            instance=instance,
            placed=placed,
            library=instance.drawing.library.get(placed.library_key),
            refdes=placement.reference,
            unit=placement.unit,
            value=self.variables.shown(value, instance, fields),
            footprint=self.variables.shown(footprint, instance, fields),
            pins=pins,
        )

    def _names(self) -> Iterator[NameUse]:
        for instance in self.instances:
            for label in instance.drawing.labels:
                yield NameUse(label.kind, self.variables.shown(label.text, instance), instance.prefix)
            for sheet in instance.drawing.sheets:
                for pin in sheet.pins:
                    yield NameUse("sheet_pin", self.variables.shown(pin.text, instance), instance.prefix)
        for unit in self.units:
            name = unit.power_name
            if name is not None:
                yield NameUse("power", name, unit.instance.prefix)


def load_schematic(root: Path, *, within: Path | None = None) -> Schematic:
    """Read a root sheet and every sheet under it, and the project file beside the root (STANDARD 3).

    `within` is a folder that no sheet file may leave, through links neither. Raises KicadFileError (`where` is
    `file:line:column`) for a file that KiCad would not load, a missing sheet, a sheet that includes itself.
    """
    root = Path(root)
    instances = read_hierarchy(root, within)
    project = load_project(root.with_suffix(".kicad_pro"))
    return Schematic(root, project, instances, Variables(root.stem, project, instances))


def stacked(number: str) -> tuple[str, ...]:
    """The pin numbers that one stored number stands for: `[1-3,A4]` is 1, 2, 3 and A4; a bad range stays as it is."""
    if not (number.startswith("[") and number.endswith("]")):
        return (number,)
    numbers: list[str] = []
    for part in number[1:-1].split(","):
        first, dash, last = part.strip().partition("-")
        if not dash:
            numbers.append(first)
            continue
        ends = re.fullmatch(r"(.*?)(\d{1,9})", first.strip()), re.fullmatch(r"(.*?)(\d{1,9})", last.strip())
        if ends[0] is None or ends[1] is None or ends[0][1] != ends[1][1]:
            return (number,)
        low, high = int(ends[0][2]), int(ends[1][2])
        if low > high or high - low > _MOST_STACKED:
            return (number,)
        numbers += [f"{ends[0][1]}{place}" for place in range(low, high + 1)]
        if len(numbers) > _MOST_STACKED:
            return (number,)
    return tuple(item for item in numbers if item) or (number,)


def _pins_of(library: LibSymbol | None, unit: int, style: int) -> tuple[LibPin, ...]:
    pins = () if library is None else library.pins
    return tuple(pin for pin in pins if pin.unit in (0, unit) and pin.style in (0, style))
