"""Sealing what a run left, and opening a seal again (STANDARD 3, DESIGN 4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from copperbench.errors import CopperbenchError, FixtureMismatch, SealBroken
from copperbench.publish import publish, publish_new
from copperbench.sandbox.archive import Member
from copperbench.sandbox.build import Sandbox, read_sandbox, write_file
from copperbench.sandbox.commits import walk_files
from copperbench.sandbox.end_state import EndStateArchive, pack_end_state, parse_end_state
from copperbench.sandbox.history import History, blob_shas, read_history
from copperbench.sandbox.models import Commit, FileState, RunFacts
from copperbench.sandbox.objects import GitObject
from copperbench.sandbox.quarantine import Scan, put_aside
from copperbench.sandbox.run_json import parse_run, run_json
from copperbench.sandbox.walk import DEFAULT_LIMITS, SealLimits, walk

RUN, TRANSCRIPT, END_STATE, VERIFY = "run.json", "transcript.jsonl", "end-state.tar.zst", "verify.json"
Which = Literal["baseline", "end"]
_REMEDY = "restore the file from where it was published; the run cannot be graded without it"
_LEFTOVER = re.compile(rf"\.({'|'.join(map(re.escape, (RUN, TRANSCRIPT, END_STATE, VERIFY)))})\.[a-z0-9_]{{8}}")


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

    def materialise(self, which: Which, fixture_tree: Path, into: Path) -> None:
        """Write a tree's regular files into the folder `into` (new or empty); links and special files are left out.

        Files that tools own are written too: KiCad may want them. Raises CopperbenchError when `into` has something in
        it, and as `EndStateArchive.read`.
        """
        into.mkdir(parents=True, exist_ok=True)
        if any(into.iterdir()):
            raise CopperbenchError(into, "is not empty", "name a new folder")
        states = self.baseline if which == "baseline" else self.end
        for state in states.values():
            if state.kind == "file":
                data = self.archive.read(state, fixture_tree, self.where)
                write_file(into / state.path, Member(data, state.mode))


def seal_run(
    folder: Path,
    facts: RunFacts,
    sandbox_root: Path,
    archive: Path,
    fixture_tree: Path,
    transcript: bytes,
    limits: SealLimits = DEFAULT_LIMITS,
    *,
    secrets: Iterable[bytes] = (),
    quarantine_root: Path | None = None,
) -> RunFacts:
    """Seal what a run left in `sandbox_root` into `folder`; `run.json` comes last and is what makes it a run.

    `facts` come without `files`; `archive` is the sandbox that the run started from, `fixture_tree` its verified
    fixture, `secrets` the values of the secret variables that it was handed. A run that left more than `limits` is
    sealed with `exit.tampered` saying so. Where a credential is found nothing lands in `folder` but a minimal
    `run.json` that names kind, file and digest; the rest goes to `quarantine_root` (by default `quarantine` beside the
    results), mode 0700 (STANDARD 12). Returns the facts as published.

    Raises CopperbenchError when the folder holds a sealed run already or cannot be written, SealBroken when the
    sandbox archive is unreadable.
    """
    if (folder / RUN).exists():
        raise CopperbenchError(folder / RUN, "is sealed already", "copperbench redo moves it aside")
    start = read_sandbox(archive)
    fixture = fixture_files(fixture_tree)
    scan = Scan(tuple(secrets), start.files, (*facts.task_manifests.values(), facts.fixture_manifest))
    end_state, excess = _end_state(sandbox_root, start, fixture, limits, scan)
    if excess and facts.exit.tampered is None:
        tampered = "left more than can be sealed: " + "; ".join(excess[:3])
        facts = replace(facts, exit=replace(facts.exit, tampered=tampered))
    files = {TRANSCRIPT: transcript, END_STATE: end_state}
    facts = replace(facts, files={name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())})
    scan.look(TRANSCRIPT, transcript)
    scan.look(RUN, run_json(facts))
    _clear(folder)
    if scan.found is not None:
        root = quarantine_root if quarantine_root is not None else folder.absolute().parents[3].parent / "quarantine"
        facts = put_aside(root, facts, {**files, RUN: run_json(facts)}, scan, folder)
        files = {}
    for name, data in files.items():
        publish(folder / name, data)
    publish_new(folder / RUN, run_json(facts))
    return facts


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


def fixture_files(tree: Path) -> dict[str, bytes]:
    """The bytes of a fixture's files by path. Raises FixtureMismatch when the tree is missing."""
    if not tree.is_dir():
        raise FixtureMismatch(tree, "the fixture's tree is missing", "copperbench fixture get")
    return {place.relative_to(tree).as_posix(): place.read_bytes() for place in sorted(walk_files(tree))}


def _end_state(
    root: Path, start: Sandbox, fixture: Mapping[str, bytes], limits: SealLimits, scan: Scan
) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of the end-state archive, and which limits the run passed; `scan` has seen all that was left."""
    baseline = {
        path: FileState(path, "file", member.mode, hashlib.sha256(member.data).hexdigest(), len(member.data))
        for path, member in sorted(start.files.items(), key=lambda item: item[0].encode("utf-8", "surrogateescape"))
    }
    known = {state.sha256: start.files[path].data for path, state in baseline.items()}
    walked = walk(root, limits, known)
    for path, state in walked.files.items():
        scan.look_at_name(path, known=path in baseline)
        scan.look(path, walked.contents.get(state.sha256, b""))
    # blobs that lie in one of the two trees are looked at there
    seen = blob_shas((*known.values(), *walked.contents.values()))
    history, git_excess = _repository(root, start.info.baseline_sha, seen, limits, scan)
    excess = (*walked.excess, *git_excess)
    notes = (*history.notes, *excess)
    scan.look("the notes of the seal", "\n".join(notes).encode("utf-8", "surrogateescape"))
    contents = {**known, **walked.contents}
    return pack_end_state(baseline, walked.files, contents, fixture, history.commits, notes), excess


def _repository(
    root: Path, baseline_sha: str, seen: Container[str], limits: SealLimits, scan: Scan
) -> tuple[History, tuple[str, ...]]:
    """The commits of the run, and which limits its repository passed."""

    def look(found: GitObject) -> None:
        scan.look(f".git ({found.kind} {found.sha})", found.data)

    history = read_history(root, baseline_sha, limits, seen, look)
    if history.excess:
        return history, (history.excess,)
    # what git keeps beside its objects is never published, but a secret left there is left all the same
    beside = walk(root / ".git", limits, skip="objects")
    for path, state in beside.files.items():
        scan.look_at_name(path, known=False)
        scan.look(f".git/{path}", beside.contents.get(state.sha256, b""))
    absent = history.commits is None
    return history, () if absent else tuple(f".git/{what}" for what in beside.excess)


def _read(place: Path) -> bytes:
    try:
        if place.is_symlink():
            raise SealBroken(place, "is a link", _REMEDY)
        return place.read_bytes()
    except OSError as error:
        raise SealBroken(place, f"cannot be read ({error.strerror})", _REMEDY) from error


def _clear(folder: Path) -> None:
    """Remove what a killed sealing left half written; the claim on the run keeps others out."""
    for place in folder.iterdir() if folder.is_dir() else ():
        if _LEFTOVER.fullmatch(place.name):
            place.unlink(missing_ok=True)
