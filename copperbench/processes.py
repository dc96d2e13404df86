"""Waiting for another process to end."""

from __future__ import annotations

import math
import os
import select


def over_within(pid: int, seconds: float) -> bool | None:
    """Whether a child that was not reaped ends within so many seconds; returns at once when it does.

    The kernel tells, where waiting with a limit would look twenty times a second. None where it cannot (not Linux, or
    a kernel without it): nothing was waited for then.
    """
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
    try:
        ending = select.poll()
        ending.register(handle, select.POLLIN)
        return bool(ending.poll(math.ceil(seconds * 1000)))
    finally:
        os.close(handle)
