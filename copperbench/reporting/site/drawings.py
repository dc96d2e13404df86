"""Before and after of a schematic: KiCad's drawings with the change boxed, and what changed electrically."""

from __future__ import annotations

import hashlib
import json
import re
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

_FORMAT = "4"
_DRAWN_FROM = (".kicad_sch", ".kicad_pro", ".kicad_wks", ".kicad_sym")
_MOST_SHEETS = 40
_MOST_LINES = 300
_DATED = re.compile(r"<title>.*?</title>", re.DOTALL)
"""Where KiCad writes the time of drawing: what is left is equal for equal sheets."""
_AS_BEFORE = ""


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

    Of an end state only the sheets that look different are read and kept. `cli` None draws nothing. Files go to
    `out`/drawings, named by their own digest.
    """

    def __init__(self, cli: KicadCli | None, store: Path, out: Path) -> None:
        self._cli = cli
        self._store = store
        self._out = out
        self._seen: dict[str, SchematicChange] = {}
        self._baselines: dict[str, _Sheets] = {}
        self._read: dict[str, Schematic] = {}

    def change(self, evidence: Evidence, seal: Seal, tree: Path) -> SchematicChange | None:
        """The change of a run's schematic; None where no file that it is drawn from changed.

        `seal` and its fixture's `tree` are what `evidence` was collected from.
        """
        before, after = _digest(evidence.baseline.files), _digest(evidence.end_state.files)
        if before == after:
            return None
        key = hashlib.sha256(f"{before}\n{after}".encode()).hexdigest()[:32]
        if key not in self._seen:
            self._seen[key] = self._compare(evidence, seal, tree, before, key)
        return self._seen[key]

    def _compare(self, evidence: Evidence, seal: Seal, tree: Path, before: str, key: str) -> SchematicChange:
        electrical = self._kept(f"electrical-{_FORMAT}-{key}", lambda: self._electrical(evidence, before))
        lines = tuple(electrical["lines"].split("\n")) if electrical["lines"] else ()
        if self._cli is None:
            return SchematicChange((), lines, "No drawings: the site was made without kicad-cli.")
        version, schematic = self._cli.version, evidence.fixture.schematic
        try:
            if before not in self._baselines:  # as few as there are tasks, and read by every run of one
                name = f"svg-{_FORMAT}-{version}-{before[:32]}"
                texts = self._kept(
                    name, lambda: self._draw(lambda into: seal.materialise("baseline", tree, into), schematic)
                )
                self._baselines[before] = _Sheets(texts)
            old = self._baselines[before]
            new = self._kept(
                f"svg-{_FORMAT}-{version}-{key}",
                lambda: _changed(old.texts, self._draw(lambda into: seal.materialise("end", tree, into), schematic)),
            )
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

    def _draw(self, copy: Callable[[Path], None], schematic: str) -> Mapping[str, str]:
        """The drawing of every sheet, by file name, without its date."""
        assert self._cli is not None, "asked only where there is one"
        with tempfile.TemporaryDirectory(prefix="copperbench-drawing-") as scratch:
            copy(Path(scratch) / "tree")
            found = self._cli.export_drawings(Path(scratch) / "tree" / schematic)
        return {name: _DATED.sub("", data.decode("utf-8", "replace"), count=1) for name, data in sorted(found.items())}

    def _sheets(self, old: _Sheets, new: Mapping[str, str]) -> list[SheetChange]:
        changed = []
        names = [name for name in sorted(old.texts.keys() | new.keys()) if new.get(name) != _AS_BEFORE]
        for name in names[:_MOST_SHEETS]:
            before, after = old.drawing(name), _drawing(new.get(name))
            if before is not None and after is not None and not differs(before, after):
                continue
            if before is None and after is None:
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


class _Sheets:
    """A baseline's sheets as KiCad drew them, each read when first asked for."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._drawings: dict[str, Drawing | None] = {}

    def drawing(self, name: str) -> Drawing | None:
        if name not in self._drawings:
            self._drawings[name] = _drawing(self.texts.get(name))
        return self._drawings[name]


def _drawing(text: str | None) -> Drawing | None:
    return None if text is None else read_drawing(text.encode("utf-8"))


def _changed(old: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """The sheets of `new`; one that is drawn as it was before is named and not repeated."""
    return {name: _AS_BEFORE if text == old.get(name) else text for name, text in new.items()}


def _digest(files: Mapping[str, FileState]) -> str:
    drawn = sorted((path, state.sha256) for path, state in files.items() if path.endswith(_DRAWN_FROM))
    return hashlib.sha256(repr(drawn).encode("utf-8", "replace")).hexdigest()
