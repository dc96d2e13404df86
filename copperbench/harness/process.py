"""A harness's process: started apart, watched, and ended with everything that it started (STANDARD 2)."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

from copperbench.errors import HarnessUnavailable
from copperbench.harness.stopping import Stop
from copperbench.processes import over_within

Cap = Literal["turns", "wallClock"]
GRACE_S = 10.0
_POLL_S = 0.05
_LOOK_S = 0.25
_DYING_S = 5.0
_KEPT_CHUNKS, _CHUNK = 16, 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """When a process is ended from outside: seconds, the model's turns so far exceeding a number, an order."""

    wall_clock_s: float
    turns: int
    turns_so_far: Callable[[], int] = lambda: 0
    grace_s: float = GRACE_S


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended; `said` is the end of what it wrote to stderr, which is no evidence of anything."""

    code: int | None
    signal: int | None
    cap: Cap | None
    said: str


def run_process(
    argv: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    limits: Limits,
    stop: Stop,
    *,
    confined: bool = False,
) -> Ended:
    """Run a command with stdin closed in a session of its own, within limits.

    A process that passes a limit, or that `stop` is asked to end, gets TERM, then KILL after the grace period, with
    its whole process group; what it left running when it ended by itself is killed too. `confined`: the command is a
    jailer whose end ends all inside at once, so TERM goes to everyone else of its group. Raises HarnessUnavailable
    when it cannot be started.
    """
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise HarnessUnavailable(argv[0], f"cannot be started ({error.strerror})", "install the harness") from error
    assert process.stdout is not None
    assert process.stderr is not None
    said: deque[bytes] = deque(maxlen=_KEPT_CHUNKS)
    readers = [_drain(process.stdout, deque(maxlen=1)), _drain(process.stderr, said)]
    try:
        cap = _watch(process.pid, limits, stop, _term_inside if confined else _term)
    finally:
        _kill(process.pid, signal.SIGKILL)
        status = process.wait()
        _await_all(process.pid)
    for reader in readers:  # a pipe may be held open by a process that left the group: nobody waits for that
        reader.join(timeout=1.0)
    text = b"".join(said).decode("utf-8", "replace")
    return Ended(status if status >= 0 else None, -status if status < 0 else None, cap, text)


def _watch(pid: int, limits: Limits, stop: Stop, term: Callable[[int], None]) -> Cap | None:
    """Wait for the end of a process, which is left to be reaped, so that its number stays its own."""
    deadline, cap = time.monotonic() + limits.wall_clock_s, None
    while not _is_over(pid):
        if time.monotonic() > deadline:
            cap = "wallClock"
        elif limits.turns_so_far() > limits.turns:
            cap = "turns"
        if cap is not None or stop.signal is not None:
            term(pid)
            _await(pid, limits.grace_s)
            break
        if over_within(pid, _LOOK_S) is None:
            time.sleep(_POLL_S)
    return cap  # type: ignore[return-value]


def _term(group: int) -> None:
    _kill(group, signal.SIGTERM)


def _term_inside(group: int) -> None:
    """TERM to a jailed group without its leader; the jail's own first process is told too and does not heed it."""
    for pid in _members(group):
        if pid != group:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)


def _members(group: int) -> Iterator[int]:
    """The processes of a group that live, zombies apart; none on a system without /proc."""
    with suppress(OSError):
        for entry in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                state, _, found = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:3]
                if int(found) == group and state not in b"ZX":
                    yield int(entry.name)


def _await_all(group: int) -> None:
    """Wait until what was killed is gone: the first process of a jail goes last, when all in it are."""
    deadline = time.monotonic() + _DYING_S
    while any(_members(group)) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _await(pid: int, grace_s: float) -> None:
    deadline = time.monotonic() + grace_s
    while not _is_over(pid) and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _is_over(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill(group: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _drain(pipe: IO[bytes], kept: deque[bytes]) -> threading.Thread:
    def read() -> None:
        with suppress(OSError, ValueError):
            while chunk := os.read(pipe.fileno(), _CHUNK):
                kept.append(chunk)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread
