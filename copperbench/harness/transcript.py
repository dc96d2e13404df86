"""Transcripts of in-process runs: the events an agent harness writes, with ids and times that never vary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from copperbench.suite import Fixture, Task

STARTED = datetime(2026, 1, 1, tzinfo=UTC)
RUN_ID = "2026-01-01T00-00-00-000Z"
PROVIDER = "in-process"
CALL_ID = "call_0_0"
_FINISH_RESULTS = {"done": "all gates satisfied; run will commit", "refused": "refusal recorded; run will end"}


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a transcript: its type and its data (STANDARD 3)."""

    type: str
    data: Mapping[str, Any]


def transcript_bytes(events: Sequence[Event]) -> bytes:
    """The transcript as JSON lines; the n-th event is n seconds after a fixed start, so that bytes repeat exactly."""
    lines = (
        json.dumps({"ts": _stamp(number), "type": event.type, "data": event.data}, separators=(",", ":"), default=dict)
        for number, event in enumerate(events)
    )
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def run_start(task: Task, fixture: Fixture, model: str, baseline_sha: str) -> Event:
    """The opening event: the request and the settings; nothing of the machine, whose fields are null."""
    data = {
        "request": task.prompt or f"create from {task.brief_path}",
        "model": model,
        "provider": PROVIDER,
        "modelSource": None,
        "runId": RUN_ID,
        "startedAt": _stamp(0),
        "command": task.mode,
        "interactive": False,
        "stage": None,
        "brief": None,
        "versions": dict.fromkeys(("copperhead", "installPath", "kicadCli", "node", "platform")),
        "config": {
            "schematic": fixture.schematic,
            "board": fixture.board,
            "docs": "docs/",
            "maxTurns": task.config.max_turns,
            "maxRepairCycles": task.config.max_repair_cycles,
            "budgets": dict(task.config.budgets),
        },
        "git": {
            "commit": baseline_sha,
            "branch": "main",
            "dirty": False,
            "uncommittedFiles": 0,
            "preCommitHookInstalled": False,
        },
        "openConstraints": len(task.config.budgets),
        "priorRuns": 0,
    }
    return Event("run-start", data)


def finish(exit_path: str, summary: str) -> tuple[Event, ...]:
    """The model's last turn: its finish call and the harness's answer, or mere words where it never called finish."""
    if exit_path not in _FINISH_RESULTS:
        return (Event("assistant", {"text": summary, "toolCalls": []}),)
    args = {"outcome": "refuse" if exit_path == "refused" else "done", "summary": summary}
    call = {"id": CALL_ID, "name": "finish", "args": args}
    return (
        Event("assistant", {"text": None, "toolCalls": [call]}),
        Event("tool", {"name": "finish", "args": args, "result": _FINISH_RESULTS[exit_path]}),
    )


def conclusion(exit_path: str, summary: str, commit: str | None, files: Sequence[str]) -> tuple[Event, ...]:
    """How the harness records the outcome; a `done` without a commit leaves nothing to record."""
    if exit_path == "refused":
        return (Event("run-refused", {"summary": summary}),)
    if exit_path != "done":
        return (Event("run-failed", {"reason": summary, "exitPath": exit_path}),)
    return (Event("run-committed", {"commit": commit, "files": list(files)}),) if commit else ()


def run_end(task: Task, exit_path: str, turns: int) -> Event:
    """The closing event. An in-process run has no tokens and, for the transcript, takes no time."""
    data = {
        "exitPath": exit_path,
        "turnsUsed": turns,
        "maxTurns": task.config.max_turns,
        "repairCyclesUsed": 0,
        "maxRepairCycles": task.config.max_repair_cycles,
        "tokensIn": 0,
        "tokensOut": 0,
        "perTurn": [{"turn": number, "in": 0, "out": 0} for number in range(1, turns + 1)],
        "durationMs": 0,
    }
    return Event("run-end", data)


def _stamp(number: int) -> str:
    return (STARTED + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
