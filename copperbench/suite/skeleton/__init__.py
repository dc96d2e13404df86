"""The skeleton of a new task about one part's value: whole, valid and proven as it is made.

An author starts from a task that works and turns it, step by step, into the task that was meant (STANDARD 1, 12).
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from typing import Any

from copperbench.suite.skeleton.edit import Edit
from copperbench.suite.skeleton.flag import Flag
from copperbench.suite.skeleton.parts import Change, DesignFile, Parts
from copperbench.suite.skeleton.refusal import Refusal
from copperbench.suite.skeleton.sync import Sync

__all__ = ["Change", "DesignFile", "skeleton"]

_WIDTH = 150
_OF_OUTCOME: Mapping[str, type[Parts]] = {"edit": Edit, "refusal": Refusal, "flag": Flag}


def skeleton(change: Change) -> Mapping[str, bytes]:
    """The files of the task, of its brief and of its solutions by path; the same change gives the same bytes."""
    kind = Sync if (change.mode, change.outcome) == ("sync", "edit") else _OF_OUTCOME[change.outcome]
    parts = kind(change)
    made = {}
    if change.mode == "create":
        parts.prompt = f"# {change.task_id}\n\nMake the next version of the board in this repository. {parts.prompt}"
        made[change.brief_path] = f"{parts.prompt}\n".encode()
    files: dict[str, Any] = {
        f"tasks/{change.task_id}/task.json": _task(change, parts),
        f"tasks/{change.task_id}/assertions.json": parts.assertions,
    }
    for name, (summary, exit_path, steps, extra) in parts.solutions.items():
        value = {"name": name, "summary": summary, "exitPath": exit_path, "steps": steps, **extra}
        files[f"solutions/{change.task_id}/{name}.json"] = value
    made |= {path: (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode() for path, value in files.items()}
    made[f"tasks/{change.task_id}/README.md"] = _readme(change, parts).encode()
    return made


def _task(change: Change, parts: Parts) -> dict[str, Any]:
    key, number = change.budget or ("", 0)
    creates = change.mode == "create"
    tag = "propagation" if change.outcome == "edit" else change.outcome
    return {
        "id": change.task_id,
        "tier": _tier(change),
        "mode": change.mode,
        "fixture": {"path": f"fixtures/{change.fixture.id}", "sha256": change.fixture.sha256},
        "setup": {"commands": ["init"], **({"seed": parts.seed} if parts.seed else {})},
        "request": {"briefPath": change.brief_path} if creates else {"prompt": parts.prompt},
        "expectedOutcome": change.outcome,
        "config": {"budgets": {key: number} if key else {}, "maxTurns": 40, "maxRepairCycles": 5},
        "caps": {"turns": 40, "wallClockSec": 1200},
        "tags": [tag] if change.mode == "do" else [tag, change.mode],
    }


def _tier(change: Change) -> str:
    return "medium" if change.budget else "simple"


def _sum(change: Change) -> str:
    """What the author is to work out."""
    assert change.budget is not None, "without a budget there is nothing to work out"
    budget = f"`{change.budget[0]}` ({change.budget[1]:g})"
    if change.outcome == "edit":
        return f"show with numbers why {change.value} keeps {budget} and {change.wrong} is wrong."
    return f"show with numbers why {change.was if change.outcome == 'flag' else change.value} breaks {budget}."


def _readme(change: Change, parts: Parts) -> str:
    order = [each["id"] for each in parts.assertions]
    rows = "".join(
        f"| `{name}` | {told} | {', '.join(f'`{each}`' for each in sorted(caught, key=order.index))} |\n"
        for name, told in parts.told.items()
        for caught in [parts.solutions[name][3]["caughtBy"]]
    )
    arithmetic = f"## The arithmetic\n\nFor the author: {_sum(change)}\n\n" if change.budget else ""
    implied = parts.solutions["gold"][3]["impliedBy"]
    follows = "".join(
        f"- `{each}` follows from `{by}` and stays to name what happened.\n" for each, by in implied.items()
    )
    bounds = "".join(textwrap.fill(f"- {each}", _WIDTH, subsequent_indent="  ") + "\n" for each in parts.bounds)
    brief = f"; a brief (`{change.brief_path}`)" if change.mode == "create" else ""
    quoted = textwrap.fill(" ".join(parts.prompt.split()), _WIDTH, initial_indent="> ", subsequent_indent="> ")
    return (
        f"# {change.task_id}\n\n*{_tier(change)}, {change.outcome}, on {change.fixture.id}{brief}*\n\n{quoted}\n\n"
        "## What it tests\n\n"
        f"For the author: what an agent has to understand here, and which trap the task exists for.\n\n{arithmetic}"
        f"## The traps\n\n| trap | what was done | caught by |\n|---|---|---|\n{rows}\n## Bounds\n\n{bounds}{follows}"
    )
