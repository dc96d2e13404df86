"""What touches what on one sheet: wires, pins, labels and junctions gathered into clusters.

Things connect where their connection points coincide. Two things reach further: a junction joins every line that
passes under it, and a label or a sheet's pin joins the lines it lies on, unless a pin or a no-connect is there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from copperbench.errors import KicadFileError
from copperbench.kicad.drawing import Drawing, Line, Point

_MOST_COMPARISONS = 20_000_000


@dataclass(slots=True)
class Cluster:
    """Things of one sheet that are connected by touch, as indices into the sheet's own lists."""

    pins: list[int] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    sheet_pins: list[int] = field(default_factory=list)
    no_connect: bool = False


class Joined:
    """A disjoint-set forest over the integers below `size`."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))

    def find(self, item: int) -> int:
        """The representative of the set that holds `item`."""
        parent = self._parent
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def join(self, one: int, other: int) -> None:
        """Make one set of the sets of `one` and `other`; the smaller representative stays."""
        low, high = sorted((self.find(one), self.find(other)))
        self._parent[high] = low

    def join_all(self, items: Sequence[int]) -> None:
        """Make one set of the sets of all `items`."""
        for item in items[1:]:
            self.join(items[0], item)

    def sets(self, items: Iterable[int]) -> dict[int, list[int]]:
        """The items by the representative of their set."""
        found: dict[int, list[int]] = defaultdict(list)
        for item in items:
            found[self.find(item)].append(item)
        return found


class LineFinder:
    """Finds the lines that pass through a point, in the time of a few comparisons for upright and level lines."""

    def __init__(self, lines: Sequence[Line], name: str) -> None:
        self._lines = lines
        self._name = name
        self._level: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self._upright: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self._sloped: list[int] = []
        self._comparisons = 0
        for index, line in enumerate(lines):
            (x1, y1), (x2, y2) = line.start, line.end
            if y1 == y2:
                self._level[y1].append((min(x1, x2), max(x1, x2), index))
            elif x1 == x2:
                self._upright[x1].append((min(y1, y2), max(y1, y2), index))
            else:
                self._sloped.append(index)

    def through(self, point: Point, tolerance: int) -> list[int]:
        """Indices of the lines at most `tolerance` units from `point`, ends included.

        Raises KicadFileError where a drawing is so dense that finding them all would not end.
        """
        x, y = point
        found = [index for index in self._sloped if _touches(self._lines[index], x, y, tolerance)]
        self._comparisons += len(self._sloped)
        for off in range(-tolerance, tolerance + 1):
            for lines, across, along in ((self._level, y, x), (self._upright, x, y)):
                near = lines.get(across + off, ())
                self._comparisons += len(near)
                found += [index for low, high, index in near if low - tolerance <= along <= high + tolerance]
        if self._comparisons > _MOST_COMPARISONS:
            raise KicadFileError(f"{self._name}:1:1", "too many lines lie over each other", "redraw the sheet")
        return found


def clusters(
    drawing: Drawing, pins: Sequence[Point], stops: Iterable[Point], jumpers: Iterable[Sequence[int]]
) -> list[Cluster]:
    """Gather everything on a sheet into clusters.

    `pins` are the positions of the pins that may connect, in the order that `Cluster.pins` counts; `stops` are those
    of pins that may not; `jumpers` are groups of pins that their symbol joins inside. `Cluster.sheet_pins` counts
    through all sheets of the drawing. Raises KicadFileError for a drawing too dense to be worked out.
    """
    return _Gathering(drawing, pins).clusters(stops, jumpers)


class _Gathering:
    """The things of a sheet, numbered: lines, then pins, labels, sheet pins, no-connects, bus entries, junctions."""

    def __init__(self, drawing: Drawing, pins: Sequence[Point]) -> None:
        self.drawing = drawing
        self.finder = LineFinder(drawing.lines, drawing.name)
        self.labels = [label.at for label in drawing.labels]
        self.sheet_pins = [pin.at for sheet in drawing.sheets for pin in sheet.pins]
        self.pin_points = pins
        counts = (drawing.lines, pins, self.labels, self.sheet_pins, drawing.no_connects, drawing.entries)
        self.starts = [0]
        for things in counts:
            self.starts.append(self.starts[-1] + len(things))
        self.joined = Joined(self.starts[-1])
        self.at: dict[Point, list[int]] = defaultdict(list)
        self.bus_at: dict[Point, list[int]] = defaultdict(list)

    def clusters(self, stops: Iterable[Point], jumpers: Iterable[Sequence[int]]) -> list[Cluster]:
        """Join all that touches, and sort it into clusters."""
        _, pins, labels, sheet_pins, no_connects, entries, _ = self.starts
        for index, line in enumerate(self.drawing.lines):
            for end in (line.start, line.end):
                (self.bus_at if line.bus else self.at)[end].append(index)
        stops = {*self.pin_points, *self.drawing.no_connects, *stops}
        for start, points in (
            (pins, self.pin_points),
            (no_connects, self.drawing.no_connects),
            (labels, self.labels),
            (sheet_pins, self.sheet_pins),
        ):
            for index, point in enumerate(points, start):
                self.at[point].append(index)
                self.bus_at[point].append(index)
        for start, points in ((labels, self.labels), (sheet_pins, self.sheet_pins)):
            for index, point in enumerate(points, start):
                if point not in stops:
                    self.joined.join_all([index, *self.finder.through(point, 1)])
        for index, ends in enumerate(self.drawing.entries, entries):
            self._entry(index, ends)
        for things in (*self.at.values(), *self.bus_at.values()):
            self.joined.join_all(things)
        for point in self.drawing.junctions:
            things = [*self.at.get(point, ()), *self.bus_at.get(point, ())]
            self.joined.join_all([*self.finder.through(point, 0), *things])
        for group in jumpers:
            self.joined.join_all([pins + index for index in group])
        return list(self._sorted())

    def _entry(self, index: int, ends: tuple[Point, Point]) -> None:
        """A bus entry joins wires at the end that is not on a bus; membership goes by name, not by touch."""
        for end in ends:
            on_bus = any(self.drawing.lines[line].bus for line in self.finder.through(end, 0))
            if not on_bus:
                self.at[end].append(index)

    def _sorted(self) -> Iterator[Cluster]:
        _, pins, labels, sheet_pins, no_connects, entries, end = self.starts
        for things in self.joined.sets(range(end)).values():
            cluster = Cluster()
            for thing in things:
                if thing < pins:
                    continue
                if thing < labels:
                    cluster.pins.append(thing - pins)
                elif thing < sheet_pins:
                    cluster.labels.append(thing - labels)
                elif thing < no_connects:
                    cluster.sheet_pins.append(thing - sheet_pins)
                elif thing < entries:
                    cluster.no_connect = True
            if cluster.pins or cluster.labels or cluster.sheet_pins:
                yield cluster


def _touches(line: Line, x: int, y: int, tolerance: int) -> bool:
    (x1, y1), (x2, y2) = line.start, line.end
    if not (min(x1, x2) - tolerance <= x <= max(x1, x2) + tolerance):
        return False
    if not (min(y1, y2) - tolerance <= y <= max(y1, y2) + tolerance):
        return False
    dx, dy = x2 - x1, y2 - y1
    cross = dx * (y - y1) - dy * (x - x1)
    return cross * cross <= tolerance * tolerance * (dx * dx + dy * dy)
