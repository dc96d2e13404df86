"""What a dry run shows: the unified difference of text files, and the names of the rest."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from copperbench.agent.repository import Snapshot

_MOST_LINES = 60_000


def differences(before: Snapshot, root: Path, paths: Sequence[str]) -> str:
    """The changes of `paths` since the snapshot as one text; files too long to compare are only named."""
    return "\n".join(_difference(before, root, path) for path in paths) or "no change"


def _difference(before: Snapshot, root: Path, path: str) -> str:
    saved = before.files.get(path)
    place = root / path
    new = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
    old = b"" if saved is None else saved.data
    was, is_now = (data.decode("utf-8", "replace").splitlines() for data in (old, new))
    if b"\0" in old + new or max(len(was), len(is_now)) > _MOST_LINES:
        return f"changed: {path}"
    return "\n".join(difflib.unified_diff(was, is_now, f"a/{path}", f"b/{path}", lineterm=""))
