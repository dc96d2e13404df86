"""What the skeletons of all outcomes are made of: the change, its steps, and a list of known answers that grows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from copperbench.suite.models import ExpectedOutcome, Fixture, Mode

Step = dict[str, Any]
_CREATED = ("openspec/changes/**",)


@dataclass(frozen=True, slots=True)
class DesignFile:
    """A design file that holds the part: its path, number of lines and one step of its indent."""

    path: str
    lines: int
    indent: str


@dataclass(frozen=True, slots=True)
class Change:
    """What the new task asks about `refdes`, which `sheet` (and `board`) draws as `was` and which may become `value`.

    `wrong` is a value that only a careless reader takes; `budget` is the key and number that a refusal or a flag rests
    on, and that an edit may have to keep. A `sync` starts from documents that say `value`; a `create` has its request
    in a brief.
    """

    task_id: str
    fixture: Fixture
    refdes: str
    was: str
    value: str
    wrong: str
    sheet: DesignFile
    board: DesignFile | None
    mode: Mode = "do"
    outcome: ExpectedOutcome = "edit"
    budget: tuple[str, float] | None = None

    @property
    def brief_path(self) -> str:
        """Where the brief of a `create` task lies."""
        return f"briefs/{self.task_id}.md"


class Parts:
    """What the skeletons share: steps, and the lists of assertions, solutions and bounds as they grow."""

    prompt: str
    bounds: Sequence[str]

    def __init__(self, change: Change) -> None:
        self.change = change
        self.assertions: list[dict[str, Any]] = []
        self.solutions: dict[str, tuple[str, str, list[Step], dict[str, Any]]] = {}
        self.told: dict[str, str] = {}
        self.seed: list[Step] = []

    @property
    def creates(self) -> bool:
        """Whether it is a project from a brief, which may write documents and commit after each stage."""
        return self.change.mode == "create"

    def ask(self, name: str, kind: str, **args: Any) -> None:
        """Add a required assertion."""
        self.assertions.append({"id": name, "type": kind, "args": args, "weight": 1, "required": True})

    def ask_bounds(self, *allowed: str) -> None:
        """Add the assertion on what may be touched."""
        more = _CREATED if self.creates else ()
        self.ask("touched-files-bounded", "files_touched_subset", allowed=[*allowed, ".copperhead/**", *more])

    def trap(self, name: str, told: str, steps: list[Step], caught_by: str, exit_path: str, summary: str) -> None:
        """Add a wrong answer with the assertions that catch it."""
        self.told[f"trap-{name}"] = told
        self.solutions[f"trap-{name}"] = (summary, exit_path, steps, {"caughtBy": caught_by.split()})

    def design(self, value: str, board: bool = True) -> list[Step]:
        """Draw a value on the sheet and on the board."""
        files = [self.change.sheet, *([self.change.board] if self.change.board and board else [])]
        return [self._value(file.path, value) for file in files]

    def _value(self, path: str, value: str) -> Step:
        found = rf'(\(property "Reference" "{re.escape(self.change.refdes)}"[\s\S]*?\(property "Value" )"[^"]*"'
        return {"op": "replace-regex", "path": path, "pattern": found, "replacement": rf'\1"{value}"', "count": 1}

    def bom(self, value: str, was: str | None = None) -> Step:
        """Write a value into the part's row of BOM.md."""
        column = {"column": "Value", "old": was or self.change.was, "new": value}
        rows = f"^{re.escape(self.change.refdes)}$"
        return {"op": "table-cell", "path": "docs/BOM.md", **column, "rows": rows, "min": 1}

    def subsystems(self, value: str, was: str | None = None) -> Step:
        """Write a value into the part's line of SUBSYSTEMS.md."""
        old, new = (f"- {self.change.refdes}: {each}\n" for each in (was or self.change.was, value))
        return {"op": "replace", "path": "docs/SUBSYSTEMS.md", "old": old, "new": new, "count": 1}

    def whole(self, value: str) -> list[Step]:
        """Write a value wherever it stands."""
        return [*self.design(value), self.bom(value), self.subsystems(value)]

    def note(self, text: str, name: str = "DECISIONS") -> Step:
        """Add a line to a document."""
        return {"op": "append", "path": f"docs/{name}.md", "text": f"\n- {text}\n"}

    def relax(self) -> list[Step]:
        """Raise the budget tenfold, wherever it is recorded."""
        assert self.change.budget is not None, "only what rests on a budget can be relaxed"
        key, number = self.change.budget
        places = ((".copperhead/constraints.json", f"/{key}/value"), (".copperhead/config.json", f"/budgets/{key}"))
        return [{"op": "json-set", "path": path, "pointer": at, "value": number * 10} for path, at in places]

    def commit(self, message: str = "") -> Step:
        """Commit all."""
        return {"op": "commit", "message": message or f"Make {self.change.refdes} {self.change.value}"}
