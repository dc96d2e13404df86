"""Opening a seal again: all that grading reads of a run, without what sealing one takes (STANDARD 3, DESIGN 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from copperbench.errors import CopperbenchError, SealBroken
from copperbench.sandbox.archive import write_file
from copperbench.sandbox.end_state import EndStateArchive, parse_end_state
from copperbench.sandbox.models import Commit, FileState, RunFacts
from copperbench.sandbox.run_json import parse_run

RUN, TRANSCRIPT, END_STATE, VERIFY = "run.json", "transcript.jsonl", "end-state.tar.zst", "verify.json"
Which = Literal["baseline", "end"]
_REMEDY = "restore the file from where it was published; the run cannot be graded without it"


@dataclass(frozen=True, slots=True)
class Seal:
    """A sealed run, verified: everything that grading reads.

    `commits` is None where the run left no repository that can be read; `notes` says what was odd about it. A
    quarantined run has facts only: no files, an empty transcript.
    """

    where: str
    facts: RunFacts
    transcript: bytes
    verify_json: bytes | None
    archive: EndStateArchive

    @property
    def baseline(self) -> Mapping[str, FileState]:
        """The starting state by path, in byte order of the paths."""
        return self.archive.baseline

    @property
    def end(self) -> Mapping[str, FileState]:
        """What the run left by path, git-ignored and untracked files included; in byte order of the paths."""
        return self.archive.end

    @property
    def commits(self) -> tuple[Commit, ...] | None:
        """The commits after the baseline, parents first; the rule is `read_history`'s."""
        return self.archive.commits

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noticed while sealing, for the reader of a failure."""
        return self.archive.notes

    def read_baseline(self, path: str, fixture_tree: Path) -> bytes:
        """The bytes of a baseline file. Raises KeyError when there is none, and as `EndStateArchive.read`."""
        return self.archive.read(self.baseline[path], fixture_tree, self.where)

    def read_end(self, path: str, fixture_tree: Path) -> bytes:
        """The bytes of an end-state file, or a link's target. Raises as `read_baseline`."""
        return self.archive.read(self.end[path], fixture_tree, self.where)

    def materialise(self, which: Which, fixture_tree: Path, into: Path, leave_out: Container[str] = ()) -> None:
        """Write a tree's regular files into the folder `into` (new or empty); links and special files are left out.

        Files that tools own are written too: KiCad may want them; `leave_out` names paths that the caller does not.
        Raises CopperbenchError when `into` has something in it, and as `EndStateArchive.read`.
        """
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise CopperbenchError(into, "is not empty", "name a new folder")
        states = self.baseline if which == "baseline" else self.end
        for state in states.values():
            if state.kind == "file" and state.path not in leave_out:
                data = self.archive.read(state, fixture_tree, self.where)
                write_file(into / state.path, data, state.mode)


def open_seal(folder: Path) -> Seal:
    """Open a sealed run after holding every file against its digest in `run.json` (STANDARD 12).

    Raises SealBroken naming the file that is missing, changed or not what a seal holds.
    """
    facts = parse_run(_read(folder / RUN), str(folder / RUN))
    verify = folder / VERIFY
    if facts.quarantine is not None:
        nothing = EndStateArchive({}, {}, None, ("quarantined",), {}, {})
        return Seal(str(folder), facts, b"", None, nothing)
    sealed = {}
    for name in (TRANSCRIPT, END_STATE):
        sealed[name] = _read(folder / name)
        digest = hashlib.sha256(sealed[name]).hexdigest()
        if digest != facts.files.get(name):
            said = facts.files.get(name, "nothing")
            raise SealBroken(
                folder / name, f"has changed since it was sealed (is {digest}, run.json says {said})", _REMEDY
            )
    end_state = parse_end_state(sealed[END_STATE], str(folder / END_STATE))
    verify_json = _read(verify) if verify.exists() else None
    return Seal(str(folder / END_STATE), facts, sealed[TRANSCRIPT], verify_json, end_state)


def _read(place: Path) -> bytes:
    try:
        if place.is_symlink():
            raise SealBroken(place, "is a link", _REMEDY)
        return place.read_bytes()
    except OSError as error:
        raise SealBroken(place, f"cannot be read ({error.strerror})", _REMEDY) from error
