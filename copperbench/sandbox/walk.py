"""Looking at a tree that an adversary wrote: one pass, no link followed, nothing special opened, within limits."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from copperbench.sandbox.commits import tree_mode
from copperbench.sandbox.models import FileState

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a FIFO put in place of a file between two looks must not make us wait for its writer
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFBLK: "block device", stat.S_IFCHR: "device"}


@dataclass(frozen=True, slots=True)
class SealLimits:
    """How much a run may leave: bytes of one file and of all, paths, depth, path length, git's objects, commits.

    A run that leaves more is sealed as having been tampered with: it is recorded, and fails (STANDARD 4).
    """

    file_bytes: int = 128 << 20
    total_bytes: int = 512 << 20
    paths: int = 20_000
    depth: int = 40
    path_bytes: int = 1024
    git_bytes: int = 256 << 20
    commits: int = 1_000


@dataclass(frozen=True, slots=True)
class Walked:
    """A tree as found: its paths in byte order, the bytes that the caller did not know, what exceeded the limits."""

    files: Mapping[str, FileState]
    contents: Mapping[str, bytes]
    excess: tuple[str, ...]


DEFAULT_LIMITS = SealLimits()


class TooMuch(Exception):
    """A limit on the whole tree is passed: there is no sense in looking further."""


def walk(root: Path, limits: SealLimits, known: Container[str] = frozenset(), skip: str = ".git") -> Walked:
    """Every path under `root` but the repository's own `.git`, or what else to `skip` at its top (STANDARD 3).

    Bytes whose SHA-256 is in `known` are not kept. A file above the limit, a folder too deep or unreadable, and
    everything that is no file, folder or link is `special`. Where the whole passes a limit nothing of it is
    returned, so that no part can pass for the tree; `excess` says which limit. Never raises for what it finds.
    """
    walker = _Walker(limits, known, skip)
    try:
        walker.walk(root)
    except TooMuch as limit:
        return Walked({}, {}, (str(limit),))
    order = sorted(walker.files, key=lambda path: path.encode("utf-8", "surrogateescape"))
    return Walked({path: walker.files[path] for path in order}, walker.contents, tuple(sorted(walker.excess)))


def read_regular(name: str, folder: int, limit: int) -> bytes | None:
    """The bytes of a regular file in an open folder; None when it is no such file or longer than `limit`."""
    handle = os.open(name, _FILE_FLAGS, dir_fd=folder)
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > limit:
            return None
        parts, left = [], limit + 1
        while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
        return b"".join(parts) if left > 0 else None
    finally:
        os.close(handle)


def open_folder(name: str | Path, parent: int | None = None) -> int:
    """A descriptor of a folder that is no link. Raises OSError."""
    return os.open(name, _FOLDER_FLAGS, dir_fd=parent)


def special(path: str, what: str) -> FileState:
    """The state of something that has no bytes in the seal; equal things have equal digests."""
    return FileState(path, "special", 0o644, hashlib.sha256(f"special: {what}".encode()).hexdigest(), 0)


@dataclass(slots=True)
class _Walker:
    limits: SealLimits
    known: Container[str]
    skip: str
    files: dict[str, FileState] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    excess: list[str] = field(default_factory=list)
    seen: int = 0
    total: int = 0

    def walk(self, root: Path) -> None:
        try:
            top = open_folder(root)
        except OSError as error:
            self.excess.append(f"the sandbox itself cannot be opened ({error.strerror})")
            return
        stack: list[tuple[int, str, Iterator[str]]] = [(top, "", iter(()))]
        try:
            stack = [(top, "", iter(self._names(top, "")))]
            while stack:
                folder, prefix, names = stack[-1]
                name = next(names, None)
                if name is None:
                    os.close(stack.pop()[0])
                    continue
                opened = self._visit(folder, prefix, name)
                if opened is not None:
                    inner = f"{prefix}{name}/"
                    stack.append((opened, inner, iter(self._names(opened, inner))))
        finally:
            for folder, _, _ in stack:
                os.close(folder)

    def _names(self, folder: int, prefix: str) -> list[str]:
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                if prefix or entry.name != self.skip:
                    self.seen += 1
                    names.append(entry.name)
                if self.seen > self.limits.paths:
                    raise TooMuch(f"more than {self.limits.paths} paths")
        return sorted(names)

    def _visit(self, folder: int, prefix: str, name: str) -> int | None:
        """Record one entry; a folder to go into is returned open."""
        path = os.fsencode(prefix + name).decode("utf-8", "surrogateescape")
        try:
            state = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if len(os.fsencode(path)) > self.limits.path_bytes or prefix.count("/") >= self.limits.depth:
                self._exceed(path, "path too long or too deep")
            elif stat.S_ISDIR(state.st_mode):
                return open_folder(name, folder)
            elif stat.S_ISLNK(state.st_mode):
                self._keep(path, "symlink", 0o644, os.fsencode(os.readlink(name, dir_fd=folder)))
            elif stat.S_ISREG(state.st_mode):
                self._file(path, name, folder, state)
            else:
                self.files[path] = special(path, _KINDS.get(stat.S_IFMT(state.st_mode), "unknown"))
        except FileNotFoundError:
            pass  # a process that the run left behind removed it meanwhile: it is not in the end state
        except OSError as error:
            self.files[path] = special(path, f"unreadable ({error.strerror})")
        return None

    def _file(self, path: str, name: str, folder: int, state: os.stat_result) -> None:
        data = read_regular(name, folder, self.limits.file_bytes)
        if data is None:
            self._exceed(path, f"no file of at most {self.limits.file_bytes} bytes")
            return
        self.total += len(data)
        if self.total > self.limits.total_bytes:
            raise TooMuch(f"more than {self.limits.total_bytes} bytes in all")
        self._keep(path, "file", tree_mode(state.st_mode), data)

    def _keep(self, path: str, kind: str, mode: int, data: bytes) -> None:
        digest = hashlib.sha256(data).hexdigest()
        self.files[path] = FileState(path, kind, mode, digest, len(data))
        if digest not in self.known:
            self.contents[digest] = data

    def _exceed(self, path: str, what: str) -> None:
        self.files[path] = special(path, what)
        shown = path if len(path) <= 80 else path[:77] + "..."
        self.excess.append(f"{shown.encode('ascii', 'backslashreplace').decode('ascii')}: {what}")
