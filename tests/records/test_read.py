"""Reading records of any age and any state: understood, legacy or unreadable, and never a crash."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.records import LegacyRecord, Record, Unreadable, parse_record, read_record, read_records
from copperbench.suite import schema_errors

NAME = "results/2026-01-02/some-model/do-x/run-1.json"
HASH = "a" * 64
DOCUMENT: dict[str, Any] = {
    "schemaVersion": "2.0.0",
    "suiteVersion": "1.0.0",
    "task": {
        "id": "do-x",
        "tier": "simple",
        "mode": "do",
        "expectedOutcome": "edit",
        "variantOf": None,
        "tags": ["AC-1.1"],
    },
    "fixture": {"id": "a-board", "sha256": HASH},
    "run": {
        "model": "some/model",
        "repeat": 1,
        "runMode": "agent",
        "llmCache": False,
        "baselineSha": "b" * 40,
        "durationMs": 5,
        "setupSkipped": [],
        "ablations": {"promptVariant": None, "maxTurns": 5, "maxRepairCycles": None, "toolSubset": ["a", "b"]},
        "startedAt": "2026-01-02T03:04:05Z",
        "repeatsPlanned": 3,
        "campaign": "2026-01-02",
        "isolation": "none",
        "harness": {"name": "copperhead", "version": "1", "commit": None, "quirks": []},
    },
    "model": {
        "id": "some/model",
        "provider": "p",
        "selectionSource": "flag",
        "segment": "api-cheap",
        "pinning": "strong",
        "served": None,
    },
    "cost": {"usd": 0.1, "priceTableVersion": "1", "reason": None},
    "stats": {
        "exitPath": "done",
        "turnsUsed": 1,
        "maxTurns": 4,
        "repairCyclesUsed": 0,
        "maxRepairCycles": 5,
        "tokensIn": 1,
        "tokensOut": 1,
        "cacheReadTokens": None,
        "cacheWriteTokens": None,
        "filesTouched": ["a"],
        "capExceeded": None,
    },
    "verdict": "fail",
    "partialCredit": 0.5,
    "failureCategory": "wrong-target",
    "firstFailedRequired": "a1",
    "assertions": [
        {
            "id": "a1",
            "type": "net_present",
            "args": {"net": "X"},
            "source": "end-state",
            "status": "fail",
            "weight": 1,
            "required": True,
            "detail": "no such net",
        }
    ],
    "comparability": {
        "schemaVersion": "2.0.0",
        "suiteVersion": "1.0.0",
        "taskManifestHash": HASH,
        "fixtureSha256": HASH,
        "copperheadVersion": "1",
        "copperheadCommit": None,
        "kicadCliVersion": "10.0.6",
        "nodeVersion": "none",
        "platform": "linux",
        "harnessName": "copperhead",
        "pythonVersion": "3.11",
        "copperbenchVersion": "0.1.0",
    },
    "rubric": None,
    "scoredBy": {"copperbenchVersion": "0.1.0"},
    "quarantine": None,
    "artifacts": {"transcriptPath": "x", "sandboxPreserved": True, "sandboxPath": "y", "digests": {"run.json": HASH}},
}


def changed(path: str, value: object) -> bytes:
    """The document with the value at a dotted path replaced."""
    document = copy.deepcopy(DOCUMENT)
    *parents, last = path.split(".")
    place: Any = document
    for name in parents:
        place = place[int(name)] if name.isdigit() else place[name]
    place[last] = value
    return json.dumps(document).encode()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [path, *(place for key in keys for place in places(value[key], (*path, key)))]


def test_the_example_of_these_tests_fits_the_published_schema() -> None:
    assert schema_errors("result", DOCUMENT, "record") == []


def test_a_record_is_read_with_everything_that_reports_need() -> None:
    record = parse_record(json.dumps(DOCUMENT).encode(), NAME)
    assert isinstance(record, Record)
    assert (record.model and record.model.segment, record.usd, record.ablations.label, record.failed_required) == (
        "api-cheap",
        0.1,
        "turns=5 tools=a,b",
        ("a1",),
    )


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        ("verdict", "maybe", "$.verdict: 'maybe' is not one of pass, fail, unscoreable"),
        ("verdict", "pass", "$.failureCategory: 'wrong-target' does not go with the verdict 'pass'"),
        ("failureCategory", None, "$.failureCategory: None does not go with the verdict 'fail'"),
        ("partialCredit", 2, "$.partialCredit: 2 is above 1"),
        ("run.repeat", 2, "$.run.repeat: 2, but the record lies where 1 belongs"),
        ("task.id", "do-y", "$.task.id: 'do-y', but the record lies where 'do-x' belongs"),
        ("schemaVersion", "9.0.0", "$.schemaVersion: '9.0.0' is no schema that is read here"),
        ("cost.usd", "1", "$.cost.usd: '1' is not of type number or null"),
        ("cost.usd", 1e308, "$: 1e+308 is not of the kind that is needed"),
    ],
)
def test_a_record_that_cannot_be_is_unreadable_with_the_place(path: str, value: object, error: str) -> None:
    found = parse_record(changed(path, value), NAME)
    assert isinstance(found, Unreadable)
    assert found.error.startswith(error)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"schemaVersion": "2.0.0"}',
        b'{"schemaVersion": "1.0.0"}',
        b'{"schemaVersion": "1.0.0", "task": 5, "run": [], "verdict": {}}',
        b'{"schemaVersion": ["2.0.0"]}',
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b'{"a": 1' + b"0" * 5000 + b"}",
    ],
)
def test_what_is_no_record_is_listed_and_never_a_crash(data: bytes) -> None:
    found = parse_record(data, NAME)
    assert isinstance(found, Unreadable)
    assert found.error


@given(place=st.sampled_from(places(DOCUMENT)[1:]), value=st.sampled_from([None, 1, -1, 2.5, "x", [], {}, True, [{}]]))
def test_a_field_of_a_wrong_kind_never_crashes_the_reader(place: tuple[Any, ...], value: object) -> None:
    document = copy.deepcopy(DOCUMENT)
    parent: Any = document
    for key in place[:-1]:
        parent = parent[key]
    parent[place[-1]] = value
    assert isinstance(parse_record(json.dumps(document).encode(), NAME), Record | Unreadable)


@given(place=st.sampled_from([place for place in places(DOCUMENT)[1:] if isinstance(place[-1], str)]))
def test_a_missing_field_is_never_made_up(place: tuple[Any, ...]) -> None:
    document = copy.deepcopy(DOCUMENT)
    parent: Any = document
    for key in place[:-1]:
        parent = parent[key]
    del parent[place[-1]]
    found = parse_record(json.dumps(document).encode(), NAME)
    assert isinstance(found, Unreadable) or found == parse_record(json.dumps(DOCUMENT).encode(), NAME)


NEWER_FORM: dict[str, Any] = {
    "schemaVersion": "1.0.0",
    "suiteVersion": "0.3.0",
    "task": {"id": "do-x"},
    "run": {"model": "gpt", "repeat": 1},
    "verdict": "pass",
    "comparability": {"suiteVersion": "0.3.0"},
}
OLDER_FORM: dict[str, Any] = {
    "schemaVersion": "1.0.0",
    "task": {"id": "do-x"},
    "run": {"model": "gpt", "repeatIndex": 0},
    "verdict": {"pass": True, "partialCredit": 1},
    "environment": {"suiteVersion": "0.2.0"},
    "assertions": [{"id": "a", "passed": True, "evidenceSource": "diff"}],
}


@pytest.mark.parametrize(("form", "suite"), [(NEWER_FORM, "0.3.0"), (OLDER_FORM, "0.2.0")])
def test_both_forms_of_older_records_are_read(form: dict[str, Any], suite: str) -> None:
    found = parse_record(json.dumps(form).encode(), NAME)
    assert found == LegacyRecord(NAME, "1.0.0", suite, "do-x", "gpt", "pass")


@pytest.fixture
def results(tmp_path: Path) -> Callable[[str, bytes], Path]:
    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    return write


def test_every_record_on_disk_is_read_and_nothing_else(results: Callable[[str, bytes], Path], tmp_path: Path) -> None:
    results(NAME, json.dumps(DOCUMENT).encode())
    results("results/Some.Date/Claude 4/do_x/run-2.json", b"{}")
    for other in ("run-1.rubric.json", "run-01.json", "run-1/run.json", "run-x.json", ".run-3.json.abc"):
        results(f"results/2026-01-02/some-model/do-x/{other}", b"{}")
    assert [entry.path for entry in read_records(tmp_path)] == [NAME, "results/Some.Date/Claude 4/do_x/run-2.json"]


def test_a_record_in_a_folder_of_no_campaign_is_not_counted(
    results: Callable[[str, bytes], Path], tmp_path: Path
) -> None:
    path = results("results/copies/some-model/do-x/run-1.json", json.dumps(DOCUMENT).encode())
    assert read_record(path, tmp_path) == Unreadable(
        "results/copies/some-model/do-x/run-1.json", "$: lies where no record belongs"
    )


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), Path.mkdir])
def test_what_is_no_file_is_listed_without_being_opened(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / NAME
    path.parent.mkdir(parents=True)
    make(path)
    assert read_record(path, tmp_path) == Unreadable(NAME, "not a regular file")
