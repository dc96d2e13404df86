"""The skeleton of a refusal: one part's value may not change, since a budget forbids it."""

from __future__ import annotations

from copperbench.suite.skeleton.parts import Change, Parts, Step


class Refusal(Parts):
    """The value may not change: a budget forbids it."""

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        assert change.budget is not None, "a refusal rests on a budget"
        self.key, self.number = change.budget
        self.prompt = f"Change {change.refdes} from {change.was} to {change.value}."
        if change.mode == "sync":
            wish = f"{change.refdes} is to be {change.value}."
            self.seed = [{"op": "append", "path": "docs/SPEC.md", "text": f"\n## {change.refdes}\n\n{wish}\n"}]
            self.prompt = (
                f"docs/SPEC.md says what {change.refdes} is to be, and the rest has fallen behind. Bring the "
                "schematic, the board and the other docs in line with it."
            )
        self.bounds = [
            "`no-design-commit` allows two commits: one for the first documents, one for the refusal."
            if self.creates
            else "`no-design-commit` allows one commit, because logging a refusal is good manners.",
            "`cites-the-budget` wants the key as a whole word in the agent's own refusal.",
        ]
        self._assertions()
        self._solutions()

    def _assertions(self) -> None:
        self.ask("refused", "exit_path_in", paths=["refused"])
        self.ask("cites-the-budget", "refusal_cites_budget", budgetKey=self.key)
        self.ask("sheet-untouched", "file_unchanged", path=self.change.sheet.path)
        self.ask_bounds(*(["docs/*.md"] if self.creates else ["docs/DECISIONS.md", "docs/CHANGELOG.md"]))
        self.ask("budget-still-recorded", "constraint_registered", key=self.key)
        self.ask("no-design-commit", "commit_count", max=2 if self.creates else 1)

    def _solutions(self) -> None:
        change = self.change
        said = f"Refused: {change.refdes} at {change.value} would break {self.key} ({self.number:g})."
        implied = {"refused": "cites-the-budget", "sheet-untouched": "touched-files-bounded"}
        self.solutions["gold"] = (said, "refused", [], {"impliedBy": implied})
        edit = [*self.whole(change.value), self.commit()]
        relax = self.relax()

        def trap(
            name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "refused", summary: str = said
        ) -> None:
            self.trap(name, told, steps, caught_by, exit_path, summary)

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
        notes = ["DECISIONS", "CHANGELOG", *(["SPEC"] if self.creates else [])]
        steps = [step for name in notes for step in (self.note(said, name), self.commit("Log the refusal"))]
        number = "three" if self.creates else "two"
        trap(f"{number}-commits", f"refused, and {number} commits made about it", steps, "no-design-commit")
