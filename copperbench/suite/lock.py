"""The suite's lock: digests that turn a forgotten bump of `suiteVersion` into a finding (STANDARD 7)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.publish import json_bytes, publish
from copperbench.suite.credentials import patterns_digest
from copperbench.suite.findings import Finding
from copperbench.suite.loading import Suite, load_suite
from copperbench.suite.models import Fixture
from copperbench.suite.reading import read_bytes
from copperbench.suite.schemas import schema_bytes

LOCK = "config/suite.lock"
_ANNOTATIONS = ("$comment", "description", "title")


def suite_lock(root: Path) -> dict[str, Any]:
    """What `suiteVersion` stands for, as it is today (STANDARD 7).

    Digests of every task's manifests, every fixture, the vocabulary and the credential patterns. A fixture counts
    with its manifest, its tree's hash and its recorded reports, which grading compares with. Words that only
    explain the vocabulary's schema do not count. Raises SuiteError when a part cannot be read.
    """
    suite = load_suite(root)
    return {
        "suiteVersion": suite.version,
        "tasks": {task_id: suite.task(task_id).manifest_hash for task_id in suite.task_ids()},
        "fixtures": {fixture_id: _fixture(suite, fixture_id) for fixture_id in suite.fixture_ids()},
        "vocabulary": _vocabulary_digest(),
        "credentialPatterns": patterns_digest(),
    }


def check_lock(suite: Suite) -> list[Finding]:
    """The forgotten bump, or a lock that is missing or of another version (STANDARD 7). Raises SuiteError."""
    if suite.lock is None:
        return [Finding(LOCK, "suite-version", "is missing", "run `copperbench validate --write-lock` (STANDARD 7)")]
    today = suite_lock(suite.root)
    changed = list(_changes(suite.lock, today))
    locked = str(suite.lock.get("suiteVersion"))
    if locked == suite.version:
        remedy = "raise suiteVersion in config/suite.yaml, then `copperbench validate --write-lock` (STANDARD 7)"
        what = "{} since suiteVersion " + locked + ", which was not raised: forgotten suiteVersion bump"
        return [Finding(LOCK, "suite-version", what.format(change), remedy) for change in changed]
    if not _is_later(suite.version, locked):
        what = f"suiteVersion {suite.version} is not above the locked {locked}"
        return [Finding("config/suite.yaml: $.suiteVersion", "suite-version", what, "raise it (STANDARD 7)")]
    what = f"is of suiteVersion {locked}, the suite is {suite.version}"
    return [Finding(LOCK, "suite-version", what, "run `copperbench validate --write-lock` (STANDARD 7)")]


def write_lock(root: Path) -> bool:
    """Write the lock of today's suite; whether anything changed.

    Raises SuiteError when the suite changed and `suiteVersion` was not raised: the lock is what remembers that.
    """
    suite = load_suite(root)
    today = suite_lock(root)
    if suite.lock is not None:
        if suite.lock == today:
            return False
        locked = str(suite.lock.get("suiteVersion"))
        changes = list(_changes(suite.lock, today))
        if changes and not _is_later(suite.version, locked):
            what = f"{changes[0]} since suiteVersion {locked}, and suiteVersion is {suite.version}"
            raise SuiteError(LOCK, what, "raise suiteVersion in config/suite.yaml first (STANDARD 7)")
    publish(root / LOCK, json_bytes(today))
    return True


def _fixture(suite: Suite, fixture_id: str) -> dict[str, str]:
    fixture = suite.fixture(fixture_id)
    entry = {"tree": fixture.sha256, "manifest": hashlib.sha256(fixture.manifest).hexdigest()}
    for name, path in _reports(fixture).items():
        where = f"fixtures/{fixture_id}/{path}"
        entry[name] = hashlib.sha256(read_bytes(suite.root / where, where)).hexdigest()
    return entry


def _reports(fixture: Fixture) -> dict[str, str]:
    paths = {"erc": fixture.erc.report, "drc": fixture.drc.report if fixture.drc else ""}
    return {name: path for name, path in paths.items() if path}


def _vocabulary_digest() -> str:
    bare = _without_annotations(json.loads(schema_bytes("assertions")))
    return hashlib.sha256(json.dumps(bare, sort_keys=True).encode("ascii")).hexdigest()


def _without_annotations(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_annotations(child)
            for key, child in value.items()
            if not (key in _ANNOTATIONS and isinstance(child, str))
        }
    return [_without_annotations(child) for child in value] if isinstance(value, list) else value


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for kind, one in (("tasks", "task"), ("fixtures", "fixture")):
        before, after = old.get(kind), new[kind]
        before = before if isinstance(before, dict) else {}
        for name in sorted(before.keys() | after.keys()):
            if name not in before:
                yield f"{one} {name} was added"
            elif name not in after:
                yield f"{one} {name} was removed"
            elif before[name] != after[name]:
                yield f"{one} {name} changed"
    for kind, words in (("vocabulary", "the vocabulary"), ("credentialPatterns", "the list of credential patterns")):
        if old.get(kind) != new[kind]:
            yield f"{words} changed"


def _is_later(version: str, than: str) -> bool:
    def parts(text: str) -> list[int]:
        return [int(part) if part.isdecimal() else 0 for part in text.split(".")]

    return parts(version) > parts(than)
