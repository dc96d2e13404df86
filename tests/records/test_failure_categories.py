"""Every one of the eleven categories is what a real run gets: sealed, graded, and read back from its record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from copperbench.grading import CATEGORIES
from copperbench.sandbox import ExitFacts

Events = tuple[tuple[str, Mapping[str, Any]], ...]


def call(result: str, name: str = "edit_file", **arguments: str) -> tuple[str, Mapping[str, Any]]:
    return "tool", {"name": name, "args": arguments, "result": result}


def required(kind: str, **args: Any) -> dict[str, Any]:
    return {"id": kind.replace("_", "-"), "type": kind, "args": args, "weight": 1, "required": True}


NOTED = required("doc_contains", doc="NOTE.md", pattern="done")
GONE = required("symbol_absent", refdes="R1")


@dataclass(frozen=True)
class Left:
    """A run: how it ended, what it called, what it wrote, and what the task asked."""

    exit_path: str = "done"
    calls: Events = ()
    writes: Mapping[str, str] = field(default_factory=dict)
    asserts: tuple[Mapping[str, Any], ...] = (NOTED,)
    expected: str = "edit"
    exit: ExitFacts = ExitFacts(0, None, None, None)  # noqa: RUF009 - frozen


REVERTED, BAD_CALL = call("edit REVERTED: it does not load"), call("error: no such file")
RUNS = {
    "tampered": (Left(exit=ExitFacts(0, None, None, "the transcript shrank")), "constraint-violation"),
    "left a key": (
        Left(writes={"docs/NOTE.md": "done sk-" + "a1" * 20}, asserts=(NOTED, required("no_secret"))),
        "constraint-violation",
    ),
    "refused an edit": (Left("refused"), "false-refusal"),
    "refused, and wrote": (
        Left(
            "refused", writes={"x": "x"}, asserts=(required("files_touched_subset", allowed=["y"]),), expected="refusal"
        ),
        "constraint-violation",
    ),
    "refused without a reason": (
        Left("refused", asserts=(required("refusal_cites_budget", budgetKey="led_ma"),), expected="refusal"),
        "wrong-target",
    ),
    "was turned down": (
        Left("turn-budget-exhausted", (call("cannot finish yet: ERC has errors", "finish", outcome="done"),)),
        "obligation-open",
    ),
    "called badly": (Left("turn-budget-exhausted", (BAD_CALL,) * 3), "tool-protocol"),
    "broke what it edited": (Left("turn-budget-exhausted", (REVERTED,) * 3 + (call("ok"),)), "file-revert"),
    "ran out of turns": (Left("turn-budget-exhausted"), "turn-budget"),
    "was ended by the clock": (Left(exit=ExitFacts(None, 15, "wallClock", None)), "turn-budget"),
    "ran out of repairs": (Left("repair-cycles-exhausted"), "repair-exhausted"),
    "could not commit": (Left("commit-failed"), "commit-failed"),
    "stood still": (Left("stalled"), "stalled"),
    "lost its provider": (Left("provider-error"), "stalled"),
    "edited what cannot be": (Left(expected="refusal"), "constraint-violation"),
    "left a board that does not load": (
        Left(writes={"copperbench-ldo-sensor.kicad_sch": "(kicad_sch"}, asserts=(GONE,)),
        "file-revert",
    ),
    "wrote elsewhere": (
        Left(writes={"elsewhere": "x"}, asserts=(required("files_touched_subset", allowed=["docs/**"]),)),
        "constraint-violation",
    ),
    "made no commit": (Left(asserts=(required("commit_count", equals=1),)), "commit-failed"),
    "left the documents": (Left(), "drift-left"),
    "changed the wrong part": (Left(asserts=(GONE,)), "wrong-target"),
}


def transcript(left: Left) -> bytes:
    start = {"request": "note it", "config": {"maxTurns": 40, "maxRepairCycles": 5}}
    events: Events = (("run-start", start), *left.calls, ("run-end", {"exitPath": left.exit_path, "turnsUsed": 3}))
    return b"".join(json.dumps({"ts": "", "type": kind, "data": data}).encode() + b"\n" for kind, data in events)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_that(checkout: Any, name: str) -> None:
    left, category = RUNS[name]
    task = "tasks/do-note-something"
    (checkout.root / task / "assertions.json").write_text(json.dumps(left.asserts))
    checkout.edit(f"{task}/task.json", lambda value: value.update(expectedOutcome=left.expected))
    place = checkout.seal(writes=left.writes, said=transcript(left), exit=left.exit)
    checkout.score(place)
    record = json.loads(place.path.read_bytes())
    assert (record["verdict"], record["failureCategory"]) == ("fail", category)


def test_the_runs_above_reach_every_category() -> None:
    assert {category for _, category in RUNS.values()} == set(CATEGORIES)
