"""Opening files that others wrote: regular ones, within bounds, never waiting on a pipe."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from copperbench.errors import KicadFileError

_MIB = 1024 * 1024


def read_file(path: Path, largest: int) -> bytes:
    """The bytes of a regular file of at most `largest` bytes.

    Raises KicadFileError where the file is missing, unreadable, special (pipe, device, folder) or larger.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise KicadFileError(path, f"cannot be read ({reason})", "check the path and its permissions") from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise KicadFileError(path, "is no regular file", "name a file that KiCad wrote")
    with os.fdopen(handle, "rb") as file:
        data = file.read(largest + 1) if status.st_size <= largest else b""
    if status.st_size > largest or len(data) > largest:
        raise KicadFileError(path, f"is larger than {largest // _MIB} MiB", "split the design, or remove embedded data")
    return data
