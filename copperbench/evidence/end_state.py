"""One tree of a run as grading reads it: documents, schematic, netlist, constraints, KiCad's reports (STANDARD 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from copperbench import kicad, scaffold  # the board and the documents: hardly any task asks for both
from copperbench.errors import CopperbenchError, FixtureMismatch, KicadFileError, SealBroken
from copperbench.evidence.judged import Unloadable, VerifyReports
from copperbench.evidence.tree import Tree
from copperbench.kicad import Netlist, Report, Schematic, load_schematic, netlist
from copperbench.sandbox import FileState
from copperbench.scaffold import CONFIG_PATH, CONSTRAINTS_PATH
from copperbench.suite import Fixture

if TYPE_CHECKING:
    from copperbench.scaffold import Constraint, Mismatch, Table

CONSTRAINTS = CONSTRAINTS_PATH
CONFIG = CONFIG_PATH
DRIFT_DOCUMENTS = ("docs/BOM.md", "docs/PINOUT.md")
"""The documents that make claims about the schematic which can be checked."""

LARGEST_TEXT = 8 * 1024 * 1024
"""Bytes; a document that grew beyond this is no document any more."""

_T = TypeVar("_T")


class Unreadable(CopperbenchError):
    """Something in a tree cannot be read; `by_run` when the run is to blame: the baseline's could be read."""

    def __init__(self, where: object, what: str, *, by_run: bool) -> None:
        self.by_run = by_run
        super().__init__(where, what)


@dataclass(frozen=True, slots=True)
class Unavailable:
    """KiCad has not judged this tree, for a reason outside the run."""

    reason: str


class EndState:
    """One tree, read lazily and only once. The baseline is one as well; then `original` is None.

    Methods raise Unreadable for what the tree holds in a form that cannot be read.
    """

    def __init__(
        self,
        tree: Tree,
        fixture: Fixture,
        original: EndState | None = None,
        reports: Callable[[], VerifyReports | None] = lambda: None,
    ) -> None:
        self._tree = tree
        self._fixture = fixture
        self._original = original
        self._fetch_reports = reports

    @property
    def files(self) -> Mapping[str, FileState]:
        """Every path with its state."""
        return self._tree.states

    def data(self, path: str) -> bytes:
        """The bytes of a file or the target of a link. Raises KeyError for a path that is not there."""
        return self._tree.read(path)

    def same(self, path: str) -> bool:
        """Whether a path is what it was in the baseline: kind and bytes."""
        if self._original is None:
            return True
        mine, theirs = self.files.get(path), self._original.files.get(path)
        return (mine and (mine.kind, mine.sha256)) == (theirs and (theirs.kind, theirs.sha256))

    def document(self, doc: str) -> str | None:
        """The path of a document: as given, then under `docs/`; None when neither is a regular file (STANDARD 4)."""
        for path in (doc, f"docs/{doc}"):
            state = self.files.get(path)
            if state and state.kind == "file":
                return path
        return None

    def text(self, path: str) -> str:
        """A regular file as text; bytes that are not UTF-8 become replacement characters. Raises Unreadable."""
        state = self.files.get(path)
        if state is None or state.kind != "file":
            raise Unreadable(path, "is no regular file" if state else "is missing", by_run=not self.same(path))
        if state.size > LARGEST_TEXT:
            raise Unreadable(path, f"has {state.size} bytes, which no document needs", by_run=not self.same(path))
        return self.data(path).decode("utf-8", errors="replace")

    def tables(self, path: str) -> tuple[Table, ...]:
        """The Markdown tables of a document. Raises Unreadable."""
        text = self.text(path)
        try:
            return scaffold.tables(text, path)
        except CopperbenchError as error:
            raise Unreadable(path, error.what, by_run=not self.same(path)) from error

    def schematic(self) -> Schematic:
        """The design as drawn, all sheets of it. Raises Unreadable."""
        return self._answer(self._schematic, lambda original: original.schematic())

    def netlist(self) -> Netlist:
        """The design as connected. Raises Unreadable."""
        return self._answer(self._netlist, lambda original: original.netlist())

    def drift(self) -> tuple[Mismatch, ...]:
        """What the documents claim and the schematic contradicts. Raises Unreadable."""
        return self._answer(self._drift, lambda original: original.drift())

    def constraints(self) -> Mapping[str, Constraint]:
        """The registered constraints by key; none where there is no file. Raises Unreadable."""
        return self._record(CONSTRAINTS, _constraints_by_key, {})

    def budgets(self) -> Mapping[str, float]:
        """The budgets of the harness's configuration; none where there is no file. Raises Unreadable."""
        return self._record(CONFIG, lambda data: scaffold.parse_config(data).budgets, {})

    def report(self, kind: Literal["erc", "drc"]) -> Report | Unloadable | Unavailable:
        """KiCad's judgement of this tree, made under the fixture's own rules."""
        reports = self._reports
        if reports is None:
            return Unavailable("no kicad-cli has judged this run")
        report = reports.erc if kind == "erc" else reports.drc
        return report if report is not None else Unavailable("the fixture has no board")

    def broken_design_file(self) -> str:
        """Which design file no longer loads, and why; empty when all that the run left load (STANDARD 9).

        Of the board KiCad says so where it has judged the run, and our own reader only where nobody else has.
        """
        try:
            self.netlist()
        except Unreadable as fault:
            if fault.by_run:
                return str(fault)
        judged = (self.report("erc"), self.report("drc"))
        unloadable = [report for report in judged if isinstance(report, Unloadable)]
        if unloadable:
            return unloadable[0].reason
        board = self._fixture.board
        unjudged = isinstance(judged[1], Unavailable) and board and not self.same(board)
        return self._board_fault(str(board)) if unjudged else ""

    def _record(self, path: str, parse: Callable[[bytes], _T], otherwise: _T) -> _T:
        if path not in self.files:
            return otherwise
        self.text(path)
        try:
            return parse(self.data(path))
        except CopperbenchError as error:
            raise Unreadable(error.where, error.what, by_run=not self.same(path)) from error

    def _answer(self, found: _T | CopperbenchError, ask: Callable[[EndState], object]) -> _T:
        if not isinstance(found, CopperbenchError):
            return found
        by_run = self._original is not None
        if self._original is not None:
            try:
                ask(self._original)
            except Unreadable:
                by_run = False
        raise Unreadable(self._named(found.where), self._named(found.what), by_run=by_run) from found

    def _named(self, text: str) -> str:
        """Without the folder that the tree happens to lie in: details must not depend on the machine."""
        return text.replace(f"{self._tree.folder}/", "").replace(str(self._tree.folder), ".")

    @cached_property
    def _reports(self) -> VerifyReports | None:
        return self._fetch_reports()

    @cached_property
    def _schematic(self) -> Schematic | CopperbenchError:
        folder = self._tree.folder

        def load() -> Schematic:
            return load_schematic(folder / self._fixture.schematic, within=folder)

        found = _caught(load)
        if isinstance(found, CopperbenchError) and self._has_board():
            # A sheet may name the board's file, strange as that is: whether it can be read is for the reader to say.
            self._tree.file(str(self._fixture.board))
            return _caught(load)
        return found

    def _has_board(self) -> bool:
        state = self.files.get(self._fixture.board or "")
        return state is not None and state.kind == "file"

    @cached_property
    def _netlist(self) -> Netlist | CopperbenchError:
        schematic = self._schematic
        return schematic if isinstance(schematic, CopperbenchError) else _caught(lambda: netlist(schematic))

    def _board_fault(self, board: str) -> str:
        try:
            kicad.load_board(self._tree.file(board) if self._has_board() else self._tree.folder / board)
        except KicadFileError as error:
            return self._named(str(error))
        return ""

    @cached_property
    def _drift(self) -> tuple[Mismatch, ...] | CopperbenchError:
        schematic = self._schematic
        if isinstance(schematic, CopperbenchError):
            return schematic
        docs = [path for path in DRIFT_DOCUMENTS if self.document(path) == path]
        return _caught(lambda: scaffold.drift({path: self.text(path) for path in docs}, schematic))


def _constraints_by_key(data: bytes) -> Mapping[str, Constraint]:
    return {constraint.key: constraint for constraint in scaffold.parse_constraints(data)}


def _caught(make: Callable[[], _T]) -> _T | CopperbenchError:
    try:
        return make()
    except (SealBroken, FixtureMismatch):
        raise
    except CopperbenchError as error:
        return error
