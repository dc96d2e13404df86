"""The design as it stands while the model works on it, and how it stood at the start."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from copperbench.agent.repository import Snapshot
from copperbench.agent.settings import ProjectSettings, read_settings
from copperbench.agent.workspace import DESIGN_SUFFIXES, ToolError, Workspace
from copperbench.errors import CopperbenchError
from copperbench.scaffold import CONSTRAINTS_PATH, Constraint, Mismatch, drift, parse_constraints

if TYPE_CHECKING:
    from copperbench.kicad import Netlist, Schematic


class Design:
    """What tools read of the project: settings, documents, schematic, nets, and drift beyond that of the start."""

    def __init__(self, workspace: Workspace, start: Snapshot) -> None:
        self.workspace = workspace
        self.start = start
        self._read: tuple[int, Schematic] | None = None
        self._standing: frozenset[tuple[str, str, str]] | None = None

    @property
    def settings(self) -> ProjectSettings:
        """The project's settings as they are now (in `create` they come about during the run)."""
        return read_settings(self.workspace.root)

    @property
    def has_schematic(self) -> bool:
        """Whether the configured schematic exists: before that there is nothing to drift from."""
        return self._is_file(self.settings.schematic)

    @property
    def has_board(self) -> bool:
        """Whether the configured board exists."""
        return self._is_file(self.settings.board)

    def schematic(self) -> Schematic:
        """The configured schematic as it is now. Raises ToolError when none is configured or it does not load."""
        from copperbench.kicad import load_schematic

        if self._read is None or self._read[0] != self.workspace.edits:
            root = self.workspace.root
            self._read = self.workspace.edits, load_schematic(self._root_sheet(), within=root)
        return self._read[1]

    def netlist(self) -> Netlist:
        """The nets of the schematic. Raises as `schematic` does."""
        from copperbench.kicad import netlist

        return netlist(self.schematic())

    def constraints(self) -> tuple[Constraint, ...]:
        """The registered constraints; none where the file is absent. Raises CopperbenchError when it is unreadable."""
        place = self.workspace.root / CONSTRAINTS_PATH
        return parse_constraints(place.read_bytes()) if place.is_file() else ()

    def drift(self) -> tuple[Mismatch, ...]:
        """Every mismatch of the documents with the schematic as they are now."""
        return drift(self.workspace.documents(self.settings.docs), self.schematic())

    def standing_drift(self) -> frozenset[tuple[str, str, str]]:
        """The keys of the mismatches that stood when the run started; none where that design does not load."""
        if self._standing is None:
            self._standing = self._drift_of_start()
        return self._standing

    def _is_file(self, path: str | None) -> bool:
        return path is not None and self.workspace.place(path).is_file()

    def _root_sheet(self) -> Path:
        configured = self.settings.schematic
        if configured is None:
            raise ToolError("no schematic configured")
        return self.workspace.place(configured)

    def _drift_of_start(self) -> frozenset[tuple[str, str, str]]:
        from copperbench.kicad import load_schematic

        configured, docs = self.settings.schematic, self.settings.docs
        if configured is None or configured not in self.start.files:
            return frozenset()
        texts = {
            path: data.decode("utf-8", "replace")
            for path, data in self.start.matching(".md").items()
            if path.rpartition("/")[0] == docs
        }
        with tempfile.TemporaryDirectory(prefix="copperbench-agent-") as folder:
            lay_out(self.start.matching(*DESIGN_SUFFIXES), Path(folder))
            try:
                found = drift(texts, load_schematic(Path(folder) / configured, within=Path(folder)))
            except CopperbenchError:
                return frozenset()
        return frozenset(mismatch.key for mismatch in found)


def lay_out(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files into a folder of our own, making the folders that they need."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def digest(files: Mapping[str, bytes]) -> str:
    """One digest over paths and bytes: equal designs are judged once."""
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(f"{path}\0{len(files[path])}\0".encode("utf-8", "surrogateescape"))
        whole.update(files[path])
    return whole.hexdigest()
