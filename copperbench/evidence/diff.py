"""The diff as evidence: computed from the two trees' bytes, never by the sandbox's own git (STANDARD 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from copperbench.evidence.lines import LineChange, changed_lines
from copperbench.evidence.tree import Tree
from copperbench.sandbox import Commit, FileState, tool_owned

ChangeKind = Literal["added", "deleted", "modified", "mode", "type"]


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs. `mode` is a change of the executable bit alone, `type` of a file into a link or back."""

    path: str
    kind: ChangeKind


class Diff:
    """What a run changed: every path, untracked and ignored ones too, but for those that tools own (DESIGN 4).

    `commits` are those that the run made; None where it left no repository.
    """

    def __init__(self, baseline: Tree, end: Tree, commits: tuple[Commit, ...] | None) -> None:
        self._baseline = baseline
        self._end = end
        self.commits = commits

    @cached_property
    def changes(self) -> Mapping[str, Change]:
        """All changes by path, in path order."""
        before, after = self._baseline.states, self._end.states
        paths = sorted({*before, *after})
        found = ((path, _kind(before.get(path), after.get(path))) for path in paths if not tool_owned(path))
        return {path: Change(path, kind) for path, kind in found if kind}

    def lines(self, path: str) -> LineChange:
        """Changed lines of one file (see `changed_lines`); a file that one tree lacks counts as empty there.

        A link or special file has no lines: what stood there counts as deleted.
        """
        before, after = self._state(self._baseline, path), self._state(self._end, path)
        if before and after and before.sha256 == after.sha256:
            data = self._baseline.read(path)
            return changed_lines(data, data)
        # the end state first: making its bytes takes the most memory
        data = self._end.read(path) if after else b""
        return changed_lines(self._baseline.read(path) if before else b"", data)

    @staticmethod
    def _state(tree: Tree, path: str) -> FileState | None:
        state = tree.states.get(path)
        return state if state and state.kind == "file" else None


def _kind(before: FileState | None, after: FileState | None) -> ChangeKind | None:
    if before is None or after is None:
        return "added" if before is None else "deleted"
    if before.kind != after.kind:
        return "type"
    if before.sha256 != after.sha256:
        return "modified"
    return "mode" if before.mode != after.mode else None
