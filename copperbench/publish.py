"""Publishing files: whole or not at all, by rename, never over evidence that exists."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from copperbench.errors import CopperbenchError


def json_bytes(value: Any) -> bytes:
    """The one JSON form that we write: sorted keys, two spaces, ASCII, a final newline."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=True) + "\n").encode("ascii")


def publish(path: Path, data: bytes) -> None:
    """Write `data` to `path` by rename in the same folder, replacing what stood there.

    Raises CopperbenchError when the file cannot be written (full disk, permissions); then nothing is left.
    """
    _write(path, data, os.replace)


def publish_new(path: Path, data: bytes) -> None:
    """Write `data` to `path` unless it exists: FileExistsError then, and `path` is untouched.

    Raises CopperbenchError when the file cannot be written.
    """

    def link(temporary: str, target: Path) -> None:
        os.link(temporary, target)
        Path(temporary).unlink()

    _write(path, data, link)


def _write(path: Path, data: bytes, place: Callable[[str, Path], None]) -> None:
    temporary = ""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        place(temporary, path)
    except FileExistsError:
        _forget(temporary)
        raise
    except OSError as error:
        _forget(temporary)
        raise CopperbenchError(
            path, f"cannot be written ({error.strerror})", "free space or fix the permissions and repeat"
        ) from error


def _forget(temporary: str) -> None:
    if temporary:
        with suppress(OSError):
            Path(temporary).unlink()
