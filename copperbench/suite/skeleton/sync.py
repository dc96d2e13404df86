"""The skeleton of a sync: the documents have drifted from one part's value, and are brought back."""

from __future__ import annotations

import re

from copperbench.suite.skeleton.parts import Change, Parts, Step


class Sync(Parts):
    """The documents say another value than the design, which is what is built: they follow it, it does not move."""

    def __init__(self, change: Change) -> None:
        super().__init__(change)
        part = change.refdes
        self.prompt = (
            "The docs and the schematic have drifted apart. The schematic and the board are what is built. Bring "
            "BOM.md and SUBSYSTEMS.md in line with them, values written as the schematic writes them, and change no "
            "design file."
        )
        self.seed = [self.bom(change.value), self.subsystems(change.value)]
        self.bounds = [
            f"`touched-files-bounded`: the documents may change, {part} on the sheet may not.",
            "`no-new-drift` counts what the start did not have; the two `-says-` assertions look at what it had.",
        ]
        self._assertions()
        self._solutions()

    def _assertions(self) -> None:
        part, was = re.escape(self.change.refdes), re.escape(self.change.was)
        cell = {"doc": "BOM.md", "key": self.change.refdes, "column": "Value"}
        self.ask("bom-says-what-is-drawn", "doc_row_matches", **cell, pattern=f"^`?{was}`?$")
        line = rf"\b{part}\b[^\n]*(?<![\w.,]){was}(?!\w)"
        self.ask("subsystems-says-what-is-drawn", "doc_contains", doc="SUBSYSTEMS.md", pattern=line)
        self.ask("no-new-drift", "drift_clean")
        self.ask("sheet-untouched", "file_unchanged", path=self.change.sheet.path)
        self.ask_bounds("docs/*.md")
        self.ask("one-commit", "commit_count", equals=1)
        self.ask("finished-cleanly", "exit_path_in", paths=["done"])

    def _solutions(self) -> None:
        change = self.change
        part, was, drifted = change.refdes, change.was, change.value
        commit = self.commit(f"Bring the docs of {part} in line with the schematic")
        bom, subsystems = self.bom(was, drifted), self.subsystems(was, drifted)
        summary = f"BOM.md and SUBSYSTEMS.md say {was} for {part} again; no design file was changed."
        implied = {"sheet-untouched": "touched-files-bounded"}
        self.solutions["gold"] = (summary, "done", [bom, subsystems, commit], {"impliedBy": implied})

        def trap(name: str, told: str, steps: list[Step], caught_by: str, exit_path: str = "done") -> None:
            self.trap(name, told, steps, caught_by, exit_path, summary)

        both = "bom-says-what-is-drawn subsystems-says-what-is-drawn"
        edited = f"{both} sheet-untouched touched-files-bounded"
        trap("design-follows-docs", "the design made to say what the docs say", [*self.design(drifted), commit], edited)
        trap("bom-forgotten", "only the list that no tool compares was mended", [subsystems, commit], both.split()[0])
        trap("bom-emptied", "the BOM's cell emptied", [self.bom("", drifted), subsystems, commit], both.split()[0])
        trap("subsystems-forgotten", "only the BOM was mended", [bom, commit], both.split()[1])
        row = {"op": "table-row", "path": "docs/BOM.md", "after": part, "cells": [f"{part}9", was, "", "", ""]}
        trap("phantom-row", "a row added for a part that no sheet has", [bom, subsystems, row, commit], "no-new-drift")
        moved = [*self.design(drifted)[:1], bom, subsystems, commit]
        trap(
            "sheet-moved-too",
            "the docs mended, and the sheet changed",
            moved,
            edited.removeprefix(both),
        )
        scratch = {"op": "write", "path": "sync.py", "text": "print('done')\n"}
        trap("scratch-file", "a helper script left behind", [bom, subsystems, scratch, commit], "touched-files-bounded")
        steps = [bom, commit, subsystems, self.commit("Bring SUBSYSTEMS.md along")]
        trap("two-commits", "each document in a commit of its own", steps, "one-commit")
        trap(
            "never-finishes",
            "the work done, then no tool call",
            [bom, subsystems, commit],
            "finished-cleanly",
            "stalled",
        )
