"""Reading records: ours into `Record`, schema 1.0.0 as legacy, anything else as unreadable and never as a crash.

Reading ten thousand records through JSON Schema takes half a minute, so the typed reader checks what it
uses by itself and asks the schema only to put a refusal into words.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from copperbench.errors import SuiteError
from copperbench.records.models import (
    Ablations,
    AssertionResult,
    LegacyRecord,
    ModelFacts,
    Record,
    Segment,
    Stamps,
    Unreadable,
    Verdict,
)
from copperbench.records.paths import place_of
from copperbench.records.stats import SCHEMA_VERSION, AgentStats
from copperbench.suite import ExpectedOutcome, RunMode, Tier, parse_json

MAX_BYTES = 8 << 20
_FILE_NAME = re.compile(r"run-[1-9]\d*\.json")
_LARGEST_NUMBER = 1e15
"""More than any sum of money, and small enough that a sum over all records is still a number."""
_FAULTS = (KeyError, TypeError, ValueError, AttributeError)


class _RecordError(ValueError):
    """Something in a record that cannot be; the message is `$.path: fault`."""


def read_records(root: Path, pattern: str = "*/*/*") -> Iterator[Record | LegacyRecord | Unreadable]:
    """Read every record under `root/results`, one at a time, in a fixed order (STANDARD 12).

    `pattern` narrows it down: campaign, model and task as a glob. Folder names need not be ours: whatever has a
    record's file name in a record's depth is read or listed.
    """
    for path in sorted(root.glob(f"results/{pattern}/run-*.json")):
        if _FILE_NAME.fullmatch(path.name):
            yield read_record(path, root)


def read_record(path: Path, root: Path) -> Record | LegacyRecord | Unreadable:
    """Read the record at `path`; its name in the result is relative to `root`. Never raises for what a file holds."""
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    try:
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode):
            return Unreadable(name, "not a regular file")
        if state.st_size > MAX_BYTES:
            return Unreadable(name, f"{state.st_size} bytes, more than the {MAX_BYTES} that a record may have")
        data = path.read_bytes()
    except OSError as error:
        return Unreadable(name, f"cannot be read ({error.strerror})")
    return parse_record(data, name)


def parse_record(data: bytes, name: str) -> Record | LegacyRecord | Unreadable:
    """Understand a record's bytes; `name` is its path in the checkout. Never raises."""
    try:
        value = parse_json(data, name)
    except SuiteError as error:
        return Unreadable(name, error.what)
    if not isinstance(value, dict):
        return Unreadable(name, "$: not an object")
    try:
        if value.get("schemaVersion") == SCHEMA_VERSION:
            record = _record(value, name)
            _agrees_with_its_place(record)
            return record
        if value.get("schemaVersion") == "1.0.0":
            return _legacy(value, name)
    except _RecordError as fault:
        return Unreadable(name, str(fault))
    except _FAULTS as error:
        return Unreadable(name, _first_fault(value, name, error))
    return Unreadable(name, f"$.schemaVersion: {_short(value.get('schemaVersion'))} is no schema that is read here")


def _record(value: Mapping[str, Any], name: str) -> Record:
    task, run, stamps = value["task"], value["run"], value["comparability"]
    mode = cast(RunMode, _one_of(run["runMode"], get_args(RunMode), "$.run.runMode"))
    agent = mode == "agent"
    verdict = cast(Verdict, _one_of(value["verdict"], get_args(Verdict), "$.verdict"))
    category = _text_or_none(value["failureCategory"])
    if (category is not None) != (verdict == "fail"):
        raise _RecordError(f"$.failureCategory: {_short(category)} does not go with the verdict '{verdict}'")
    harness = run["harness"]
    return Record(
        path=name,
        task=_text(task["id"]),
        tier=cast(Tier, _one_of(task["tier"], get_args(Tier), "$.task.tier")),
        expected=cast(
            ExpectedOutcome, _one_of(task["expectedOutcome"], get_args(ExpectedOutcome), "$.task.expectedOutcome")
        ),
        variant_of=_text_or_none(task["variantOf"]),
        fixture=_text(value["fixture"]["id"]),
        run_model=_text(run["model"]),
        run_mode=mode,
        repeat=_count(run["repeat"]),
        campaign=_text(run["campaign"]),
        started_at=_started(run["startedAt"]),
        duration_ms=_count(run["durationMs"]),
        ablations=_ablations(run["ablations"]),
        harness=_text(harness["name"]),
        harness_version=_text(harness["version"]),
        harness_commit=_text_or_none(harness["commit"]),
        model=_model(value["model"]) if agent else None,
        usd=_number_or_none(value["cost"]["usd"]) if agent else None,
        stats=_stats(value["stats"]) if agent else None,
        verdict=verdict,
        partial_credit=_share(value["partialCredit"]),
        failure_category=category,
        first_failed_required=_text_or_none(value["firstFailedRequired"]),
        assertions=tuple(_assertion(entry) for entry in _list(value["assertions"])),
        stamps=_stamps(stamps),
        quarantined=value["quarantine"] is not None,
        lines_changed=_lines_changed(value.get("change")),
    )


def _lines_changed(value: Mapping[str, Any] | None) -> int | None:
    return None if value is None else _count(value["linesAdded"]) + _count(value["linesDeleted"])


def _agrees_with_its_place(record: Record) -> None:
    """A record that was copied to another run's place would count twice."""
    if not record.path.startswith("results/"):
        return
    place = place_of(record.path, Path())
    if place is None:
        raise _RecordError("$: lies where no record belongs")
    said: list[tuple[str, object, object]] = [
        ("$.run.campaign", record.campaign, place.campaign),
        ("$.task.id", record.task, place.task),
        ("$.run.repeat", record.repeat, place.repeat),
    ]
    if record.run_mode != "agent":
        said.append(("$.run.model", record.run_model.replace(":", "-"), place.model))
    for where, value, expected in said:
        if value != expected:
            raise _RecordError(f"{where}: {_short(value)}, but the record lies where {_short(expected)} belongs")


def _legacy(value: Mapping[str, Any], name: str) -> LegacyRecord:
    verdict = value["verdict"]
    if isinstance(verdict, dict):
        verdict = "pass" if verdict["pass"] else "fail"
    stamps = value.get("comparability") or value.get("environment") or {}
    suite_version = value.get("suiteVersion") or stamps.get("suiteVersion") or "unknown"
    task = value["task"]
    return LegacyRecord(
        path=name,
        schema_version="1.0.0",
        suite_version=_text(suite_version),
        task=_text(task["id"] if isinstance(task, dict) else task),
        model=_text(value["run"]["model"]),
        verdict=_text(verdict),
    )


def _model(value: Mapping[str, Any]) -> ModelFacts:
    return ModelFacts(
        id=_text(value["id"]),
        provider=_text(value["provider"]),
        segment=cast(Segment, _one_of(value["segment"], get_args(Segment), "$.model.segment")),
        pinning=_text(value["pinning"]),
        served=_text_or_none(value["served"]),
    )


def _stats(value: Mapping[str, Any]) -> AgentStats:
    return AgentStats(
        exit_path=_text_or_none(value["exitPath"]),
        turns_used=_count_or_none(value["turnsUsed"]),
        max_turns=_count_or_none(value["maxTurns"]),
        repair_cycles_used=_count_or_none(value["repairCyclesUsed"]),
        max_repair_cycles=_count_or_none(value["maxRepairCycles"]),
        tokens_in=_count_or_none(value["tokensIn"]),
        tokens_out=_count_or_none(value["tokensOut"]),
        cache_read_tokens=_count_or_none(value["cacheReadTokens"]),
        cache_write_tokens=_count_or_none(value["cacheWriteTokens"]),
        files_touched=tuple(_text(path) for path in _list(value["filesTouched"])),
        cap_exceeded=_text_or_none(value["capExceeded"]),
    )


def _ablations(value: Mapping[str, Any]) -> Ablations:
    subset = value["toolSubset"]
    if isinstance(subset, str):
        subset = [subset]
    return Ablations(
        prompt_variant=_text_or_none(value["promptVariant"]),
        max_turns=_count_or_none(value["maxTurns"]),
        max_repair_cycles=_count_or_none(value["maxRepairCycles"]),
        tool_subset=None if subset is None else tuple(_text(tool) for tool in _list(subset)),
    )


def _stamps(value: Mapping[str, Any]) -> Stamps:
    return Stamps(
        schema_version=_text(value["schemaVersion"]),
        suite_version=_text(value["suiteVersion"]),
        task_manifest_hash=_text(value["taskManifestHash"]),
        fixture_sha256=_text(value["fixtureSha256"]),
        kicad_cli_version=_text_or_none(value["kicadCliVersion"]),
        node_version=_text(value["nodeVersion"]),
        python_version=_text(value["pythonVersion"]),
        platform=_text(value["platform"]),
        copperbench_version=_text(value["copperbenchVersion"]),
    )


def _assertion(value: Mapping[str, Any]) -> AssertionResult:
    required = value["required"]
    if not isinstance(required, bool):
        raise TypeError(required)
    return AssertionResult(
        id=_text(value["id"]),
        type=_text(value["type"]),
        status=_one_of(value["status"], ("pass", "fail", "unevaluable"), "$.assertions"),
        required=required,
        detail=_text(value["detail"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(value)
    return value


def _count_or_none(value: object) -> int | None:
    return None if value is None else _count(value)


def _number_or_none(value: object) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= _LARGEST_NUMBER:
        raise TypeError(value)
    return float(value)


def _share(value: object) -> float:
    number = _number_or_none(value)
    if number is None or number > 1:
        raise TypeError(value)
    return number


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _started(value: object) -> str:
    text = _text(value)
    if not re.match(r"\d{4}-\d\d-\d\dT", text):
        raise _RecordError(f"$.run.startedAt: {_short(text)} is not a time in UTC")
    return text


def _one_of(value: object, allowed: tuple[str, ...], where: str) -> str:
    if value not in allowed or not isinstance(value, str):
        raise _RecordError(f"{where}: {_short(value)} is not one of {', '.join(allowed)}")
    return value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _first_fault(value: Mapping[str, Any], name: str, error: Exception) -> str:
    """Say what is wrong through the schema, whose paths and words are better than a Python error's."""
    if value.get("schemaVersion") == SCHEMA_VERSION:
        from copperbench.suite import schema_errors

        for line in schema_errors("result", value, name):
            return line.removeprefix(f"{name}: ")
    if isinstance(error, KeyError):
        return f"$: {_short(error.args[0])} is missing"
    return f"$: {_short(error.args[0]) if error.args else 'a value'} is not of the kind that is needed"
