"""Publishing files: whole or not at all, by link or rename, never over evidence that exists."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from copperbench.errors import CopperbenchError

SELF_DIGEST = "seal"
_MARK = re.compile(r"<!-- sha256 of the generated text above: [0-9a-f]{64} -->\n")
_BY_DESCRIPTOR = Path("/proc/self/fd")
_NAMELESS = getattr(os, "O_TMPFILE", os.O_DIRECTORY) | os.O_RDWR | os.O_CLOEXEC
_SUFFIX = r"[a-z0-9_]{8}"


def json_bytes(value: Any) -> bytes:
    """The one JSON form that we write: sorted keys, two spaces, ASCII, a final newline."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def self_sealed(value: Mapping[str, Any]) -> bytes:
    """The JSON bytes of an object and of its `seal`: the SHA-256 of its JSON bytes without that field (STANDARD 3)."""
    return json_bytes({**value, SELF_DIGEST: hashlib.sha256(json_bytes(dict(value))).hexdigest()})


def is_whole(data: bytes, value: Mapping[str, Any]) -> bool:
    """Whether `data`, which was read as `value`, is to the byte what `self_sealed` wrote."""
    return data == self_sealed({key: each for key, each in value.items() if key != SELF_DIGEST})


def marked(text: str) -> str:
    """A generated text and, in a last line of its own, its digest: so that an edit by hand shows (STANDARD 12)."""
    return f"{text}<!-- sha256 of the generated text above: {hashlib.sha256(text.encode('utf-8')).hexdigest()} -->\n"


def is_as_marked(text: str) -> bool:
    """Whether a text begins with what `marked` made, to the byte; False where there is no mark."""
    mark = _MARK.search(text)
    return mark is not None and text[: mark.end()] == marked(text[: mark.start()])


def publish(path: Path, data: bytes) -> None:
    """Write `data` to `path`, replacing what stood there: at every moment the old bytes or the new, never a part.

    Raises CopperbenchError when the file cannot be written (full disk, permissions); then nothing is left.
    """
    with _written(path, data) as file:
        if not path.exists() and file.link(path):
            return
        file.replace(path)


def publish_new(path: Path, data: bytes) -> None:
    """Write `data` to `path` unless it exists: FileExistsError then, and `path` is untouched.

    Raises CopperbenchError when the file cannot be written.
    """
    with _written(path, data) as file:
        linked = file.link(path)
    if not linked:
        raise FileExistsError(path)


@contextmanager
def _written(path: Path, data: bytes) -> Iterator[_Unpublished]:
    """The bytes on disk beside `path`, without its name; what a killed process left of that sort is swept."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        file = _Unpublished(path)
        try:
            file.fill(data)
            yield file
        finally:
            file.close()
    except OSError as error:
        raise CopperbenchError(
            path, f"cannot be written ({error.strerror})", "free space or fix the permissions and repeat"
        ) from error


class _Unpublished:
    """A file in the folder of its target: without any name where the system can do that, so that a kill leaves nothing.

    Elsewhere, and to replace a file, it has a name beginning with a dot. It is locked for as long as its process
    lives, so that others can tell what is left over.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._data = b""
        self._name: str | None = None
        try:
            self._handle = os.open(target.parent, _NAMELESS, 0o600) if _BY_DESCRIPTOR.is_dir() else self._named()
        except OSError:  # not on every file system
            self._handle = self._named()

    def fill(self, data: bytes) -> None:
        """Write the bytes down to the disk."""
        self._data = data
        with suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.fchmod(self._handle, 0o644)
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]
        os.fsync(self._handle)

    def link(self, path: Path | str) -> bool:
        """Give the file a name that nothing bears; False where something does."""
        try:
            if self._name is None:
                self._link_nameless(path)
            else:
                os.link(self._name, path)
        except FileExistsError:
            return False
        return True

    def replace(self, path: Path) -> None:
        """Give the file the name of another, which is gone then."""
        while self._name is None:
            name = f"{self._target.parent}/.{self._target.name}.{os.urandom(4).hex()}"
            if self.link(name):
                self._name = name
        Path(self._name).replace(path)
        self._name = None

    def close(self) -> None:
        """Forget the file, but for the name that it was published under."""
        if self._name is not None:
            with suppress(OSError):
                Path(self._name).unlink()
        os.close(self._handle)

    def _link_nameless(self, path: Path | str) -> None:
        # the folder is passed because Python follows the link in /proc in that case alone
        folder = os.open(_BY_DESCRIPTOR, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.link(str(self._handle), path, src_dir_fd=folder, follow_symlinks=True)
        except FileExistsError:
            raise
        except OSError:  # a system that makes nameless files and gives them no name
            os.close(self._handle)
            self._handle = self._named()
            self.fill(self._data)
            os.link(str(self._name), path)
            Path(str(self._name)).unlink()
            self._name = None
        finally:
            os.close(folder)

    def _named(self) -> int:
        """A file with a name of its own, locked before anyone could take it for a left-over."""
        while True:
            handle, self._name = tempfile.mkstemp(prefix=f".{self._target.name}.", dir=self._target.parent)
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            if os.fstat(handle).st_nlink:
                return handle
            os.close(handle)


def _sweep(path: Path) -> None:
    """Remove what processes that are gone left beside `path` on the way to it: nobody holds the lock on it."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.{_SUFFIX}")
    with os.scandir(path.parent) as entries:
        stale = [entry.path for entry in entries if pattern.fullmatch(entry.name)]
    for name in stale:
        with suppress(OSError):
            handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                Path(name).unlink()
            finally:
                os.close(handle)
