"""Sealing what a run left (STANDARD 3, DESIGN 4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from copperbench.errors import CopperbenchError, FixtureMismatch
from copperbench.publish import publish, publish_new
from copperbench.sandbox.build import Sandbox, read_sandbox
from copperbench.sandbox.commits import walk_files
from copperbench.sandbox.end_state import pack_end_state
from copperbench.sandbox.history import History, blob_shas, read_history
from copperbench.sandbox.models import FileState, RunFacts
from copperbench.sandbox.objects import GitObject
from copperbench.sandbox.opening import END_STATE, RUN, TRANSCRIPT, VERIFY
from copperbench.sandbox.quarantine import Scan, put_aside
from copperbench.sandbox.run_json import run_json
from copperbench.sandbox.walk import DEFAULT_LIMITS, SealLimits, walk

_LEFTOVER = re.compile(rf"\.({'|'.join(map(re.escape, (RUN, TRANSCRIPT, END_STATE, VERIFY)))})\.[a-z0-9_]{{8}}")


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


def _clear(folder: Path) -> None:
    """Remove what a killed sealing left half written; the claim on the run keeps others out."""
    for place in folder.iterdir() if folder.is_dir() else ():
        if _LEFTOVER.fullmatch(place.name):
            place.unlink(missing_ok=True)
