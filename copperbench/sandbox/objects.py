"""Reading a `.git` folder that an adversary may have written.

Git would run what its config, attributes and hooks say; even libraries that run nothing follow alternates and inflate
without limit. Here branches and objects are read as plain bytes: no config, no alternates, no grafts, no replace
refs, no index, no link, every inflation bounded, every object held to its own name.
"""

from __future__ import annotations

import hashlib
import os
import re
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from copperbench.sandbox.walk import SealLimits, TooMuch, open_folder, read_regular

_HEX = re.compile(r"[0-9a-f]{40}")
_LOOSE = re.compile(r"[0-9a-f]{38}")
_PACK_TYPES = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _REF_DELTA = 6, 7


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object: its SHA, its type (`commit`, `tree`, `blob`, `tag`) and its bytes."""

    sha: str
    kind: str
    data: bytes


@dataclass(slots=True)
class GitFolder:
    """An untrusted `.git`: branch names and objects, within limits; `notes` says what was not believed."""

    root: Path
    limits: SealLimits
    notes: set[str] = field(default_factory=set)
    _spent: int = 0
    _seen: int = 0

    def file(self, path: str, limit: int = 1 << 20) -> bytes | None:
        """The bytes of a regular file in it, reached through no link; None when there is none."""
        folder, _, name = path.rpartition("/")
        try:
            handle = self._open(folder)
        except OSError:
            return None
        try:
            return read_regular(name, handle, limit)
        except OSError:
            return None
        finally:
            os.close(handle)

    def names(self, path: str) -> list[str]:
        """What a folder in it holds, sorted; empty when it is no folder. Raises TooMuch past the limit on paths."""
        try:
            handle = self._open(path)
        except FileNotFoundError:
            return []
        except OSError:
            self.notes.add(f".git/{_shown(path)} is no plain folder and was not read")
            return []
        try:
            found = []
            with os.scandir(handle) as entries:
                for entry in entries:
                    found.append(entry.name)
                    self._count()
            return sorted(found)
        finally:
            os.close(handle)

    def _open(self, path: str) -> int:
        handle = open_folder(self.root)
        for part in path.split("/") if path else ():
            outer = handle
            try:
                handle = open_folder(part, outer)
            finally:
                os.close(outer)
        return handle

    def _count(self) -> None:
        self._seen += 1
        if self._seen > 4 * self.limits.paths:
            raise TooMuch(f"more than {4 * self.limits.paths} entries in .git")

    def branches(self) -> dict[str, str]:
        """`HEAD` and every `refs/heads/*` by what it says: a SHA, or `ref: ` and a name. Loose beats packed."""
        refs: dict[str, str] = {}
        for line in (self.file("packed-refs", 8 << 20) or b"").decode("utf-8", "surrogateescape").splitlines():
            sha, _, name = line.partition(" ")
            if _HEX.fullmatch(sha) and name.startswith("refs/"):
                refs[name] = sha
        pending = ["refs/heads"]
        while pending:
            folder = pending.pop()
            if folder.count("/") > self.limits.depth:
                raise TooMuch("branches nested deeper than can be read")
            for name in self.names(folder):
                path = f"{folder}/{name}"
                data = self.file(path, 4096)
                if data is None:
                    pending.append(path)
                else:
                    refs[path] = data.decode("utf-8", "surrogateescape").strip()
        head = self.file("HEAD", 4096)
        if head is not None:
            refs["HEAD"] = head.decode("utf-8", "surrogateescape").strip()
        return refs

    def objects(self, known: Container[str]) -> Iterator[GitObject]:
        """Every object but the loose ones named in `known`. Raises TooMuch past the limit on bytes."""
        yield from self._loose(known)
        for name in self.names("objects/pack"):
            if name.endswith(".pack"):
                data = self.file(f"objects/pack/{name}", self.limits.git_bytes)
                if data is None:
                    raise TooMuch(f"a pack that is no plain file of at most {self.limits.git_bytes} bytes")
                yield from self._packed(data, _shown(name))

    def _loose(self, known: Container[str]) -> Iterator[GitObject]:
        for folder in self.names("objects"):
            if len(folder) != 2:
                continue
            for name in self.names(f"objects/{folder}"):
                sha = folder + name
                if not _LOOSE.fullmatch(name) or not _HEX.fullmatch(sha) or sha in known:
                    continue
                raw = self.file(f"objects/{folder}/{name}", self.limits.file_bytes)
                whole, _ = self._inflate(raw or b"", self.limits.file_bytes + 64)
                head, _, data = (whole or b"").partition(b"\0")
                kind = head.split(b" ")[0].decode("ascii", "replace")
                if whole is None or head != f"{kind} {len(data)}".encode() or _sha1(whole) != sha:
                    self.notes.add(f"object {sha} is not what its name says and was not read")
                else:
                    yield GitObject(sha, kind, data)

    def _packed(self, pack: bytes, name: str) -> Iterator[GitObject]:
        """The objects of a pack, read front to back: its index, which could say anything, is not needed."""
        if pack[:4] != b"PACK":
            self.notes.add(f"{name} is no pack and was not read")
            return
        at, count = 12, int.from_bytes(pack[8:12], "big")
        by_place: dict[int, GitObject] = {}
        by_sha: dict[str, GitObject] = {}
        for _ in range(count):
            self._count()
            start = at
            entry = self._entry(pack, at)
            if entry is None:
                self.notes.add(f"{name} is damaged at byte {start}; what follows was not read")
                return
            kind, base, data, at = entry
            if kind in _PACK_TYPES:
                found = _object(_PACK_TYPES[kind], data)
            else:
                below = by_place.get(start - base) if isinstance(base, int) else by_sha.get(base)
                whole = _apply_delta(below.data, data, self.limits.file_bytes) if below is not None else None
                if below is None or whole is None:
                    self.notes.add(f"{name} has a difference to nothing at byte {start}; it was not read")
                    continue
                self._spend(len(whole))
                found = _object(below.kind, whole)
            by_place[start] = by_sha[found.sha] = found
            yield found

    def _entry(self, pack: bytes, at: int) -> tuple[int, int | str, bytes, int] | None:
        """Type, base (distance or SHA, for a difference), inflated bytes and end of one entry; None when damaged."""
        try:
            byte, at = pack[at], at + 1
            kind, size, shift = byte >> 4 & 7, byte & 15, 4
            while byte & 128:
                byte, at = pack[at], at + 1
                size |= (byte & 127) << shift
                shift += 7
                if shift > 63:
                    return None
            base: int | str = 0
            if kind == _OFFSET_DELTA:
                byte, at = pack[at], at + 1
                base = byte & 127
                while byte & 128:
                    byte, at = pack[at], at + 1
                    base = (base + 1) << 7 | byte & 127
                    if base > len(pack):
                        return None
            elif kind == _REF_DELTA:
                base, at = pack[at : at + 20].hex(), at + 20
            elif kind not in _PACK_TYPES:
                return None
        except IndexError:
            return None
        if size > self.limits.file_bytes:
            return None
        # compressed bytes are hardly ever longer than what they hold; copying the whole rest would be quadratic
        data, used = self._inflate(memoryview(pack)[at : at + size + (size >> 8) + 1024], size)
        return (kind, base, data, at + used) if data is not None and len(data) == size else None

    def _inflate(self, raw: bytes | memoryview, limit: int) -> tuple[bytes | None, int]:
        """Inflated bytes, and how many compressed ones they took; None when damaged or longer than `limit`."""
        inflater = zlib.decompressobj()
        try:
            data = inflater.decompress(raw, limit + 1)
        except zlib.error:
            return None, 0
        self._spend(len(data))
        if len(data) > limit or not inflater.eof:
            return None, 0
        return data, len(raw) - len(inflater.unused_data)

    def _spend(self, size: int) -> None:
        self._spent += size
        if self._spent > 2 * self.limits.git_bytes:
            raise TooMuch(f"a repository of more than {2 * self.limits.git_bytes} bytes")


def object_sha(kind: str, data: bytes) -> str:
    """The SHA-1 by which git knows an object."""
    return _sha1(f"{kind} {len(data)}\0".encode() + data)


def _sha1(data: bytes) -> str:
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def _object(kind: str, data: bytes) -> GitObject:
    return GitObject(object_sha(kind, data), kind, data)


def _apply_delta(base: bytes, delta: bytes, limit: int) -> bytes | None:
    """The bytes that a pack's difference makes of its base; None when it is damaged or makes too much."""
    try:
        source, at = _varint(delta, 0)
        target, at = _varint(delta, at)
        if source != len(base) or target > limit:
            return None
        out = bytearray()
        while at < len(delta) and len(out) <= target:
            op, at = delta[at], at + 1
            if op & 128:
                place = length = 0
                for bit in range(7):
                    if op & 1 << bit:
                        value, at = delta[at], at + 1
                        if bit < 4:
                            place |= value << 8 * bit
                        else:
                            length |= value << 8 * (bit - 4)
                out += base[place : place + (length or 0x10000)]
            else:
                out += delta[at : at + op]
                at += op
    except IndexError:
        return None
    return bytes(out) if len(out) == target else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = data[at], at + 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128 or shift > 63:
            return value, at


def _shown(name: str) -> str:
    return name[:80].encode("ascii", "backslashreplace").decode("ascii")
