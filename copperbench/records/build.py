"""Building a record: everything from the seal and its grade, nothing from the machine or the day (STANDARD 12)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from copperbench import __version__
from copperbench.grading import Grade, GradedAssertion
from copperbench.publish import json_bytes
from copperbench.records.models import SCHEMA_VERSION, RunStats
from copperbench.sandbox import RunFacts
from copperbench.suite import AssertionSpec, Fixture, Task, check_schema, find_credentials

NONE = "none"
QUARANTINED = "not graded: the run's evidence holds a credential and is quarantined"
CONSTRAINT_VIOLATION = "constraint-violation"


def build_record(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    grade: Grade,
    stats: RunStats,
    *,
    suite_version: str,
    kicad_cli_version: str | None,
    digests: Mapping[str, str],
) -> bytes:
    """The bytes of the record of one graded run (STANDARD 12; contracts of the record's fields).

    `task` and `fixture` are the manifests it was graded with, `suite_version` theirs; `kicad_cli_version` is what
    wrote the sealed reports, None until there are any; `digests` are those of the sealed files. A credential that
    only grading brought to light turns the record into a minimal failed one. Raises SuiteError when the record
    does not fit its schema.
    """
    stamps = _stamps(facts, task, fixture, suite_version, kicad_cli_version)
    data = _common(facts, task, fixture, stamps, digests) | {
        "verdict": grade.verdict,
        "partialCredit": grade.partial_credit,
        "failureCategory": grade.failure_category,
        "firstFailedRequired": grade.first_failed_required,
        "assertions": [_assertion(entry) for entry in grade.assertions],
        "quarantine": None,
    }
    record = _checked(_with_agent_facts(data, facts, stats), facts)
    found = find_credentials(record)
    if not found:
        return record
    quarantine = {"kind": found[0].kind, "file": "record", "digest": found[0].digest, "id": NONE}
    return _quarantined(facts, task, fixture, stamps, digests, quarantine)


def build_quarantined_record(
    facts: RunFacts, task: Task, fixture: Fixture, *, suite_version: str, digests: Mapping[str, str]
) -> bytes:
    """The minimal failed record of a run whose evidence was quarantined when it was sealed (STANDARD 12).

    `no_secret` failed, nothing else was judged, and the run stays in the denominator. Raises SuiteError.
    """
    assert facts.quarantine is not None, "only quarantined runs have this record"
    stamps = _stamps(facts, task, fixture, suite_version, None)
    return _quarantined(facts, task, fixture, stamps, digests, facts.quarantine)


def _quarantined(
    facts: RunFacts,
    task: Task,
    fixture: Fixture,
    stamps: Mapping[str, Any],
    digests: Mapping[str, str],
    quarantine: Mapping[str, str],
) -> bytes:
    detail = f"{quarantine['kind']} in {quarantine['file']}"
    guard = next((spec.id for spec in task.assertions if spec.type == "no_secret"), None)
    assertions = [_unjudged(spec, detail) for spec in task.assertions]
    if guard is None:
        guard = _free_id(spec.id for spec in task.assertions)
        assertions.append(_unjudged(AssertionSpec(guard, "no_secret", {}, 1.0, required=True), detail))
    data = _common(facts, task, fixture, stamps, digests) | {
        "verdict": "fail",
        "partialCredit": 0.0,
        "failureCategory": CONSTRAINT_VIOLATION,
        "firstFailedRequired": guard,
        "assertions": assertions,
        "quarantine": {key: quarantine[key] for key in ("kind", "file", "digest", "id")},
    }
    unknown = RunStats(None, None, None, None, None, None, None, None, None, (), facts.exit.cap)
    return _checked(_with_agent_facts(data, facts, unknown), facts)


def _checked(data: Mapping[str, Any], facts: RunFacts) -> bytes:
    record = json_bytes(data)
    check_schema("result", json.loads(record), f"record of {facts.model_slug}, repeat {facts.repeat}")
    return record


def _common(
    facts: RunFacts, task: Task, fixture: Fixture, stamps: Mapping[str, Any], digests: Mapping[str, str]
) -> dict[str, Any]:
    kept = facts.quarantine is None
    return {
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
        "comparability": dict(stamps),
        "rubric": None,
        "scoredBy": {"copperbenchVersion": __version__},
        "artifacts": {
            "transcriptPath": _evidence(facts, task, "transcript.jsonl") if kept else None,
            "sandboxPreserved": kept,
            "sandboxPath": _evidence(facts, task, "end-state.tar.zst") if kept else None,
            "digests": dict(digests),
        },
    }


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


def run_model(facts: RunFacts) -> str:
    """The record's `run.model`: the model's id, or `harness:<name>` of an in-process run."""
    if facts.model is not None:
        return facts.model.id
    return facts.model_slug.replace("harness-", "harness:", 1)


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


def _with_agent_facts(data: Mapping[str, Any], facts: RunFacts, stats: RunStats) -> Mapping[str, Any]:
    if facts.model is None:
        return data
    cost, model = facts.cost, facts.model
    return {
        **data,
        "model": {
            "id": model.id,
            "provider": model.provider,
            "selectionSource": model.selection_source,
            "segment": model.segment,
            "pinning": model.pinning,
            "served": model.served,
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


def _unjudged(spec: AssertionSpec, found: str) -> dict[str, Any]:
    from copperbench.grading import HANDLERS

    guard = spec.type == "no_secret"
    return {
        "id": spec.id,
        "type": spec.type,
        "args": _plain(spec.args),
        "source": HANDLERS[spec.type].source.value,
        "status": "fail" if guard else "unevaluable",
        "weight": spec.weight,
        "required": spec.required,
        "detail": found if guard else QUARANTINED,
    }


def _free_id(taken: Iterable[str]) -> str:
    used = set(taken)
    name = "no-secret"
    while name in used:
        name += "-found"
    return name


def _evidence(facts: RunFacts, task: Task, name: str) -> str:
    return f"results/{facts.campaign}/{facts.model_slug}/{task.id}/run-{facts.repeat}/{name}"


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
