"""Building a record: everything from the seal and its grade, nothing from the machine or the day (STANDARD 12)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from copperbench import __version__
from copperbench.evidence import Diff, Transcript, read_transcript
from copperbench.grading import Grade, GradedAssertion, effective_exit_path, grade_quarantined
from copperbench.publish import json_bytes
from copperbench.records.stats import SCHEMA_VERSION, AgentStats, LinesChanged
from copperbench.sandbox import RunFacts
from copperbench.suite import CredentialMatch, Fixture, Task, check_schema, find_credentials

NONE = "none"
MOST_FILES = 500
LONGEST_TEXT = 300
LARGEST_COUNT = 1 << 50


def build_record(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    grade: Grade,
    stats: AgentStats,
    change: LinesChanged,
    *,
    suite_version: str,
    kicad_cli_version: str | None,
    digests: Mapping[str, str],
) -> bytes:
    """The bytes of the record of one graded run (STANDARD 12).

    `task` and `fixture` are the manifests it was graded with, `suite_version` theirs; `kicad_cli_version` is what
    wrote the sealed reports, None until there are any; `digests` are those of the sealed files. A credential that
    only grading brought to light turns the record into a minimal failed one. Raises SuiteError when the record
    does not fit its schema.
    """
    stamps = _stamps(facts, task, fixture, suite_version, kicad_cli_version)
    record = _record(facts, task, fixture, grade, stats, stamps, digests, change)
    found = unknown_credentials(record, facts)
    if not found:
        return record
    quarantine = {"kind": found[0].kind, "file": "record", "digest": found[0].digest, "id": NONE}
    return _minimal_record(facts, task, fixture, stamps, digests, quarantine)


def build_quarantined_record(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    quarantine: Mapping[str, str],
    *,
    suite_version: str,
    digests: Mapping[str, str],
) -> bytes:
    """The minimal failed record of a run in whose leavings a credential was found (STANDARD 12).

    `no_secret` failed, nothing else was judged, and the run stays in the denominator: leaking a key is no way out.
    Raises SuiteError.
    """
    stamps = _stamps(facts, task, fixture, suite_version, None)
    return _minimal_record(facts, task, fixture, stamps, digests, quarantine)


def unknown_credentials(data: bytes, facts: RunFacts) -> list[CredentialMatch]:
    """The credentials in what grading made of a run, but for those that its task's manifests hold (STANDARD 12)."""
    found = find_credentials(data)
    if not found:
        return []
    manifests = (*facts.task_manifests.values(), facts.fixture_manifest)
    known = {match.digest for manifest in manifests for match in find_credentials(manifest)}
    return [match for match in found if match.digest not in known]


def agent_stats(transcript: Transcript, diff: Diff, facts: RunFacts, exit_path: str) -> AgentStats:
    """What the record says a run used: the transcript's figures, and the files that the two trees say it touched."""
    told = transcript.stats
    paths = [_legible(path) for path in diff.changes]
    more = len(paths) - MOST_FILES
    return AgentStats(
        exit_path=exit_path,
        turns_used=_believable(told.turns_used),
        max_turns=_believable(told.max_turns),
        repair_cycles_used=_believable(told.repair_cycles_used),
        max_repair_cycles=_believable(told.max_repair_cycles),
        tokens_in=_believable(told.tokens_in),
        tokens_out=_believable(told.tokens_out),
        cache_read_tokens=_believable(told.tokens_cached),
        cache_write_tokens=_believable(told.tokens_cache_write),
        files_touched=(*paths[:MOST_FILES], *([f"and {more} more"] if more > 0 else ())),
        cap_exceeded=facts.exit.cap,
    )


def lines_changed(diff: Diff) -> LinesChanged:
    """How many lines a run added and deleted, over every changed path: what surgicality is measured by (STANDARD 6)."""
    changes = [diff.lines(path) for path in diff.changes]
    return LinesChanged(sum(each.added for each in changes), sum(each.deleted for each in changes))


def run_model(facts: RunFacts) -> str:
    """The record's `run.model`: the model's id, or `harness:<name>` of an in-process run."""
    if facts.model is not None:
        return facts.model.id
    return facts.model_slug.replace("harness-", "harness:", 1)


def _minimal_record(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    stamps: Mapping[str, Any],
    digests: Mapping[str, str],
    quarantine: Mapping[str, str],
) -> bytes:
    exit_path = effective_exit_path(read_transcript(b""), facts.exit)
    grade = grade_quarantined(task, exit_path, quarantine)
    unknown = AgentStats(None, None, None, None, None, None, None, None, None, (), facts.exit.cap)
    found = {key: quarantine[key] for key in ("kind", "file", "digest", "id")}
    return _record(facts, task, fixture, grade, unknown, stamps, digests, None, found)


def _record(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    grade: Grade,
    stats: AgentStats,
    stamps: Mapping[str, Any],
    digests: Mapping[str, str],
    change: LinesChanged | None,
    quarantine: Mapping[str, str] | None = None,
) -> bytes:
    kept = facts.quarantine is None
    data = {
        "schemaVersion": SCHEMA_VERSION,
        "suiteVersion": stamps["suiteVersion"],
        "task": {
            "id": task.id,
            "tier": task.tier,
            "mode": task.mode,
            "expectedOutcome": task.expected_outcome,
            "variantOf": task.variant_of,
            "tags": list(task.tags),
        },
        "fixture": {"id": fixture.id, "sha256": fixture.sha256},
        "run": _run(facts),
        "verdict": grade.verdict,
        "partialCredit": grade.partial_credit,
        "failureCategory": grade.failure_category,
        "firstFailedRequired": grade.first_failed_required,
        "assertions": [_assertion(entry) for entry in grade.assertions],
        "comparability": dict(stamps),
        "rubric": None,
        "scoredBy": {"copperbenchVersion": __version__},
        "change": None if change is None else {"linesAdded": change.added, "linesDeleted": change.deleted},
        "quarantine": quarantine,
        "artifacts": {
            "transcriptPath": _evidence(facts, task, "transcript.jsonl") if kept else None,
            "sandboxPreserved": kept,
            "sandboxPath": _evidence(facts, task, "end-state.tar.zst") if kept else None,
            "digests": dict(digests),
        },
    }
    record = json_bytes(data | _agent_facts(facts, stats))
    check_schema("result", json.loads(record), f"record of {facts.model_slug} on {task.id}, repeat {facts.repeat}")
    return record


def _run(facts: RunFacts) -> dict[str, Any]:
    settings = ("promptVariant", "maxTurns", "maxRepairCycles", "toolSubset")
    return {
        "model": run_model(facts),
        "repeat": facts.repeat,
        "runMode": facts.run_mode,
        "llmCache": False,
        "baselineSha": facts.baseline_sha,
        "durationMs": facts.duration_ms,
        "setupSkipped": [dict(each) for each in facts.setup_skipped],
        "ablations": {name: _plain(facts.ablations.get(name)) for name in settings},
        "startedAt": facts.started_at,
        "repeatsPlanned": facts.repeats_planned,
        "campaign": facts.campaign,
        "isolation": facts.isolation,
        "harness": {
            "name": facts.harness.name,
            "version": facts.harness.version,
            "commit": facts.harness.commit,
            "quirks": list(facts.harness.quirks),
        },
    }


def _stamps(
    facts: RunFacts, task: Task, fixture: Fixture, suite_version: str, kicad_cli_version: str | None
) -> dict[str, Any]:
    """What the run was made and graded with (STANDARD 7); the machine's part comes from the seal, never from here."""
    copperhead = facts.harness.name == "copperhead"
    machine = facts.environment
    return {
        "schemaVersion": SCHEMA_VERSION,
        "suiteVersion": suite_version,
        "taskManifestHash": task.manifest_hash,
        "fixtureSha256": fixture.sha256,
        "copperheadVersion": facts.harness.version if copperhead else NONE,
        "copperheadCommit": facts.harness.commit if copperhead else None,
        "kicadCliVersion": kicad_cli_version,
        "nodeVersion": machine.get("nodeVersion") or NONE,
        "platform": machine.get("platform") or NONE,
        "harnessName": facts.harness.name,
        "pythonVersion": machine.get("pythonVersion") or NONE,
        "copperbenchVersion": machine.get("copperbenchVersion") or NONE,
    }


def _agent_facts(facts: RunFacts, stats: AgentStats) -> dict[str, Any]:
    """The parts that only an agent's record has: a harness run asked no model and cost nothing."""
    cost, model = facts.cost, facts.model
    if model is None:
        return {}
    return {
        "model": {
            "id": model.id,
            "provider": model.provider,
            "selectionSource": model.selection_source,
            "segment": model.segment,
            "pinning": model.pinning,
            "served": None if model.served is None else _legible(model.served),
        },
        "cost": {
            "usd": cost.usd if cost else None,
            "priceTableVersion": cost.table_version if cost else None,
            "reason": cost.reason if cost else "the run recorded no cost",
        },
        "stats": {_camel(name): _plain(value) for name, value in asdict(stats).items()},
    }


def _assertion(entry: GradedAssertion) -> dict[str, Any]:
    return {
        "id": entry.id,
        "type": entry.type,
        "args": _plain(entry.args),
        "source": entry.source.value,
        "status": entry.status,
        "weight": entry.weight,
        "required": entry.required,
        "detail": entry.detail,
    }


def _evidence(facts: RunFacts, task: Task, name: str) -> str:
    return f"results/{facts.campaign}/{facts.model_slug}/{task.id}/run-{facts.repeat}/{name}"


def _believable(count: int | None) -> int | None:
    """A count as the transcript has it; one that no run can reach is none."""
    return count if count is not None and count <= LARGEST_COUNT else None


def _legible(text: str) -> str:
    """Text that a run chose, short and without what JSON cannot carry: a file's name need not be Unicode."""
    shown = re.sub(r"[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[: LONGEST_TEXT - 1]}…"


def _plain(value: Any) -> Any:
    """JSON's own types of a frozen value."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
