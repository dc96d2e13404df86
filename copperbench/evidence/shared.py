"""What the runs of one task have in common, read once for all that one process grades (STANDARD 3)."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from copperbench.evidence.end_state import EndState
from copperbench.evidence.recorded import ReportKind, recorded_reports
from copperbench.evidence.tree import LazyTree, Tree, tree_digest
from copperbench.kicad import Report
from copperbench.suite import Fixture, verify_tree

if TYPE_CHECKING:
    from copperbench.sandbox import Seal

MOST_KEPT = 4
"""Starting states kept at a time: repeats of a task come one after the other, and a big board takes memory."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A starting state; its folder goes when nothing refers to it any more."""

    tree: Tree
    state: EndState
    folder: tempfile.TemporaryDirectory[str]


class Shared:
    """Starting states, recorded reports and verified trees by content: a second run of a task reads none of them.

    A starting state is known by the digest of its paths and bytes and by its fixture's manifest; its bytes were held
    against that digest when they were read, so one seal cannot lend another a false one. For one process and one
    moment: a fixture's tree is taken not to change under it.
    """

    def __init__(self) -> None:
        self._states: dict[tuple[str, str], _Kept] = {}
        self._recorded: dict[Path, Mapping[ReportKind, Report]] = {}
        self._verified: set[tuple[Path, str]] = set()

    def baseline(self, seal: Seal, fixture: Fixture, fixture_tree: Path) -> tuple[Tree, EndState]:
        """The starting state of a sealed run, as a tree and as read; what raises is what reads it."""
        key = (tree_digest(seal.baseline), hashlib.sha256(fixture.manifest).hexdigest())
        if key not in self._states:
            while len(self._states) >= MOST_KEPT:
                del self._states[next(iter(self._states))]
            folder = tempfile.TemporaryDirectory(prefix="copperbench-baseline-", ignore_cleanup_errors=True)
            tree = LazyTree(
                seal.baseline,
                lambda path: seal.read_baseline(path, fixture_tree),
                lambda into: seal.materialise("baseline", fixture_tree, into, leave_out=(fixture.board or "",)),
                Path(folder.name),
            )
            self._states[key] = _Kept(tree, EndState(tree, fixture), folder)
        kept = self._states[key]
        return kept.tree, kept.state

    def recorded(self, folder: Path) -> Mapping[ReportKind, Report]:
        """`recorded_reports` of a folder. Raises as that does."""
        if folder not in self._recorded:
            self._recorded[folder] = recorded_reports(folder)
        return self._recorded[folder]

    def verify(self, fixture: Fixture, tree: Path) -> None:
        """`verify_tree`, once for each tree. Raises FixtureMismatch."""
        if (tree, fixture.sha256) not in self._verified:
            verify_tree(fixture, tree)
            self._verified.add((tree, fixture.sha256))
