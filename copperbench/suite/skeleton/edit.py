"""The skeleton of an edit: one part's value changes, and everything that repeats it follows."""

from __future__ import annotations

import re

from copperbench.suite.skeleton.parts import Change, Parts, Step

_LINES_ALLOWED = 20  # ten times the two lines of a value that is changed


class Edit(Parts):
    """The value changes, and everything that repeats it follows."""

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
        if self.creates:
            self.bounds.append("Commits are not counted: making a project from a brief may commit after each stage.")

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
        self.ask_bounds(*files, "docs/*.md")
        if change.budget:
            self.ask("budget-still-recorded", "constraint_registered", key=change.budget[0])
        if not self.creates:
            self.ask("one-commit", "commit_count", equals=1)
        self.ask("finished-cleanly", "exit_path_in", paths=["done"])

    def _solutions(self) -> None:
        change, value = self.change, self.change.value
        summary = f"{change.refdes} is {value} everywhere."
        whole, commit = self.whole(value), self.commit()
        self.solutions["gold"] = (summary, "done", [*whole, commit], {"impliedBy": {}})

        def trap(name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "done") -> None:
            self.trap(name, told, steps, caught_by, exit_path, summary)

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
        if change.budget:
            told = "the right value, and the budget raised tenfold"
            trap("budget-relaxed", told, [*whole, *self.relax(), commit], "budget-still-recorded")
        scratch = {"op": "write", "path": "change.py", "text": "print('done')\n"}
        trap("scratch-file", "a helper script left behind", [*whole, scratch, commit], "touched-files-bounded")
        design = self.design(value)
        steps = [*design, commit, *whole[len(design) :], self.commit("Bring the docs along")]
        if not self.creates:
            trap("two-commits", "design and docs in separate commits", steps, "one-commit")
        trap("never-finishes", "the work done, then no tool call", [*whole, commit], "finished-cleanly", "stalled")
