"""Groups: the connected things of one sheet instance, and which of them names the net."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from copperbench.errors import KicadFileError
from copperbench.kicad.buses import MOST_BUS_MEMBERS, Bus, parse_bus
from copperbench.kicad.drawing import LibPin, Point, SheetPin, SheetSymbol
from copperbench.kicad.geometry import Cluster, clusters
from copperbench.kicad.hierarchy import Instance
from copperbench.kicad.schematic import Schematic, Unit, stacked
from copperbench.kicad.text import net_name


class Priority(IntEnum):
    """How strongly a thing names its net; from HIERARCHICAL_LABEL up a driver is strong."""

    NONE = 0
    PIN = 1
    SHEET_PIN = 2
    HIERARCHICAL_LABEL = 3
    LOCAL_LABEL = 4
    LOCAL_POWER = 5
    GLOBAL_POWER = 6
    GLOBAL_LABEL = 7


NAMELESS = "<NO NET>"
"""What KiCad calls a net that a label without text names."""
_OF_LABEL = {
    "label": Priority.LOCAL_LABEL,
    "global_label": Priority.GLOBAL_LABEL,
    "hierarchical_label": Priority.HIERARCHICAL_LABEL,
}


class Driver(NamedTuple):
    """A thing that may name a net. `name` is in net-name form; `rank` orders drivers of equal priority.

    A pin that turns out to be alone has another name in the end than the one it claims while names are compared.
    """

    priority: Priority
    name: str
    shown: str
    rank: int = 0
    bus: Bus | None = None
    claimed: str = ""

    @property
    def strong(self) -> bool:
        """Whether groups on the same sheet join by this name."""
        return self.priority >= Priority.HIERARCHICAL_LABEL

    @property
    def kind(self) -> str:
        """`net`, `vector` or `group`: what the name is the name of."""
        return "net" if self.bus is None else "vector" if self.bus.vector else "group"

    @property
    def order(self) -> tuple[int, int, bool, str]:
        """A sort key: the driver that KiCad chooses comes first."""
        return (-self.priority, self.rank, "-Pad" in self.name, self.name)

    def holds(self, other: Driver) -> bool:
        """Whether this is a bus that has all members of the bus `other`, and more."""
        return self.keys > other.keys > frozenset()

    @property
    def keys(self) -> frozenset[int | str]:
        """The members of a bus; empty for a plain name."""
        return frozenset(member.key for member in self.bus.members) if self.bus else frozenset()


class Pin(NamedTuple):
    """A pin on a sheet instance."""

    unit: Unit
    library: LibPin

    @property
    def numbers(self) -> tuple[str, ...]:
        """The pin numbers it stands for."""
        return stacked(self.library.number)


@dataclass(slots=True, eq=False)
class Group:
    """One or more clusters of a sheet instance that are one net, or one bus, there.

    `promoted` is a sheet's pin whose unique name counts as strong. `twin` is the weak name that other groups have
    too; `twin_matters` where more than a suffix depends on which of them keeps it. `torn` is a vector bus
    that only a sheet's pin names and of whose name there is another: it stays apart, but its members join.
    """

    instance: Instance
    drivers: list[Driver]
    pins: list[Pin]
    sheet_pins: list[tuple[int, str]] = field(default_factory=list)
    ports: list[str] = field(default_factory=list)
    promoted: bool = False
    suffix: str = ""
    twin: str = ""
    twin_matters: bool = False
    torn: bool = False
    driver: Driver = field(init=False)

    def __post_init__(self) -> None:
        self.choose()

    def choose(self) -> None:
        """Settle which driver names the group."""
        self.driver = min(self.drivers, key=lambda driver: driver.order)
        if self.driver.bus is not None:
            for other in self.drivers:
                if other.priority == self.driver.priority and other.holds(self.driver):
                    self.driver = other

    @property
    def strong(self) -> bool:
        """Whether the group joins others by name."""
        return self.promoted or self.driver.strong

    @property
    def bus(self) -> Bus | None:
        """What the group is a bus of, or None for a net."""
        return self.driver.bus

    @property
    def kind(self) -> str:
        """`net`, `vector` or `group`; only equal kinds join."""
        return self.driver.kind

    @property
    def prefix(self) -> str:
        """What the sheet puts before the driver's name."""
        local = Priority.SHEET_PIN <= self.driver.priority <= Priority.LOCAL_POWER
        return self.instance.prefix if local else ""

    @property
    def full_name(self) -> str:
        """The name before anything from other sheets is considered."""
        return f"{self.prefix}{self.driver.name or NAMELESS}{self.suffix}"

    @property
    def mixed(self) -> bool:
        """Whether a bus and something else meet: a plain name, a pin, a bus of other members."""
        named = [driver for driver in self.drivers if driver.priority >= Priority.SHEET_PIN]
        if not any(driver.bus for driver in named):
            return False
        return (
            bool(self.pins)
            or len({driver.kind for driver in named}) > 1
            or len({driver.keys for driver in named if driver.strong}) > 1
        )

    @property
    def claimed(self) -> str:
        """The full name that the group claims while weak names are compared."""
        return f"{self.prefix}{self.driver.claimed or self.driver.name or NAMELESS}"

    @property
    def nodes(self) -> frozenset[tuple[str, str]]:
        """The (refdes, pin) pairs of the group that a netlist holds."""
        return frozenset(
            (pin.unit.refdes, number)
            for pin in self.pins
            if pin.unit.placed.on_board and pin.unit.instance.on_board and not pin.unit.refdes.startswith("#")
            for number in pin.numbers
        )

    def global_names(self) -> set[str]:
        """The names by which the group joins others on every sheet."""
        return {driver.name for driver in self.drivers if driver.priority >= Priority.GLOBAL_POWER}

    def joining(self) -> list[Driver]:
        """The drivers by which the group joins others of its kind on its sheet."""
        kind = self.kind
        strong = [driver for driver in self.drivers if driver.strong and driver.kind == kind]
        return [*strong, self.driver] if self.promoted else strong


def refuse_excess(members: int, schematic: Schematic) -> None:
    """Raise KicadFileError when a design's buses stand for more nets than any design has: naming them takes minutes."""
    if members > MOST_BUS_MEMBERS:
        raise KicadFileError(schematic.root, f"has buses of more than {MOST_BUS_MEMBERS} nets", "shorten their ranges")


class GroupBuilder:
    """Builds the groups of every sheet instance; sheets that are used many times are gathered once."""

    def __init__(self, schematic: Schematic) -> None:
        self._schematic = schematic
        self._units: dict[int, list[Unit]] = defaultdict(list)
        for unit in schematic.units:
            self._units[unit.instance.index].append(unit)
        self._children: dict[tuple[int, str], int] = {}
        for instance in schematic.instances:
            if instance.parent is not None and instance.symbol is not None:
                self._children[instance.parent, instance.symbol.uuid] = instance.index
        self._gathered: dict[tuple[int, tuple[int, ...]], tuple[list[tuple[int, LibPin]], list[Cluster]]] = {}
        self._buses: dict[str, Bus | None] = {}
        self._members = 0
        self._aliases = self._all_aliases()

    def groups(self) -> Iterator[Group]:
        """The groups of all sheet instances that anything names."""
        for instance in self._schematic.instances:
            units = self._units[instance.index]
            pins, found = self._gather(instance, units)
            outlines = [(sheet, pin) for sheet in instance.drawing.sheets for pin in sheet.pins]
            for cluster in found:
                touched = [Pin(units[at], pin) for at, pin in map(pins.__getitem__, cluster.pins)]
                group = self._group(instance, cluster, touched, outlines)
                if group is not None:
                    yield group
            yield from self._unconnectable(instance, units)

    def bus(self, name: str) -> Bus | None:
        """The bus that a net name stands for, remembered. Raises KicadFileError where all buses together are absurd."""
        if name not in self._buses:
            bus = self._buses[name] = parse_bus(name, self._aliases.get)
            self._members += len(bus.members) if bus else 0
            refuse_excess(self._members, self._schematic)
        return self._buses[name]

    def _all_aliases(self) -> Mapping[str, tuple[str, ...]]:
        aliases = dict(self._schematic.project.aliases)
        for instance in self._schematic.instances:
            aliases.update(instance.drawing.aliases)
        return aliases

    def _gather(self, instance: Instance, units: Sequence[Unit]) -> tuple[list[tuple[int, LibPin]], list[Cluster]]:
        key = id(instance.drawing), tuple(unit.unit for unit in units)
        if key not in self._gathered:
            every = [(at, pin) for at, unit in enumerate(units) for pin in unit.pins]
            pins = [(at, pin) for at, pin in every if units[at].electrical(pin) != "no_connect"]
            points = [_position(units[at], pin) for at, pin in pins]
            stops = [_position(units[at], pin) for at, pin in every if units[at].electrical(pin) == "no_connect"]
            self._gathered[key] = pins, clusters(instance.drawing, points, stops, _jumpers(units, pins))
        return self._gathered[key]

    def _group(
        self,
        instance: Instance,
        cluster: Cluster,
        pins: list[Pin],
        outlines: Sequence[tuple[SheetSymbol, SheetPin]],
    ) -> Group | None:
        shown = self._schematic.variables.shown
        drivers: list[Driver] = []
        ports: list[str] = []
        sheet_pins: list[tuple[int, str]] = []
        for index in cluster.labels:
            label = instance.drawing.labels[index]
            driver = self._driver(_OF_LABEL[label.kind], shown(label.text, instance))
            drivers.append(driver)
            if label.kind == "hierarchical_label":
                ports.append(driver.name)
        for index in cluster.sheet_pins:
            sheet, sheet_pin = outlines[index]
            driver = self._driver(Priority.SHEET_PIN, shown(sheet_pin.text, instance), int(sheet_pin.shape != "output"))
            drivers.append(driver)
            sheet_pins.append((self._children[instance.index, sheet.uuid], driver.name))
        alone = sum(not pin.unit.refdes.endswith("?") for pin in pins) + len(drivers) == 1
        for pin in pins:
            own = self._pin_driver(pin, unconnected=cluster.no_connect)
            if own is not None and own.priority is Priority.PIN and alone and not cluster.no_connect:
                name = self._automatic_name(pin, unconnected=True)
                own = Driver(Priority.PIN, name, name, claimed=own.name)
            if own is not None:
                drivers.append(own)
        return Group(instance, drivers, pins, sheet_pins, ports) if drivers else None

    def _unconnectable(self, instance: Instance, units: Sequence[Unit]) -> Iterator[Group]:
        """Pins of the type no_connect: each is a net of its own, whatever it touches."""
        for unit in units:
            for library in unit.pins:
                if unit.electrical(library) == "no_connect":
                    pin = Pin(unit, library)
                    driver = self._pin_driver(pin, unconnected=True)
                    if driver is not None:
                        yield Group(instance, [driver], [pin])

    def _driver(self, priority: Priority, shown: str, rank: int = 0) -> Driver:
        name = net_name(shown)
        return Driver(priority, name, shown, rank, self.bus(name))

    def _pin_driver(self, pin: Pin, *, unconnected: bool) -> Driver | None:
        unit, library = pin.unit, pin.unit.library
        assert library is not None
        if unit.electrical(pin.library) == "power_in":
            if library.power == "local":
                return self._driver(Priority.LOCAL_POWER, unit.power_name or "", 1)
            if library.power:
                return self._driver(Priority.GLOBAL_POWER, unit.power_name or "", 0)
            if pin.library.hidden:
                return self._driver(Priority.GLOBAL_POWER, pin.library.name, 2)
        if not unit.placed.on_board or library.reference.startswith("#") or unit.refdes.endswith("?"):
            return None
        name = self._automatic_name(pin, unconnected=unconnected)
        return Driver(Priority.PIN, name, name)

    def _automatic_name(self, pin: Pin, *, unconnected: bool) -> str:
        unit, name, number = pin.unit, net_name(pin.library.name), net_name(pin.numbers[0])
        start = "unconnected-(" if unconnected else "Net-("
        if not name or pin.library.name == pin.numbers[0]:
            return f"{start}{unit.refdes}-Pad{number})"
        token = self._schematic.project.unit_token(unit.unit) if unit.library and unit.library.units > 1 else ""
        shared = any(
            other.name == pin.library.name
            and other.number != pin.library.number
            and unconnected == (unit.electrical(other) == "no_connect")
            for other in unit.pins
        )
        pad = f"-Pad{number}" if unconnected or shared else ""
        return f"{start}{unit.refdes}{token}-{name}{pad})"


def _position(unit: Unit, pin: LibPin) -> Point:
    (x, y), (a, b, c, d), (px, py) = unit.placed.at, unit.placed.matrix, pin.at
    return x + a * px + b * py, y + c * px + d * py


def _jumpers(units: Sequence[Unit], pins: Sequence[tuple[int, LibPin]]) -> Iterator[list[int]]:
    """Groups of pins that their symbol joins inside."""
    by_number: dict[tuple[int, str], list[int]] = defaultdict(list)
    for index, (at, pin) in enumerate(pins):
        library = units[at].library
        if library is not None and (library.joins_equal_numbers or library.joined_groups):
            for number in stacked(pin.number):
                by_number[at, number].append(index)
    for (at, _), same in by_number.items():
        library = units[at].library
        if library is not None and library.joins_equal_numbers:
            yield same
    for at in sorted({at for at, _ in by_number}):
        library = units[at].library
        for group in library.joined_groups if library is not None else ():
            yield [index for number in group for index in by_number.get((at, number), ())]
