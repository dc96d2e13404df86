"""Making a run due again: its record and evidence leave their place and are kept under `superseded/` (STANDARD 12)."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from copperbench.errors import CopperbenchError, SuiteError
from copperbench.records.paths import RUN_JSON, RecordPlace
from copperbench.records.publishing import superseded_path
from copperbench.sandbox import RunFacts, claim, parse_run
from copperbench.suite import Suite, parse_fixture, parse_json


def redo(place: RecordPlace) -> Path:
    """Move a run's record and evidence aside and return where the record went, so that the run is due again.

    The record goes first: if this is cut short, the evidence that is left is graded to the same record again.
    Raises CopperbenchError when there is nothing to move, or when another process is at work on the run.
    """
    if not place.path.exists() and not place.folder.exists():
        raise CopperbenchError(place.name, "there is no such run", "name a record that exists")
    with claim(place.folder):
        aside = _free(superseded_path(place, *_version_and_digest(place)))
        _move(place.path, aside)
        _move(place.judgement, aside.with_suffix(".rubric.json"))
        _move(place.folder, aside.with_suffix(""))
    return aside


def stale(suite: Suite, places: Iterable[RecordPlace]) -> Iterator[tuple[RecordPlace, str]]:
    """The sealed in-process runs that today's suite would perform otherwise, each with the reason (STANDARD 7).

    Agent runs are never stale: what was paid for stays. Raises SealBroken for an unreadable `run.json`, SuiteError
    for an invalid task or solution.
    """
    for place in places:
        if place.is_sealed:
            facts = parse_run((place.folder / RUN_JSON).read_bytes(), str(place.folder / RUN_JSON))
            reason = _why_stale(suite, place, facts) if facts.run_mode != "agent" else ""
            if reason:
                yield place, reason


def _why_stale(suite: Suite, place: RecordPlace, facts: RunFacts) -> str:
    if not suite.has_task(place.task):
        return ""
    task = suite.task(place.task)
    sealed_fixture = parse_fixture(facts.fixture_manifest, f"{place.folder / RUN_JSON} (sealed)")
    if task.run_relevant_hash != facts.run_relevant_hash:
        return "the task has changed in what a run depends on"
    if suite.fixture(task.fixture_id).sha256 != sealed_fixture.sha256:
        return "the fixture has changed"
    if facts.run_mode != "noop":
        name = place.model.removeprefix("harness-")
        known = {solution.name: solution.sha256 for solution in suite.solutions(place.task)}
        if name not in known:
            return "its solution is gone"
        if known[name] != facts.harness.solution_sha256:
            return "its solution has changed"
    return ""


def _version_and_digest(place: RecordPlace) -> tuple[str, str]:
    """Suite version and digest of what is moved: of the record, else of the seal."""
    for path in (place.path, place.folder / RUN_JSON):
        if path.is_file():
            data = path.read_bytes()
            try:
                version = parse_json(data, str(path))["suiteVersion"]
            except (SuiteError, KeyError, TypeError):
                version = "unknown"
            return str(version), hashlib.sha256(data).hexdigest()
    return "unknown", hashlib.sha256(place.name.encode("utf-8")).hexdigest()


def _free(path: Path) -> Path:
    """`path`, or the first of `path-2`, `path-3`, ... at which nothing is kept yet."""
    number, free = 1, path
    while os.path.lexists(free) or os.path.lexists(free.with_suffix("")):
        number += 1
        free = path.with_name(f"{path.stem}-{number}.json")
    return free


def _move(source: Path, target: Path) -> None:
    if not os.path.lexists(source):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(source, target)
    except OSError as error:
        raise CopperbenchError(
            source, f"cannot be moved to {target} ({error.strerror})", "fix permissions or free space and repeat"
        ) from error
