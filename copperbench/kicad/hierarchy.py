"""The tree of sheet instances under a root sheet, read from disk within bounds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import KicadFileError
from copperbench.kicad.drawing import Drawing, PlacedSymbol, Placement, SheetSymbol
from copperbench.kicad.drawing_reader import read_drawing
from copperbench.kicad.files import read_file
from copperbench.kicad.text import net_name, unescape

MOST_INSTANCES = 2000
_LARGEST_SHEET = 64 * 1024 * 1024
_LARGEST_DESIGN = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Instance:
    """One use of a drawing: `path` is KiCad's `/root uuid/sheet uuid...`, `prefix` begins the net names drawn on it."""

    index: int
    drawing: Drawing
    path: str
    prefix: str
    name: str
    file: str
    on_board: bool
    parent: int | None
    symbol: SheetSymbol | None
    depth: int

    def placement(self, symbol: PlacedSymbol, root: Drawing) -> Placement:
        """What `symbol` is called here: by instance path, by the root's table (format 6), by its own field."""
        for placement in symbol.placements:
            if placement.path == self.path and placement.reference:
                return placement
        old = root.placements.get(f"{self.path.removeprefix('/' + root.uuid)}/{symbol.uuid}")
        if old is not None and old.reference:
            return old
        return Placement(self.path, symbol.fields.get("Reference", ""), symbol.unit)


def read_hierarchy(root: Path, within: Path | None) -> tuple[Instance, ...]:
    """Read the root sheet and every sheet under it, parents before children.

    Raises KicadFileError where a sheet file is missing, leaves `within` (through a link too), includes itself, or
    where there are more than 2,000 instances or 256 MiB.
    """
    return _HierarchyReader(root, within).read()


class _HierarchyReader:
    def __init__(self, root: Path, within: Path | None) -> None:
        self.root = root
        self.within = None if within is None else within.resolve()
        self.drawings: dict[Path, Drawing] = {}
        self.reals: dict[Path, Path] = {}
        self.size = 0

    def read(self) -> tuple[Instance, ...]:
        top = self._drawing(self.root, str(self.root))
        uuid = f"/{top.uuid}"
        instances = [Instance(0, top, uuid, "/", "", self.root.name, on_board=True, parent=None, symbol=None, depth=1)]
        places = [self.root]
        for parent in instances:
            for sheet in parent.drawing.sheets:
                place = self._place(places, instances, parent, sheet)
                if len(instances) >= MOST_INSTANCES:
                    raise KicadFileError(self.root, f"has more than {MOST_INSTANCES} sheets", "flatten the hierarchy")
                name = unescape(sheet.name)
                instances.append(
                    Instance(
                        index=len(instances),
                        drawing=self._drawing(place, f"{parent.drawing.name}: sheet '{name}'"),
                        path=f"{parent.path}/{sheet.uuid}",
                        prefix=f"{parent.prefix}{net_name(name.strip())}/",
                        name=name,
                        file=os.path.relpath(place, self.root.parent),
                        on_board=parent.on_board and sheet.on_board,
                        parent=parent.index,
                        symbol=sheet,
                        depth=parent.depth + 1,
                    )
                )
                places.append(place)
        return tuple(instances)

    def _place(self, places: list[Path], instances: list[Instance], parent: Instance, sheet: SheetSymbol) -> Path:
        """Where the file of `sheet` is; refuses one that is among its own ancestors."""
        stored = unescape(sheet.file).replace("\\", "/")
        place = Path(os.path.normpath(places[parent.index].parent / stored))
        real = self._real(place, parent.drawing.name)
        above: Instance | None = parent
        while above is not None:
            if self._real(places[above.index], above.drawing.name) == real:
                raise KicadFileError(
                    parent.drawing.name, f"the sheet '{sheet.name}' includes itself", "remove that sheet"
                )
            above = None if above.parent is None else instances[above.parent]
        return place

    def _real(self, place: Path, named_by: str) -> Path:
        """Where a path leads through links, remembered; refuses what leads nowhere or out of `within`."""
        if place not in self.reals:
            try:
                self.reals[place] = place.resolve()
            except (OSError, RuntimeError, ValueError):
                raise KicadFileError(
                    named_by, f"'{str(place)[:200]}' leads nowhere", "name a file that exists"
                ) from None
        real = self.reals[place]
        if self.within is not None and not real.is_relative_to(self.within):
            raise KicadFileError(
                named_by, f"'{str(place)[:200]}' lies outside of '{self.within}'", "keep every sheet in the project"
            )
        return real

    def _drawing(self, place: Path, named_by: str) -> Drawing:
        real = self._real(place, named_by)
        if real not in self.drawings:
            data = read_file(place, _LARGEST_SHEET)
            self.size += len(data)
            if self.size > _LARGEST_DESIGN:
                raise KicadFileError(self.root, "is a design of more than 256 MiB", "remove embedded data")
            self.drawings[real] = read_drawing(data, str(place))
        return self.drawings[real]
