"""A transcript copied while it grows, so that what a run writes down cannot be taken back (STANDARD 3)."""

from __future__ import annotations

import os
import stat
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from copperbench.evidence import read_transcript

RUNS = (".copperhead", "runs")
TRANSCRIPT = "transcript.jsonl"
MOST_BYTES = 256 * 1024 * 1024
_TURN = b'"type":"assistant"'
_SPACED_TURN = b'"type": "assistant"'
_POLL_S = 0.1
_CHUNK = 4 * 1024 * 1024
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Observed:
    """What was seen: the transcripts of all run folders in order, and why they are not to be trusted, if so."""

    transcript: bytes
    tampered: str | None


@dataclass(slots=True)
class _Copy:
    """One transcript so far; `turns` counts the assistant's events in it."""

    data: bytearray
    turns: int = 0


class TranscriptObserver:
    """Copies the transcripts of the run folders in a sandbox, from `start` to `stop`.

    `folder` is the sandbox, `expected_runs` how many run folders the harness makes at most (one per stage in
    `create`). Folders are taken in the order in which they were seen, then by name. No link is followed and nothing
    but regular files is read: the agent may put anything there.
    """

    def __init__(self, folder: Path, expected_runs: int = 1, poll_s: float = _POLL_S) -> None:
        self._folder = folder
        self._expected = expected_runs
        self._poll_s = poll_s
        self._copies: dict[str, _Copy] = {}
        self._tampered: str | None = None
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="transcript-observer", daemon=True)

    def start(self) -> TranscriptObserver:
        """Begin to watch."""
        self._thread.start()
        return self

    def stop(self) -> Observed:
        """Look a last time, hold every file against what was seen of it, and say what there is."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()
        self.look()
        with self._lock:
            self._hold_against_the_end()
            for name, copy in self._copies.items():
                if _goes_on_after_its_end(bytes(copy.data)):
                    self._suspect(f"something was written to the transcript of {name} after its run-end")
            return Observed(b"".join(bytes(copy.data) for copy in self._copies.values()), self._tampered)

    @property
    def turns(self) -> int:
        """How many turns of the model have been written down so far, over all run folders."""
        with self._lock:
            return sum(copy.turns for copy in self._copies.values())

    def look(self) -> None:
        """Read what came since the last look."""
        with self._lock, _Folder(self._folder, *RUNS) as runs:
            if runs is None:
                return
            with suppress(OSError):
                for name in sorted(os.listdir(runs)):  # noqa: PTH208 - a handle, no path
                    self._look_at(runs, name)

    def _watch(self) -> None:
        while not self._over.wait(self._poll_s):
            self.look()

    def _look_at(self, runs: int, name: str) -> None:
        with _File(runs, name) as handle:
            if handle is None:
                return
            if name not in self._copies:
                if len(self._copies) >= self._expected:
                    self._suspect(f"a run folder more than the {self._expected} that this harness makes")
                    return
                self._copies[name] = _Copy(bytearray())
            copy = self._copies[name]
            size = os.fstat(handle).st_size
            if size < len(copy.data):
                self._suspect(f"the transcript of {name} became shorter while it was watched")
                return
            self._append(copy, handle)

    def _append(self, copy: _Copy, handle: int) -> None:
        start = len(copy.data)
        while len(copy.data) < MOST_BYTES and (chunk := os.pread(handle, _CHUNK, len(copy.data))):
            copy.data += chunk
        if len(copy.data) >= MOST_BYTES:
            self._suspect(f"a transcript of {MOST_BYTES} bytes or more")
        # the last line may have been half written at the last look: its beginning is counted again from there
        line = copy.data.rfind(b"\n", 0, start) + 1
        copy.turns += _count(copy.data, line) - _count(copy.data[line:start], 0)

    def _hold_against_the_end(self) -> None:
        with _Folder(self._folder, *RUNS) as runs:
            for name, copy in self._copies.items():
                with _File(runs, name) as handle:
                    if handle is None:
                        self._suspect(f"the transcript of {name} was removed after it was seen")
                        continue
                    place = 0
                    while chunk := os.pread(handle, _CHUNK, place):
                        if copy.data[place : place + len(chunk)] != chunk and place < MOST_BYTES:
                            self._suspect(f"the transcript of {name} differs from what was seen of it")
                            break
                        place += len(chunk)

    def _suspect(self, what: str) -> None:
        self._tampered = self._tampered or what


class _Folder:
    """A folder below a root, entered part by part without following a link; None where that cannot be done."""

    def __init__(self, root: Path, *parts: str) -> None:
        self._root, self._parts = root, parts
        self._handle: int | None = None

    def __enter__(self) -> int | None:
        with suppress(OSError):
            self._handle = os.open(self._root, _FLAGS | os.O_DIRECTORY)
            for part in self._parts:
                inner = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=self._handle)
                os.close(self._handle)
                self._handle = inner
            return self._handle
        return None

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)


class _File:
    """The transcript in one run folder, opened; None where there is no regular file of that name."""

    def __init__(self, runs: int | None, name: str) -> None:
        self._runs, self._name = runs, name
        self._handle: int | None = None

    def __enter__(self) -> int | None:
        if self._runs is None:
            return None
        with suppress(OSError):
            folder = os.open(self._name, _FLAGS | os.O_DIRECTORY, dir_fd=self._runs)
            try:
                self._handle = os.open(TRANSCRIPT, _FLAGS, dir_fd=folder)
            finally:
                os.close(folder)
            if stat.S_ISREG(os.fstat(self._handle).st_mode):
                return self._handle
        return None

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)


def _goes_on_after_its_end(data: bytes) -> bool:
    """Whether anything follows the first run-end: a harness writes that as its last line, so another hand did."""
    ends = read_transcript(data).of_type("run-end")
    return bool(ends) and data.rstrip().count(b"\n") + 1 > ends[0].line


def _count(data: bytearray, start: int) -> int:
    return data.count(_TURN, start) + data.count(_SPACED_TURN, start)
