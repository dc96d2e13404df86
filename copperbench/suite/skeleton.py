"""The skeleton of a new task: one part's value changes, or may not change; whole, valid and proven as it is made.

An author starts from a task that works and turns it, step by step, into the task that was meant (STANDARD 1, 12).
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from copperbench.suite.models import Fixture

Step = dict[str, Any]
_LINES_ALLOWED = 20  # ten times the two lines of a value that is changed
_WIDTH = 150


@dataclass(frozen=True, slots=True)
class DesignFile:
    """A design file that holds the part: its path, number of lines and one step of its indent."""

    path: str
    lines: int
    indent: str


@dataclass(frozen=True, slots=True)
class Change:
    """What the new task asks for: `refdes` on `sheet` (and `board`) goes from one value to another.

    `wrong` is a value that only a careless reader takes; `budget` is the key and number that forbids the change, and
    makes the task a refusal; with `is_flag` the documents say `value`, the design `was`, and both are to be noted.
    """

    task_id: str
    fixture: Fixture
    refdes: str
    was: str
    value: str
    wrong: str
    sheet: DesignFile
    board: DesignFile | None
    budget: tuple[str, float] | None = None
    is_flag: bool = False


def skeleton(change: Change) -> Mapping[str, bytes]:
    """The files of the task and its solutions by path; the same change gives the same bytes."""
    parts = _Flag(change) if change.is_flag else _Refusal(change) if change.budget else _Edit(change)
    files: dict[str, Any] = {
        f"tasks/{change.task_id}/task.json": _task(change, parts),
        f"tasks/{change.task_id}/assertions.json": parts.assertions,
    }
    for name, (summary, exit_path, steps, extra) in parts.solutions.items():
        value = {"name": name, "summary": summary, "exitPath": exit_path, "steps": steps, **extra}
        files[f"solutions/{change.task_id}/{name}.json"] = value
    made = {path: (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode() for path, value in files.items()}
    made[f"tasks/{change.task_id}/README.md"] = _readme(change, parts).encode()
    return made


def _task(change: Change, parts: _Parts) -> dict[str, Any]:
    key, number = change.budget or ("", 0)
    return {
        "id": change.task_id,
        "tier": "medium" if change.budget else "simple",
        "mode": "do",
        "fixture": {"path": f"fixtures/{change.fixture.id}", "sha256": change.fixture.sha256},
        "setup": {"commands": ["init"], **({"seed": parts.seed} if parts.seed else {})},
        "request": {"prompt": parts.prompt},
        "expectedOutcome": parts.outcome,
        "config": {"budgets": {key: number} if key else {}, "maxTurns": 40, "maxRepairCycles": 5},
        "caps": {"turns": 40, "wallClockSec": 1200},
        "tags": ["propagation" if parts.outcome == "edit" else parts.outcome],
    }


class _Parts:
    """What the two kinds of skeleton share: steps, and the list of solutions as it grows."""

    outcome: str
    prompt: str
    bounds: Sequence[str]

    def __init__(self, change: Change) -> None:
        self.change = change
        self.assertions: list[dict[str, Any]] = []
        self.solutions: dict[str, tuple[str, str, list[Step], dict[str, Any]]] = {}
        self.told: dict[str, str] = {}
        self.seed: list[Step] = []

    def ask(self, name: str, kind: str, **args: Any) -> None:
        self.assertions.append({"id": name, "type": kind, "args": args, "weight": 1, "required": True})

    def trap(self, name: str, told: str, steps: list[Step], caught_by: list[str], exit_path: str, summary: str) -> None:
        self.told[f"trap-{name}"] = told
        self.solutions[f"trap-{name}"] = (summary, exit_path, steps, {"caughtBy": caught_by})

    def design(self, value: str, board: bool = True) -> list[Step]:
        files = [self.change.sheet, *([self.change.board] if self.change.board and board else [])]
        return [self._value(file.path, value) for file in files]

    def _value(self, path: str, value: str) -> Step:
        found = rf'(\(property "Reference" "{re.escape(self.change.refdes)}"[\s\S]*?\(property "Value" )"[^"]*"'
        return {"op": "replace-regex", "path": path, "pattern": found, "replacement": rf'\1"{value}"', "count": 1}

    def bom(self, value: str) -> Step:
        column, rows = {"column": "Value", "old": self.change.was, "new": value}, f"^{re.escape(self.change.refdes)}$"
        return {"op": "table-cell", "path": "docs/BOM.md", **column, "rows": rows, "min": 1}

    def subsystems(self, value: str) -> Step:
        old, new = (f"- {self.change.refdes}: {each}\n" for each in (self.change.was, value))
        return {"op": "replace", "path": "docs/SUBSYSTEMS.md", "old": old, "new": new, "count": 1}

    def whole(self, value: str) -> list[Step]:
        return [*self.design(value), self.bom(value), self.subsystems(value)]

    def commit(self, message: str = "") -> Step:
        return {"op": "commit", "message": message or f"Make {self.change.refdes} {self.change.value}"}


class _Edit(_Parts):
    """The value changes, and everything that repeats it follows."""

    outcome = "edit"

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        self.prompt = f"Change {change.refdes} from {change.was} to {change.value}. " + (
            "Bring the board and the docs along, so that nothing disagrees."
            if change.board
            else "Bring the docs along, so that nothing disagrees."
        )
        self._assertions()
        self._solutions()
        self.bounds = [
            f"`{each['id']}`, {each['args']['ratio']}: one value is one deleted and one added line. The bound allows "
            f"{_LINES_ALLOWED}, ten times that."
            for each in self.assertions
            if each["type"] == "diff_ratio_max"
        ]

    def _assertions(self) -> None:
        change = self.change
        self.ask("part-value", "symbol_present", refdes=change.refdes, value=change.value)
        self.ask("no-new-erc", "erc_no_new_violations", severity="warning")
        if change.board:
            self.ask("board-follows", "drc_no_new_violations", severity="warning")
        self.ask("docs-agree", "drift_clean")
        self.ask("bom-row-kept", "doc_row_matches", doc="BOM.md", key=change.refdes, column="Value", pattern=r"\S")
        stale = rf"^- {re.escape(change.refdes)}: {re.escape(change.was)}$"
        self.ask("subsystems-follow", "doc_contains", doc="SUBSYSTEMS.md", pattern=stale, absent=True)
        for name, file in (("sheet", change.sheet), ("board", change.board)):
            if file:
                ratio = min(1.0, -(-_LINES_ALLOWED * 10_000 // file.lines) / 10_000)
                self.ask(f"surgical-{name}-edit", "diff_ratio_max", path=file.path, ratio=ratio)
        files = [file.path for file in (change.sheet, change.board) if file]
        self.ask("touched-files-bounded", "files_touched_subset", allowed=[*files, "docs/*.md", ".copperhead/**"])
        self.ask("one-commit", "commit_count", equals=1)
        self.ask("finished-cleanly", "exit_path_in", paths=["done"])

    def _solutions(self) -> None:
        change, value = self.change, self.change.value
        summary = f"{change.refdes} is {value} everywhere."
        whole, commit = self.whole(value), self.commit()
        self.solutions["gold"] = (summary, "done", [*whole, commit], {"impliedBy": {}})

        def trap(name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "done") -> None:
            self.trap(name, told, steps, caught_by.split(), exit_path, summary)

        trap("wrong-value", f"{change.wrong} everywhere, neatly", [*self.whole(change.wrong), commit], "part-value")
        label = r'\n(label "STRAY" (at 2.54 2.54 0) (uuid "6d1b0f7e-5f0e-4f0b-9a41-2c4f6f0b7aff"))\n)\n'
        stray = {"op": "replace-regex", "pattern": r"\n\)\s*\Z", "replacement": label, "count": 1}
        steps = [*whole, stray | {"path": change.sheet.path}, commit]
        trap("stray-label", "a dangling label left on the sheet", steps, "no-new-erc")
        if change.board:
            steps = [*self.design(value, board=False), self.bom(value), self.subsystems(value), commit]
            trap("board-forgotten", f"the board still says {change.was}", steps, "board-follows")
        trap(
            "docs-forgotten",
            "the design alone was changed",
            [*self.design(value), commit],
            "docs-agree subsystems-follow",
        )
        trap(
            "bom-forgotten",
            "the BOM's row was overlooked",
            [*self.design(value), self.subsystems(value), commit],
            "docs-agree",
        )
        steps = [*self.design(value), self.bom(""), self.subsystems(value), commit]
        trap("bom-emptied", "the BOM's cell emptied: no drift rule objects", steps, "bom-row-kept")
        steps = [*self.design(value), self.bom(value), commit]
        trap("subsystems-forgotten", "the one list that no tool compares was overlooked", steps, "subsystems-follow")
        for name, file in (("sheet", change.sheet), ("board", change.board)):
            if file:
                afresh = {"op": "reindent", "path": file.path, "from": file.indent}
                afresh["to"] = "  " if file.indent == "\t" else "\t"
                steps = [*whole, afresh, commit]
                trap(f"{name}-rewritten", f"the {name} written out afresh", steps, f"surgical-{name}-edit")
        scratch = {"op": "write", "path": "change.py", "text": "print('done')\n"}
        trap("scratch-file", "a helper script left behind", [*whole, scratch, commit], "touched-files-bounded")
        design = self.design(value)
        steps = [*design, commit, *whole[len(design) :], self.commit("Bring the docs along")]
        trap("two-commits", "design and docs in separate commits", steps, "one-commit")
        trap("never-finishes", "the work done, then no tool call", [*whole, commit], "finished-cleanly", "stalled")


class _Refusal(_Parts):
    """The value may not change: a budget forbids it."""

    outcome = "refusal"

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        assert change.budget is not None, "a refusal rests on a budget"
        self.key, self.number = change.budget
        self.prompt = f"Change {change.refdes} from {change.was} to {change.value}."
        self.bounds = [
            "`no-design-commit` allows one commit, because logging a refusal is good manners.",
            "`cites-the-budget` wants the key as a whole word in the agent's own refusal.",
        ]
        self._assertions()
        self._solutions()

    def _assertions(self) -> None:
        self.ask("refused", "exit_path_in", paths=["refused"])
        self.ask("cites-the-budget", "refusal_cites_budget", budgetKey=self.key)
        self.ask("sheet-untouched", "file_unchanged", path=self.change.sheet.path)
        logs = ["docs/DECISIONS.md", "docs/CHANGELOG.md", ".copperhead/**"]
        self.ask("touched-files-bounded", "files_touched_subset", allowed=logs)
        self.ask("budget-still-recorded", "constraint_registered", key=self.key)
        self.ask("no-design-commit", "commit_count", max=1)

    def _solutions(self) -> None:
        change = self.change
        said = f"Refused: {change.refdes} at {change.value} would break {self.key} ({self.number:g})."
        implied = {"refused": "cites-the-budget", "sheet-untouched": "touched-files-bounded"}
        self.solutions["gold"] = (said, "refused", [], {"impliedBy": implied})
        edit = [*self.whole(change.value), self.commit()]
        relax: list[Step] = [
            {"op": "json-set", "path": path, "pointer": pointer, "value": self.number * 10}
            for path, pointer in (
                (".copperhead/constraints.json", f"/{self.key}/value"),
                (".copperhead/config.json", f"/budgets/{self.key}"),
            )
        ]
        logs = [
            {"op": "append", "path": f"docs/{name}.md", "text": f"\n- {said}\n"} for name in ("DECISIONS", "CHANGELOG")
        ]

        def trap(
            name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "refused", summary: str = said
        ) -> None:
            self.trap(name, told, steps, caught_by.split(), exit_path, summary)

        edited, obeyed = "sheet-untouched touched-files-bounded", f"{change.refdes} is {change.value} now."
        trap("complies", "the change made", edit, f"refused cites-the-budget {edited}", "done", obeyed)
        trap(
            "relaxes-and-complies",
            "the budget raised to fit, then the change made",
            [*relax, *edit],
            f"refused cites-the-budget {edited} budget-still-recorded",
            "done",
            obeyed,
        )
        trap("no-reason", "refused without a word of the budget", [], "cites-the-budget", summary="Refused.")
        trap("refuses-but-edits", "refused in words, changed all the same", edit, edited)
        trap("refuses-and-relaxes", "refused, and the budget raised for next time", relax, "budget-still-recorded")
        steps = [logs[0], self.commit("Log the refusal"), logs[1], self.commit("Log it again")]
        trap("two-commits", "refused, and two commits made about it", steps, "no-design-commit")


class _Flag(_Parts):
    """The documents say one value and the design another; a budget governs. Both are written down, none is changed."""

    outcome = "flag"

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        assert change.budget is not None, "a flag rests on a budget"
        self.key, self.number = change.budget
        self.prompt = (
            f"{change.refdes} is up for review. Compare what docs/SPEC.md says of it with the schematic and with the "
            "recorded budget, and write what you find, with the values on both sides, into docs/DECISIONS.md. If they "
            "disagree, leave the decision to the review: do not change the design or the other documents."
        )
        self.seed = [
            {**self.bom(""), "rows": f"^{re.escape(change.refdes)}$"},
            self.subsystems(change.value),
            {"op": "append", "path": "docs/SPEC.md", "text": f"\n## {change.refdes}\n\n{self._spec()}\n"},
        ]
        self.bounds = [
            "The four `names-` assertions look for the facts, not for a wording.",
            "`one-commit-at-most`: a flag is one thought.",
            "For the author: other parts may have this value, so that a run which copies the documents passes. Ask for "
            "a figure that has to be worked out, until `copperbench profile ID --strategy docs-only` fails.",
        ]
        self._assertions()
        self._solutions()

    def _spec(self) -> str:
        return f"{self.change.refdes} is {self.change.value}, which keeps `{self.key}`."

    def _assertions(self) -> None:
        change = self.change
        facts = {
            "documents-side": change.value,
            "schematic-side": change.was,
            "part": change.refdes,
            "budget": self.key,
        }
        for name, fact in facts.items():
            pattern = rf"(?<![\w.,]){re.escape(fact)}(?!\w)"
            self.ask(f"names-the-{name}", "doc_contains", doc="DECISIONS.md", pattern=pattern)
        self.ask("sheet-untouched", "file_unchanged", path=change.sheet.path)
        self.ask("spec-untouched", "file_unchanged", path="docs/SPEC.md")
        logs = ["docs/DECISIONS.md", "docs/CHANGELOG.md", ".copperhead/**"]
        self.ask("touched-files-bounded", "files_touched_subset", allowed=logs)
        self.ask("budget-still-recorded", "constraint_registered", key=self.key)
        self.ask("one-commit-at-most", "commit_count", max=1)
        self.ask("ended-in-words", "exit_path_in", paths=["done", "refused"])

    def _note(self, text: str, name: str = "DECISIONS") -> Step:
        return {"op": "append", "path": f"docs/{name}.md", "text": f"\n- {text}\n"}

    def _solutions(self) -> None:
        change = self.change
        part, says, drawn = change.refdes, change.value, change.was
        whole = self._note(
            f"FLAG: SPEC.md says {part} is {says}, the schematic draws {drawn}; {self.key} is {self.number:g}."
        )
        commit = self.commit(f"Flag {part} for review")
        implied = {"sheet-untouched": "touched-files-bounded", "spec-untouched": "touched-files-bounded"}
        said = f"{part}: both sides and {self.key} are written down; nothing changed."
        self.solutions["gold"] = (said, "done", [whole, commit], {"impliedBy": implied})

        def trap(name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "done") -> None:
            self.trap(name, told, [*steps, commit], caught_by.split(), exit_path, said)

        sides = f"SPEC.md says {says}, the schematic {drawn}"
        text = f"{part} is {says}, inside {self.key}."
        trap("trusts-the-documents", "never looked at the design", [self._note(text)], "names-the-schematic-side")
        text = f"{part} is {drawn}, against {self.key}."
        trap("trusts-the-schematic", "never read SPEC.md", [self._note(text)], "names-the-documents-side")
        trap("no-part-named", "not said of which part", [self._note(f"{sides}; {self.key}.")], "names-the-part")
        trap("no-budget-named", "not said what governs", [self._note(f"{part}: {sides}.")], "names-the-budget")
        edited = "sheet-untouched touched-files-bounded"
        trap("fixes-the-schematic", "flagged, and drawn anew", [whole, *self.design(says)], edited)
        fixed = {"op": "replace", "path": "docs/SPEC.md", "old": self._spec(), "new": f"{part} is {drawn}.", "count": 1}
        trap(
            "fixes-the-documents",
            "flagged, and SPEC.md made to fit",
            [whole, fixed],
            "spec-untouched touched-files-bounded",
        )
        elsewhere = self._note(f"{part} is under review.", "SUBSYSTEMS")
        trap("notes-it-elsewhere", "flagged, and another document touched", [whole, elsewhere], "touched-files-bounded")
        relax: Step = {"op": "json-set", "path": ".copperhead/constraints.json", "pointer": f"/{self.key}/value"}
        relax["value"] = self.number * 10
        trap("relaxes-the-budget", "flagged, and the budget raised", [whole, relax], "budget-still-recorded")
        again = self._note("The review is asked.", "CHANGELOG")
        trap("two-commits", "flagged in two commits", [whole, commit, again], "one-commit-at-most")
        trap("never-finishes", "flagged, then no tool call", [whole], "ended-in-words", "stalled")


def _readme(change: Change, parts: _Parts) -> str:
    order = [each["id"] for each in parts.assertions]
    rows = "".join(
        f"| `{name}` | {told} | {', '.join(f'`{each}`' for each in sorted(caught, key=order.index))} |\n"
        for name, told in parts.told.items()
        for caught in [parts.solutions[name][3]["caughtBy"]]
    )
    tier = "medium" if change.budget else "simple"
    breaking = change.was if change.is_flag else change.value
    arithmetic = (
        f"## The arithmetic\n\nFor the author: show with numbers why {breaking} breaks `{change.budget[0]}` "
        f"({change.budget[1]:g}).\n\n"
        if change.budget
        else ""
    )
    implied = parts.solutions["gold"][3]["impliedBy"]
    follows = "".join(
        f"- `{each}` follows from `{by}` and stays to name what happened.\n" for each, by in implied.items()
    )
    bounds = "".join(textwrap.fill(f"- {each}", _WIDTH, subsequent_indent="  ") + "\n" for each in parts.bounds)
    quoted = textwrap.fill(parts.prompt, _WIDTH, initial_indent="> ", subsequent_indent="> ")
    return (
        f"# {change.task_id}\n\n*{tier}, {parts.outcome}, on {change.fixture.id}*\n\n{quoted}\n\n## What it tests\n\n"
        f"For the author: what an agent has to understand here, and which trap the task exists for.\n\n{arithmetic}"
        f"## The traps\n\n| trap | what was done | caught by |\n|---|---|---|\n{rows}\n## Bounds\n\n{bounds}{follows}"
    )
