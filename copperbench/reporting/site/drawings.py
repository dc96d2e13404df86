"""Before and after of a schematic: KiCad's drawings with the change boxed, and what changed electrically."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.evidence import Evidence
from copperbench.kicad import KicadCli, Schematic, compare_netlists
from copperbench.kicad.render import change_lines
from copperbench.publish import json_bytes, publish
from copperbench.reporting.site.svg import Drawing, close_up, differs, marked, read_drawing
from copperbench.sandbox import FileState, Seal

_FORMAT = "3"
_DRAWN_FROM = (".kicad_sch", ".kicad_pro", ".kicad_wks", ".kicad_sym")
_MOST_SHEETS = 40
_MOST_LINES = 300


@dataclass(frozen=True, slots=True)
class SheetChange:
    """One sheet that looks different: the addresses of its drawings below the site, None where it is not there.

    The views are the regions to look at, `x,y,width,height` in the drawing's own units.
    """

    name: str
    before: str | None
    after: str | None
    before_view: str
    after_view: str


@dataclass(frozen=True, slots=True)
class SchematicChange:
    """What a run did to the schematic. `note` says why there are no drawings, `electrical` is one finding per line."""

    sheets: tuple[SheetChange, ...]
    electrical: tuple[str, ...]
    note: str


class Draughtsman:
    """Draws schematics through kicad-cli, each end state once: what was drawn is kept under `store` by digest.

    `cli` None draws nothing. Files go to `out`/drawings, named by their own digest.
    """

    def __init__(self, cli: KicadCli | None, store: Path, out: Path) -> None:
        self._cli = cli
        self._store = store
        self._out = out
        self._seen: dict[str, SchematicChange] = {}
        self._baselines: dict[str, Mapping[str, Drawing]] = {}
        self._read: dict[str, Schematic] = {}

    def change(self, evidence: Evidence, seal: Seal, tree: Path) -> SchematicChange | None:
        """The change of a run's schematic; None where no file that it is drawn from changed.

        `seal` and its fixture's `tree` are what `evidence` was collected from.
        """
        before, after = _digest(evidence.baseline.files), _digest(evidence.end_state.files)
        if before == after:
            return None
        key = hashlib.sha256(f"{_FORMAT}\n{before}\n{after}\n{self._version}".encode()).hexdigest()[:32]
        if key not in self._seen:
            self._seen[key] = self._compare(evidence, seal, tree, (before, after))
        return self._seen[key]

    @property
    def _version(self) -> str:
        return self._cli.version if self._cli else "none"

    def _compare(self, evidence: Evidence, seal: Seal, tree: Path, digests: tuple[str, str]) -> SchematicChange:
        before, after = digests
        electrical = self._kept(f"electrical-{before[:32]}-{after[:32]}", lambda: self._electrical(evidence, before))
        lines = tuple(electrical["lines"].split("\n")) if electrical["lines"] else ()
        if self._cli is None:
            return SchematicChange((), lines, "No drawings: the site was made without kicad-cli.")
        try:
            schematic = evidence.fixture.schematic
            if before not in self._baselines:  # as few as there are tasks, and read by every run of one
                read = self._drawings(lambda into: seal.materialise("baseline", tree, into), schematic, before)
                self._baselines[before] = read
            old = self._baselines[before]
            new = self._drawings(lambda into: seal.materialise("end", tree, into), schematic, after)
        except CopperbenchError as error:
            return SchematicChange((), lines, f"No drawings: {error.what}.")
        return SchematicChange(tuple(self._sheets(old, new)), lines, "")

    def _electrical(self, evidence: Evidence, before: str) -> Mapping[str, str]:
        """The electrical difference by our own netlister, one finding per line."""
        try:
            if before not in self._read:
                self._read[before] = evidence.baseline.schematic()
            change = compare_netlists(self._read[before], evidence.end_state.schematic())
        except CopperbenchError as error:
            return {"lines": f"cannot be told: {error.what}"}
        lines = list(change_lines(change))
        more = len(lines) - _MOST_LINES
        shown = [" ".join(line.split()) for line in lines[:_MOST_LINES]]
        return {"lines": "\n".join([*shown, f"and {more} more"] if more > 0 else shown)}

    def _drawings(self, copy: Callable[[Path], None], schematic: str, digest: str) -> Mapping[str, Drawing]:
        def draw() -> Mapping[str, str]:
            assert self._cli is not None, "asked only where there is one"
            with tempfile.TemporaryDirectory(prefix="copperbench-drawing-") as scratch:
                copy(Path(scratch) / "tree")
                found = self._cli.export_drawings(Path(scratch) / "tree" / schematic)
            return {name: data.decode("utf-8", "replace") for name, data in found.items()}

        kept = self._kept(f"svg-{self._version}-{digest[:32]}", draw)
        read = {name: read_drawing(text.encode("utf-8")) for name, text in sorted(kept.items())[:_MOST_SHEETS]}
        return {name: drawing for name, drawing in read.items() if drawing is not None}

    def _sheets(self, old: Mapping[str, Drawing], new: Mapping[str, Drawing]) -> list[SheetChange]:
        changed = []
        for name in sorted(old.keys() | new.keys()):
            before, after = old.get(name), new.get(name)
            if before is not None and after is not None and not differs(before, after):
                continue
            first = self._write(marked(before, after, "before")) if before is not None else None
            second = self._write(marked(after, before, "after")) if after is not None else None
            views = [close_up(one, two) if one else "" for one, two in ((before, after), (after, before))]
            changed.append(SheetChange(name.removesuffix(".svg"), first, second, *views))
        return changed

    def _write(self, data: bytes) -> str:
        name = f"drawings/{hashlib.sha256(data).hexdigest()[:20]}.svg"
        if not (self._out / name).exists():
            publish(self._out / name, data)
        return name

    def _kept(self, name: str, make: Callable[[], Mapping[str, str]]) -> Mapping[str, str]:
        path = self._store / f"{name}.json"
        try:
            value = json.loads(path.read_bytes())
            if isinstance(value, dict) and all(isinstance(each, str) for each in value.values()):
                return value
        except (OSError, ValueError):
            pass
        made = make()
        publish(path, json_bytes(dict(made)))
        return made


def _digest(files: Mapping[str, FileState]) -> str:
    drawn = sorted((path, state.sha256) for path, state in files.items() if path.endswith(_DRAWN_FROM))
    return hashlib.sha256(repr(drawn).encode("utf-8", "replace")).hexdigest()
