"""One process per run: a claim that dies with its holder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from copperbench.errors import CopperbenchError


class RunClaimed(CopperbenchError):
    """Another process is performing this run."""


@contextmanager
def claim(run_folder: Path) -> Iterator[None]:
    """Hold the claim on a run for as long as the context lasts (DESIGN 3).

    The claim is a file beside the run's folder, created at once and locked by the kernel for as long as this process
    lives, with its host and process id inside. What a killed process left behind is taken over; what another host
    holds is not, since nobody here can know whether it lives. Raises RunClaimed when the run is taken.
    """
    place = run_folder.parent / f".{run_folder.name}.claim"
    place.parent.mkdir(parents=True, exist_ok=True)
    handle = _acquire(place)
    try:
        os.truncate(handle, 0)
        os.pwrite(handle, f"{os.uname().nodename} {os.getpid()}\n".encode(), 0)
        yield
    finally:
        # unlinked while still locked, so that whoever waits for this very file notices that it is gone
        place.unlink(missing_ok=True)
        os.close(handle)


def drop_stale_claim(run_folder: Path) -> None:
    """Remove the claim of a process that was killed between sealing the run and giving its claim back, if there is one.

    A claim that is held, here or on another host, stays.
    """
    if (run_folder.parent / f".{run_folder.name}.claim").exists():
        with suppress(RunClaimed, OSError), claim(run_folder):
            pass


def _acquire(place: Path) -> int:
    while True:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            holder = os.pread(handle, 300, 0).decode("utf-8", "replace").split()
            current = os.fstat(handle).st_ino == _inode(place)
        except BlockingIOError:
            holder = os.pread(handle, 300, 0).decode("utf-8", "replace").split()
            os.close(handle)
            raise _claimed(place, holder) from None
        if not current:  # its holder finished between our opening and our locking it
            os.close(handle)
            continue
        if holder and holder[0] != os.uname().nodename:
            os.close(handle)
            raise _claimed(place, holder)
        return handle


def _inode(place: Path) -> int:
    try:
        return place.stat().st_ino
    except FileNotFoundError:
        return -1


def _claimed(place: Path, holder: list[str]) -> RunClaimed:
    who = f"process {holder[1]} on {holder[0]}" if len(holder) == 2 else "another process"
    return RunClaimed(
        place, f"the run is being performed by {who}", "wait for it; delete this file if that host is gone"
    )
