"""The data of run-start and run-end: the contract's fields, and what it leaves out but a reader wants (STANDARD 3)."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from copperbench import __version__
from copperbench.agent.main import HARNESS_NAME
from copperbench.agent.provider import Reply
from copperbench.agent.repository import GitState
from copperbench.agent.session import Session
from copperbench.agent.settings import Order
from copperbench.agent.transcript import TranscriptWriter, stamp
from copperbench.errors import CopperbenchError


def run_start(
    order: Order, session: Session, state: GitState, transcript: TranscriptWriter, started: datetime
) -> Mapping[str, Any]:
    """What a run begins with. `served` is not known yet: run-end has it."""
    settings = session.design.settings
    return {
        "request": order.request,
        "model": order.model.asked,
        "provider": order.model.provider,
        "modelSource": order.model.source,
        "runId": transcript.run_id,
        "startedAt": stamp(started),
        "command": order.command,
        "interactive": False,
        "stage": dict(zip(("name", "index", "total"), order.stage, strict=True)) if order.stage else None,
        "brief": dict(zip(("path", "sha256"), order.brief, strict=True)) if order.brief else None,
        "versions": _versions(session),
        "config": {
            "schematic": settings.schematic,
            "board": settings.board,
            "docs": f"{settings.docs}/",
            "maxTurns": order.max_turns,
            "maxRepairCycles": order.max_repair_cycles,
            "budgets": dict(settings.budgets),
        },
        "git": {
            "commit": state.commit,
            "branch": state.branch,
            "dirty": bool(state.uncommitted),
            "uncommittedFiles": len(state.uncommitted),
            "preCommitHookInstalled": state.pre_commit_hook,
        },
        "openConstraints": _constraints(session),
        "priorRuns": transcript.prior_runs,
        **_beyond_the_contract(order),
    }


def run_end(
    order: Order, session: Session, replies: Sequence[Reply], exit_path: str | None, seconds: Mapping[str, float]
) -> Mapping[str, Any]:
    """What a run ends with; `seconds` are those of the `run`, in requests to the `model` and in `kicad`: the rest
    is the harness's own.

    Token counts are null where the endpoint did not report them for every turn: 0 would be a claim.
    """
    usages = [reply.usage for reply in replies]
    known = [usage for usage in usages if usage is not None]
    complete = len(known) == len(usages)
    return {
        "exitPath": exit_path,
        "turnsUsed": len(replies),
        "maxTurns": order.max_turns,
        "repairCyclesUsed": session.gates.repair_cycles,
        "maxRepairCycles": order.max_repair_cycles,
        "tokensIn": sum(usage.tokens_in for usage in known) if complete else None,
        "tokensOut": sum(usage.tokens_out for usage in known) if complete else None,
        "perTurn": [_turn(number, reply) for number, reply in enumerate(replies, start=1)],
        "durationMs": round(seconds["run"] * 1000),
        "tokensCached": _sum(usage.cached for usage in known),
        "tokensCacheWrite": _sum(usage.written for usage in known),
        "served": list(dict.fromkeys(reply.served for reply in replies if reply.served is not None)),
        "modelMs": round(seconds["model"] * 1000),
        "kicadMs": round(seconds["kicad"] * 1000),
    }


def _versions(session: Session) -> Mapping[str, Any]:
    cli = session.checks.cli
    return {
        "copperhead": None,
        HARNESS_NAME: __version__,
        "installPath": None,
        "kicadCli": cli.version if cli else None,
        "node": None,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
    }


def _beyond_the_contract(order: Order) -> Mapping[str, Any]:
    return {
        "harness": HARNESS_NAME,
        "served": None,
        "llmCache": False,
        "dryRun": order.dry_run,
        "allowDirty": order.allow_dirty,
        "maxTokensPerTurn": order.max_tokens,
        "turnTimeoutMs": round(order.turn_timeout_s * 1000),
        "ablations": {
            "promptVariant": order.ablations.prompt_variant,
            "tools": None if order.ablations.tools is None else list(order.ablations.tools),
            "maxRepairCycles": order.ablations.max_repair_cycles,
        },
    }


def _turn(number: int, reply: Reply) -> Mapping[str, Any]:
    usage = reply.usage
    counts = dict.fromkeys(("in", "out", "cached", "cacheWrite")) if usage is None else usage.as_counts()
    return {"turn": number, **counts, "served": reply.served}


def _sum(values: Iterable[int | None]) -> int | None:
    """The sum of what is known; None where nothing is."""
    found = [value for value in values if value is not None]
    return sum(found) if found else None


def _constraints(session: Session) -> int | None:
    try:
        return len(session.design.constraints())
    except CopperbenchError:
        return None
