"""The model-free commands: the full check of a project, and what of its records is out of step (`check`, `sync`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.agent.checks import Checks, Unloadable
from copperbench.agent.design import Design
from copperbench.agent.repository import Snapshot
from copperbench.agent.workspace import Workspace
from copperbench.errors import CopperbenchError
from copperbench.scaffold import forbidden_pins

if TYPE_CHECKING:
    from copperbench.kicad import KicadCli

_PIN_DEFINITION = re.compile(r"^\s*#define\s+(PIN_\w+)", re.MULTILINE)
_DUAL_WRITE_DOCS = ("SPEC.md", "BOM.md", "PINOUT.md", "SUBSYSTEMS.md", "LAYOUT.md")
_PINS_HEADER = "firmware/src/pins.h"


@dataclass(frozen=True, slots=True)
class Item:
    """One inconsistency that a `sync` run may settle."""

    kind: str
    doc: str
    claim: str
    actual: str
    resolution: str


def project(root: Path) -> Design:
    """The design of a folder, looked at without a run."""
    return Design(Workspace(root), Snapshot({}, frozenset(), None))


def check(design: Design, cli: KicadCli | None) -> Mapping[str, Any]:
    """Everything that can be judged without a model, absolutely: any ERC or DRC entry counts.

    The contract's JSON; `erc` and `drc` are null where there is no such file or no kicad-cli. Raises CopperbenchError.
    """
    checks = Checks(design, cli, own_rules=True)
    erc = _judged(checks, "erc") if design.has_schematic and cli else None
    drc = _judged(checks, "drc") if design.has_board and cli else None
    mismatches = _mismatches(design)
    violations = _violations(design)
    parts: Mapping[str, Any] = {
        "erc": erc,
        "drc": drc,
        "drift": {"ok": not mismatches, "mismatches": mismatches},
        "openspec": None,
        "constraints": {"ok": not violations, "violations": violations},
        "legibility": None,
    }
    return {"ok": all(part is None or part["ok"] for part in parts.values()), **parts}


def inconsistencies(design: Design) -> tuple[Item, ...]:
    """What a `sync` run is for: drift, and records that stand in one place only. Raises CopperbenchError."""
    docs = design.workspace.documents(design.settings.docs)
    return (*_drift_items(design), *_dual_writes(design, docs), *_pins(design, docs), *_coverage(design))


def requirement_violations(design: Design) -> tuple[Mapping[str, str], ...]:
    """What a `sync` run must not settle: a forbidden pin in use. Raises CopperbenchError."""
    return tuple(
        {"kind": "requirement-violation", "description": each["description"], "governedBy": each["source"]}
        for each in _violations(design)
    )


def _judged(checks: Checks, kind: Any) -> Mapping[str, Any]:
    report = checks.absolute(kind)
    if isinstance(report, Unloadable):
        return {"ok": False, "violations": 1}
    count = len(report.violations) + len(report.unconnected) + len(report.parity)
    return {"ok": count == 0, "violations": count}


def _mismatches(design: Design) -> list[Mapping[str, str]]:
    return [
        {"doc": each.doc.rsplit("/", 1)[-1], "claim": f"{each.row} {each.column} {each.claim}", "actual": each.actual}
        for each in (design.drift() if design.has_schematic else ())
    ]


def _violations(design: Design) -> list[Mapping[str, str]]:
    constraints = design.constraints()
    if not design.has_schematic or not any(each.forbidden for each in constraints):
        return []
    return [
        {"key": each.key, "description": text, "source": each.source}
        for each in constraints
        for text in forbidden_pins((each,), design.schematic(), design.netlist())
    ]


def _drift_items(design: Design) -> Iterator[Item]:
    for each in _mismatches(design):
        yield Item("drift", each["doc"], each["claim"], each["actual"], "make the document say what the schematic has")


def _dual_writes(design: Design, docs: Mapping[str, str]) -> Iterator[Item]:
    texts = "\n".join(text for path, text in docs.items() if path.rsplit("/", 1)[-1] in _DUAL_WRITE_DOCS)
    constraints = design.constraints()
    for each in constraints:
        name = each.key.rsplit(".", 1)[-1]
        if name not in texts:
            yield Item("dual-write", "SPEC.md", f"{each.key} registered", "in no document", "state it in SPEC.md")
    for budget in design.settings.budgets:
        if not any(each.key.endswith(budget) for each in constraints):
            yield Item("dual-write", "constraints.json", f"budget {budget}", "not registered", "record_constraint")


def _pins(design: Design, docs: Mapping[str, str]) -> Iterator[Item]:
    header = design.workspace.root / _PINS_HEADER
    if not header.is_file() or header.is_symlink():
        return
    pinout = "\n".join(text for path, text in docs.items() if path.endswith("PINOUT.md"))
    for name in _PIN_DEFINITION.findall(header.read_text("utf-8", "replace")):
        if name not in pinout:
            yield Item("pins-h", "PINOUT.md", f"{name} defined in {_PINS_HEADER}", "not in PINOUT.md", "add it")


def _coverage(design: Design) -> Iterator[Item]:
    for name in ("DECISIONS.md", "CHANGELOG.md"):
        try:
            present = design.workspace.place(f"{design.settings.docs}/{name}").is_file()
        except CopperbenchError:
            present = False
        if not present:
            yield Item("coverage", name, "exists", "absent", "write it")
