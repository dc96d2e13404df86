"""Writing a run down while it happens: one redacted JSON line per event, never rewritten (STANDARD 3)."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copperbench.agent.redaction import Redactor

FILE_NAME = "transcript.jsonl"
RUNS = ".copperhead/runs"


def stamp(moment: datetime) -> str:
    """A moment as every file of a run writes it: ISO 8601, UTC, milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TranscriptWriter:
    """The transcript of one run in its own new folder under `.copperhead/runs/`; `run_id` is the folder's name."""

    def __init__(self, root: Path, started: datetime, redact: Redactor) -> None:
        runs = root / RUNS
        runs.mkdir(parents=True, exist_ok=True)
        self.prior_runs = sum(1 for _ in runs.iterdir())
        self.run_id, self.folder = _new_folder(runs, stamp(started).replace(":", "-").replace(".", "-"))
        self._redact = redact
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
        self._file = os.open(self.folder / FILE_NAME, flags, 0o644)

    def event(self, kind: str, /, **data: Any) -> None:
        """Append one event. A single write, so that a signal never leaves half a line behind."""
        line = json.dumps({"ts": stamp(datetime.now(UTC)), "type": kind, "data": data}, separators=(",", ":"))
        rest = memoryview(f"{self._redact(line)}\n".encode("ascii"))
        while rest:
            rest = rest[os.write(self._file, rest) :]

    def note(self, name: str, text: str) -> None:
        """Write a file for readers (the summary) beside the transcript, redacted."""
        (self.folder / name).write_text(self._redact(text), encoding="utf-8", errors="replace")

    def __enter__(self) -> TranscriptWriter:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


def _new_folder(runs: Path, name: str) -> tuple[str, Path]:
    """A folder of that name; a second run within one millisecond gets a suffix."""
    for number in range(1, 1000):
        run_id = name if number == 1 else f"{name}-{number}"
        try:
            (runs / run_id).mkdir()
        except FileExistsError:
            continue
        return run_id, runs / run_id
    raise FileExistsError(runs / name)
