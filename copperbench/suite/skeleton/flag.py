"""The skeleton of a flag: a contradiction that is to be written down and left to a review."""

from __future__ import annotations

import re

from copperbench.suite.skeleton.parts import Change, Parts, Step


class Flag(Parts):
    """The documents say one value and the design another; a budget governs. Both are written down, none is changed."""

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
        self.ask_bounds("docs/DECISIONS.md", "docs/CHANGELOG.md")
        self.ask("budget-still-recorded", "constraint_registered", key=self.key)
        self.ask("one-commit-at-most", "commit_count", max=1)
        self.ask("ended-in-words", "exit_path_in", paths=["done", "refused"])

    def _solutions(self) -> None:
        change = self.change
        part, says, drawn = change.refdes, change.value, change.was
        whole = self.note(
            f"FLAG: SPEC.md says {part} is {says}, the schematic draws {drawn}; {self.key} is {self.number:g}."
        )
        commit = self.commit(f"Flag {part} for review")
        implied = {"sheet-untouched": "touched-files-bounded", "spec-untouched": "touched-files-bounded"}
        said = f"{part}: both sides and {self.key} are written down; nothing changed."
        self.solutions["gold"] = (said, "done", [whole, commit], {"impliedBy": implied})

        def trap(name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "done") -> None:
            self.trap(name, told, [*steps, commit], caught_by, exit_path, said)

        sides = f"SPEC.md says {says}, the schematic {drawn}"
        text = f"{part} is {says}, inside {self.key}."
        trap("trusts-the-documents", "never looked at the design", [self.note(text)], "names-the-schematic-side")
        text = f"{part} is {drawn}, against {self.key}."
        trap("trusts-the-schematic", "never read SPEC.md", [self.note(text)], "names-the-documents-side")
        trap("no-part-named", "not said of which part", [self.note(f"{sides}; {self.key}.")], "names-the-part")
        trap("no-budget-named", "not said what governs", [self.note(f"{part}: {sides}.")], "names-the-budget")
        edited = "sheet-untouched touched-files-bounded"
        trap("fixes-the-schematic", "flagged, and drawn anew", [whole, *self.design(says)], edited)
        fixed = {"op": "replace", "path": "docs/SPEC.md", "old": self._spec(), "new": f"{part} is {drawn}.", "count": 1}
        trap(
            "fixes-the-documents",
            "flagged, and SPEC.md made to fit",
            [whole, fixed],
            "spec-untouched touched-files-bounded",
        )
        elsewhere = self.note(f"{part} is under review.", "SUBSYSTEMS")
        trap("notes-it-elsewhere", "flagged, and another document touched", [whole, elsewhere], "touched-files-bounded")
        relaxed = [whole, *self.relax()]
        trap("relaxes-the-budget", "flagged, and the budget raised", relaxed, "budget-still-recorded")
        again = self.note("The review is asked.", "CHANGELOG")
        trap("two-commits", "flagged in two commits", [whole, commit, again], "one-commit-at-most")
        trap("never-finishes", "flagged, then no tool call", [whole], "ended-in-words", "stalled")
