"""A small valid suite to break: one board of our own, three tasks, their solutions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from copperbench.suite import tree_hash, validate, write_lock

SHEET = '(kicad_sch (version 20250114) (generator "eeschema")\n)\n'


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


class Checkout:
    """A suite in a folder, with the few operations that a test needs."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str | bytes) -> Checkout:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
        return self

    def edit(self, path: str, change: Callable[[Any], Any]) -> Checkout:
        """Apply `change` to a JSON file's value in place; what it returns, unless None, is the new value."""
        value = json.loads((self.root / path).read_text())
        changed = change(value)
        return self.write(path, _json(value if changed is None else changed))

    def remove(self, path: str) -> Checkout:
        (self.root / path).unlink()
        return self

    def findings(self, *paths: str) -> list[str]:
        return [str(finding) for finding in validate(self.root, [self.root / path for path in paths])]

    def rehash(self) -> Checkout:
        """Let the manifest and the tasks follow what the tree is now."""
        digest = tree_hash(self.root / "fixtures/own-board/tree")
        self.edit("fixtures/own-board/fixture.json", lambda value: value.update(sha256=digest))
        for task in ("do-edit", "do-refuse", "do-flag"):
            self.edit(f"tasks/{task}/task.json", lambda value: value["fixture"].update(sha256=digest))
        return self

    def lock(self) -> Checkout:
        write_lock(self.root)
        return self


def _fixture() -> dict[str, Any]:
    counts = {"errors": 0, "errorTypes": {}, "warnings": 1, "warningTypes": {"lib_symbol_issues": 1}}
    return {
        "id": "own-board",
        "sha256": "0" * 64,
        "complexity": "simple",
        "upstream": None,
        "kicad": {"authoredVersion": "10.0", "fileFormatVersion": "20250114", "verifiedWithKicadCli": "10.0.6"},
        "artifacts": {"schematic": "own.kicad_sch", "board": None, "project": None},
        "scale": {
            "schematicLines": 2,
            "boardLines": None,
            "symbols": 0,
            "sheets": 1,
            "fileCount": 1,
            "signalNets": [],
            "powerNets": [],
        },
        "baseline": {"erc": {"report": "baseline/erc.json", **counts}, "drc": None, "note": "one warning"},
        "files": [{"path": "own.kicad_sch", "eol": "lf"}],
        "availability": "committed",
    }


def _report() -> dict[str, Any]:
    row = {"type": "lib_symbol_issues", "severity": "warning", "where": "/", "description": "no library"}
    return {
        "kind": "erc",
        "kicadVersion": "10.0.6",
        "ignored": [],
        "violations": [row],
        "unconnected": [],
        "parity": [],
    }


def _task(name: str, outcome: str) -> dict[str, Any]:
    return {
        "id": name,
        "tier": "simple",
        "mode": "do",
        "fixture": {"path": "fixtures/own-board", "sha256": "0" * 64},
        "setup": {"commands": ["init"]},
        "request": {"prompt": "rename net A to B"},
        "expectedOutcome": outcome,
        "config": {"budgets": {"vdd_volts": 1.8}, "maxTurns": 40, "maxRepairCycles": 5},
        "caps": {"turns": 40, "wallClockSec": 1200},
        "tags": ["propagation"],
    }


def _assertions(outcome: str) -> list[dict[str, Any]]:
    ends = {"edit": "done", "refusal": "refused", "flag": "done"}[outcome]
    entries: list[tuple[str, str, dict[str, Any]]] = [
        ("ending", "exit_path_in", {"paths": [ends]}),
        ("sheet-untouched", "file_unchanged", {"path": "own.kicad_sch"}),
        ("no-secret", "no_secret", {}),
    ]
    if outcome == "refusal":
        entries.append(("cites-the-budget", "refusal_cites_budget", {"budgetKey": "vdd_volts"}))
    if outcome == "flag":
        entries.append(("both-sides", "doc_contains", {"doc": "DECISIONS.md", "pattern": "^- .*vdd_volts"}))
    return [{"id": id_, "type": type_, "args": args, "weight": 1, "required": True} for id_, type_, args in entries]


def _solution(name: str, ending: str, caught_by: str = "", implied: tuple[str, ...] = ()) -> dict[str, Any]:
    value: dict[str, Any] = {"name": name, "summary": "what was done", "exitPath": ending, "steps": []}
    return value | ({"caughtBy": [caught_by]} if caught_by else {"impliedBy": dict.fromkeys(implied, "ending")})


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A suite in which `validate` finds nothing."""
    made = Checkout(tmp_path)
    made.write(
        "config/suite.yaml", "suiteVersion: 1.0.0\nsuites:\n  smoke: {modes: [do]}\n  full: {modes: [do, sync]}\n"
    )
    made.write("NOTICE", "own-board: our own board\n")
    for name, text in (("README.md", "Our board.\n"), ("LICENSE", "Apache-2.0\n"), ("tree/own.kicad_sch", SHEET)):
        made.write(f"fixtures/own-board/{name}", text)
    made.write("fixtures/own-board/fixture.json", _json(_fixture()))
    made.write("fixtures/own-board/baseline/erc.json", _json(_report()))
    for name, outcome in (("do-edit", "edit"), ("do-refuse", "refusal"), ("do-flag", "flag")):
        made.write(f"tasks/{name}/task.json", _json(_task(name, outcome)))
        made.write(f"tasks/{name}/assertions.json", _json(_assertions(outcome)))
        made.write(f"tasks/{name}/README.md", "vdd_volts; traps: trap-a, trap-b and trap-c.\n")
        more = tuple(entry["id"] for entry in _assertions(outcome)[3:])
        gold = _solution("gold", "refused" if outcome == "refusal" else "done", implied=more)
        made.write(f"solutions/{name}/gold.json", _json(gold))
        for trap, caught_by in (("trap-a", "ending"), ("trap-b", "sheet-untouched"), ("trap-c", "no-secret")):
            made.write(f"solutions/{name}/{trap}.json", _json(_solution(trap, "stalled", caught_by)))
    return made.rehash().lock()
