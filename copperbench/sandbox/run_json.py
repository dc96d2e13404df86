"""`run.json`: the facts of a sealed run as JSON, and back (schema/run.schema.json)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copperbench.errors import SealBroken, SuiteError
from copperbench.publish import SELF_DIGEST, is_whole, self_sealed
from copperbench.sandbox.models import CostStamp, ExitFacts, HarnessStamp, ModelStamp, RunFacts
from copperbench.suite import check_schema, parse_json

FORMAT = 1
_REMEDY = "restore the file from where it was published"


def run_json(facts: RunFacts) -> bytes:
    """The bytes of `run.json` for these facts, its own digest among them (STANDARD 3)."""
    return self_sealed(
        {
            "format": FORMAT,
            "modelSlug": facts.model_slug,
            "runMode": facts.run_mode,
            "repeat": facts.repeat,
            "repeatsPlanned": facts.repeats_planned,
            "campaign": facts.campaign,
            "harness": {
                "name": facts.harness.name,
                "version": facts.harness.version,
                "commit": facts.harness.commit,
                "quirks": list(facts.harness.quirks),
                "solutionSha256": facts.harness.solution_sha256,
            },
            "model": None if facts.model is None else _model_json(facts.model),
            "startedAt": facts.started_at,
            "durationMs": facts.duration_ms,
            "exit": {
                "code": facts.exit.code,
                "signal": facts.exit.signal,
                "cap": facts.exit.cap,
                "tampered": facts.exit.tampered,
            },
            "caps": dict(facts.caps),
            "ablations": dict(facts.ablations),
            "llmCache": False,
            "baselineSha": facts.baseline_sha,
            "setupSkipped": [dict(each) for each in facts.setup_skipped],
            "environment": dict(facts.environment),
            "cost": None if facts.cost is None else _cost_json(facts.cost),
            "isolation": facts.isolation,
            "suiteVersion": facts.suite_version,
            "runRelevantHash": facts.run_relevant_hash,
            "taskManifests": [{"path": path, "text": _text(data)} for path, data in facts.task_manifests.items()],
            "fixtureManifest": _text(facts.fixture_manifest),
            "files": dict(facts.files),
            "quarantine": None if facts.quarantine is None else dict(facts.quarantine),
        }
    )


def parse_run(data: bytes, where: str) -> RunFacts:
    """The facts in the bytes of a `run.json`. Raises SealBroken when they changed or do not fit its schema."""
    try:
        value = parse_json(data, where)
        if isinstance(value, dict) and SELF_DIGEST in value and not is_whole(data, value):
            raise SealBroken(where, "has changed since it was sealed (its own digest is another)", _REMEDY)
        check_schema("run", value, where)
    except SuiteError as error:
        raise SealBroken(error.where, error.what, _REMEDY) from error
    model, cost = value["model"], value["cost"]
    return RunFacts(
        model_slug=value["modelSlug"],
        run_mode=value["runMode"],
        repeat=value["repeat"],
        repeats_planned=value["repeatsPlanned"],
        campaign=value["campaign"],
        harness=_harness(value["harness"]),
        model=None if model is None else _model(model),
        started_at=value["startedAt"],
        duration_ms=value["durationMs"],
        exit=ExitFacts(**value["exit"]),
        caps=value["caps"],
        ablations=value["ablations"],
        baseline_sha=value["baselineSha"],
        setup_skipped=tuple(value["setupSkipped"]),
        environment=value["environment"],
        cost=None if cost is None else CostStamp(cost["usd"], cost["tableVersion"], cost["reason"]),
        isolation=value["isolation"],
        suite_version=value["suiteVersion"],
        run_relevant_hash=value["runRelevantHash"],
        task_manifests={each["path"]: each["text"].encode() for each in value["taskManifests"]},
        fixture_manifest=value["fixtureManifest"].encode(),
        files=value["files"],
        quarantine=value["quarantine"],
    )


def _model_json(model: ModelStamp) -> dict[str, Any]:
    return {
        "id": model.id,
        "provider": model.provider,
        "selectionSource": model.selection_source,
        "segment": model.segment,
        "pinning": model.pinning,
        "served": model.served,
    }


def _model(value: Mapping[str, Any]) -> ModelStamp:
    return ModelStamp(
        id=value["id"],
        provider=value["provider"],
        selection_source=value["selectionSource"],
        segment=value["segment"],
        pinning=value["pinning"],
        served=value["served"],
    )


def _harness(value: Mapping[str, Any]) -> HarnessStamp:
    return HarnessStamp(
        name=value["name"],
        version=value["version"],
        commit=value["commit"],
        quirks=tuple(value["quirks"]),
        solution_sha256=value["solutionSha256"],
    )


def _cost_json(cost: CostStamp) -> dict[str, Any]:
    return {"usd": cost.usd, "tableVersion": cost.table_version, "reason": cost.reason}


def _text(data: bytes) -> str:
    """A manifest's bytes as text: the suite reads UTF-8 only, so nothing is lost."""
    return data.decode("utf-8")
