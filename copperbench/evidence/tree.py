"""A tree as evidence: its paths, their bytes, and a folder of it for the readers that want one (STANDARD 3)."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Protocol

from copperbench.sandbox import FileState


class Tree(Protocol):
    """One of the two trees of a run. Only regular files can be read; links and special files are mere entries."""

    @property
    def states(self) -> Mapping[str, FileState]:
        """Every path of the tree with its kind, mode, size and digest, tools' own paths included."""

    def read(self, path: str) -> bytes:
        """The bytes of a file, or the target of a link. Raises KeyError for a path that the tree lacks."""

    @property
    def folder(self) -> Path:
        """A folder with the regular files that reading the schematic takes; not to be written to.

        Made when first asked for. A board may be missing from it until `file` has been asked for that.
        """

    def file(self, path: str) -> Path:
        """A regular file in `folder`, put there where it was left out. Raises KeyError for a path the tree lacks."""


class LazyTree:
    """A tree whose bytes and folder come from functions: the form that a seal offers.

    `materialise` may leave files out of the folder that are big and seldom wanted; `file` puts them there.
    """

    def __init__(
        self,
        states: Mapping[str, FileState],
        read: Callable[[str], bytes],
        materialise: Callable[[Path], None],
        into: Path,
    ) -> None:
        self.states = states
        self.read = read
        self._materialise = materialise
        self._into = into

    @cached_property
    def folder(self) -> Path:
        """The materialised tree (see Tree)."""
        self._into.mkdir(parents=True, exist_ok=True)
        self._materialise(self._into)
        return self._into

    def file(self, path: str) -> Path:
        """A regular file in the folder (see Tree)."""
        place = self.folder / path
        if not place.exists():
            data = self.read(path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        return place


class FolderTree:
    """A tree that lies in a folder, read without following links; `.git` is left out.

    For looking at a sandbox or a check-out (`copperbench check DIR`) and for tests; runs are graded from seals.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, path: str) -> Path:
        """A regular file in the folder (see Tree)."""
        if path not in self.states:
            raise KeyError(path)
        return self.folder / path

    @cached_property
    def states(self) -> Mapping[str, FileState]:
        """Every path below the folder (see Tree)."""
        found: dict[str, FileState] = {}
        for root, folders, files in os.walk(self.folder):
            folders[:] = sorted(name for name in folders if name != ".git" or Path(root) != self.folder)
            links = [name for name in folders if (Path(root) / name).is_symlink()]
            for name in sorted([*files, *links]):
                path = Path(root) / name
                state = self._state(path)
                found[state.path] = state
        return found

    def read(self, path: str) -> bytes:
        """The bytes of a file, or the target of a link (see Tree)."""
        if path not in self.states:
            raise KeyError(path)
        full = self.folder / path
        return os.fsencode(full.readlink()) if full.is_symlink() else full.read_bytes()

    def _state(self, path: Path) -> FileState:
        facts = path.lstat()
        name = path.relative_to(self.folder).as_posix()
        mode = 0o755 if facts.st_mode & stat.S_IXUSR else 0o644
        if stat.S_ISLNK(facts.st_mode):
            target = os.fsencode(path.readlink())
            return FileState(name, "symlink", 0o644, hashlib.sha256(target).hexdigest(), len(target))
        if not stat.S_ISREG(facts.st_mode):
            return FileState(name, "special", 0o644, "", 0)
        data = path.read_bytes()
        return FileState(name, "file", mode, hashlib.sha256(data).hexdigest(), len(data))


def tree_digest(states: Mapping[str, FileState]) -> str:
    """A digest of a whole tree (kinds, modes, paths, bytes): what KiCad's sealed reports are bound to."""
    digest = hashlib.sha256()
    for path, state in sorted(states.items(), key=lambda item: os.fsencode(item[0])):
        head = f"{state.kind}\0{state.mode:o}\0{state.size}\0{state.sha256}\0".encode()
        digest.update(head + os.fsencode(path) + b"\0")
    return digest.hexdigest()
