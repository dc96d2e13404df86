"""Writing a record once: agreeing gradings keep it, new stamps supersede it, anything else is a loud conflict.

STANDARD 12: records are append-only. Whatever leaves its place under `results/` is kept, unchanged, under
`superseded/`, and its name there says where it lay, which suite version it carried and what bytes it has.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from copperbench.errors import CopperbenchError, RecordConflict, SuiteError
from copperbench.publish import publish, publish_new
from copperbench.records.paths import RecordPlace
from copperbench.suite import parse_json

Published = Literal["written", "kept", "superseded"]
STAMPS = ("schemaVersion", "suiteVersion", "taskManifestHash", "fixtureSha256", "kicadCliVersion")
_SHOWN_DIFFERENCES = 8


def publish_record(place: RecordPlace, data: bytes) -> Published:
    """Put a record's bytes in their place under the rules of STANDARD 12.

    `written`: there was none. `kept`: the one on disk agrees but for `scoredBy`, and stays untouched.
    `superseded`: the one on disk is of another suite version, or was graded without KiCad's reports that the new one
    has; it was copied unchanged to `superseded/` before the new one took its place.
    Raises RecordConflict, naming the JSON paths that differ, in every other case; then nothing is changed.
    """
    with _one_at_a_time(place.folder):
        try:
            publish_new(place.path, data)
        except FileExistsError:
            return _replace(place, data)
        return "written"


@contextmanager
def _one_at_a_time(evidence: Path) -> Iterator[None]:
    """Two gradings under two suite versions must not supersede the same record: one of them would be kept nowhere.

    The lock is the kernel's, on the folder of the evidence, and dies with its holder.
    """
    try:
        handle = os.open(evidence, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # a record without evidence is graded by nobody
        yield
        return
    try:
        with suppress(OSError):  # not every file system knows locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def superseded_path(place: RecordPlace, suite_version: str, digest: str) -> Path:
    """Where a record is kept when it leaves its place: path, suite version and digest are in the name."""
    version = re.sub(r"[^0-9A-Za-z.-]", "_", suite_version)[:40]
    inside = Path(place.name).relative_to("results")
    return place.root / "superseded" / inside.parent / f"{inside.stem}.{version}.{digest[:12]}.json"


def differences(old: Any, new: Any) -> tuple[str, ...]:
    """The JSON paths at which two records differ, with both values, leaving out `scoredBy`."""
    return tuple(_differences(_without_grader(old), _without_grader(new), "$"))


def _replace(place: RecordPlace, data: bytes) -> Published:
    try:
        old_bytes = place.path.read_bytes()
        old = parse_json(old_bytes, place.name)
        stamps = {key: old["comparability"][key] for key in STAMPS}
    except (OSError, SuiteError, KeyError, TypeError) as error:
        remedy = f"move it aside with `copperbench redo {place.name}`"
        raise RecordConflict(place.name, "is there and no record that can be read", remedy) from error
    new = json.loads(data)
    found = differences(old, new)
    if not found:
        return "kept"
    if not _may_supersede(stamps, new["comparability"]):
        raise _conflict(place.name, found)
    aside = superseded_path(place, str(stamps["suiteVersion"]), hashlib.sha256(old_bytes).hexdigest())
    keep(aside, old_bytes)
    with suppress(FileNotFoundError):  # a judgement is of one record and goes with it
        place.judgement.rename(aside.with_suffix(".rubric.json"))
    publish(place.path, data)
    return "superseded"


def _may_supersede(old: dict[str, Any], new: dict[str, Any]) -> bool:
    """Another suite version, or the same stamps but for KiCad's reports gained."""
    if (old["schemaVersion"], old["suiteVersion"]) != (new["schemaVersion"], new["suiteVersion"]):
        return True
    changed = {key for key in STAMPS if old[key] != new[key]}
    return changed == {"kicadCliVersion"} and old["kicadCliVersion"] is None


def keep(path: Path, data: bytes) -> None:
    """Write bytes that are never to change: present with the same bytes is as good. Raises CopperbenchError else."""
    try:
        publish_new(path, data)
    except FileExistsError:
        if path.read_bytes() != data:
            raise CopperbenchError(path, "is there with other bytes than its name says", "move it away") from None


def _conflict(where: str, found: tuple[str, ...]) -> RecordConflict:
    more = len(found) - _SHOWN_DIFFERENCES
    shown = "; ".join(found[:_SHOWN_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")
    return RecordConflict(
        where,
        f"a new grading disagrees with the record under the same suite version: {shown}",
        "bump suiteVersion if grading or manifests changed on purpose, else find what changed",
    )


def _without_grader(record: Any) -> Any:
    return {key: value for key, value in record.items() if key != "scoredBy"} if isinstance(record, dict) else record


def _differences(old: Any, new: Any, path: str) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(key, _ABSENT), new.get(key, _ABSENT), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, f"{path}[{index}]")
    elif type(old) is not type(new) or old != new:
        yield f"{path}: {_shown(old)} was, {_shown(new)} is"


class _Absent:
    """The value of a field that a record does not have."""


_ABSENT = _Absent()


def _shown(value: Any) -> str:
    if isinstance(value, _Absent):
        return "nothing"
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else f"{text[:57]}..."
