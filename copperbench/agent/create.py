"""`create`: a project from a brief, in the stages that a text-writing agent can really do.

Placement, routing, fabrication outputs and firmware are not among them, and the command says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from copperbench.agent.check import project
from copperbench.agent.design import Design
from copperbench.errors import CopperbenchError
from copperbench.publish import json_bytes
from copperbench.scaffold import CONFIG_PATH, tables
from copperbench.suite import parse_json

UNSUPPORTED = ("layout-draft", "outputs", "firmware", "devplan")
_BUDGETS = re.compile(r"^#{1,6}[^\n]*\bBudgets?\b[^\n]*\n(?P<body>(?:(?!#)[^\n]*\n?)*)", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: what the model is told, and whether the project shows it as done (so that a rerun resumes)."""

    name: str
    task: str
    is_complete: Callable[[Design], bool]


def slug(brief: str) -> str:
    """The name of the project: the brief's first heading in kebab-case."""
    title = _TITLE.search(brief)
    words = re.findall(r"[a-z0-9]+", title.group(1).lower()) if title else []
    return "-".join(words)[:60] or "project"


def configure(root: Path, name: str) -> None:
    """Name the schematic that the stages will make, in the project's config. Raises SuiteError on a broken config."""
    place = root / CONFIG_PATH
    found = parse_json(place.read_bytes(), CONFIG_PATH) if place.is_file() else {}
    settings = found if isinstance(found, dict) else {}
    schematic = settings.get("schematic") or f"hardware/{name}.kicad_sch"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(json_bytes({**settings, "schematic": schematic, "origin": "create", "llmCache": False}))


def is_complete(stage: Stage, root: Path) -> bool:
    """Whether the project shows the stage as done; a file that cannot be read does not."""
    try:
        return stage.is_complete(project(root))
    except (CopperbenchError, OSError, ValueError):
        return False


def _document(design: Design, name: str) -> str:
    return design.workspace.documents(design.settings.docs).get(f"{design.settings.docs}/{name}", "")


def _has_budgets(design: Design) -> bool:
    found = _BUDGETS.search(_COMMENT.sub("", _document(design, "SPEC.md")))
    return found is not None and bool(found["body"].strip())


def _has_architecture(design: Design) -> bool:
    text = _COMMENT.sub("", _document(design, "SUBSYSTEMS.md"))
    prose = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return "\n## " in f"\n{text}" and bool(prose)


def _has_parts(design: Design) -> bool:
    for table in tables(_document(design, "BOM.md"), "BOM.md"):
        if any(len(row) > 3 and row[3].strip() not in ("", "UNVERIFIED") for row in table.rows):
            return True
    return False


def _has_schematic(design: Design) -> bool:
    return bool(design.schematic().symbols) and not design.drift()


STAGES: tuple[Stage, ...] = (
    Stage(
        "spec-seed",
        "write docs/SPEC.md: what the device is, and under a heading `## Budgets` every hard limit of the brief as "
        "`- name: value`. Register each with record_constraint. Assumptions of your own are marked ASSUMED.",
        _has_budgets,
    ),
    Stage(
        "architecture",
        "write docs/SUBSYSTEMS.md: one `##` section for each block, what it does, what it connects to, and which "
        "budget it draws on.",
        _has_architecture,
    ),
    Stage(
        "part-selection",
        "write docs/BOM.md: one table with the columns Refdes, Value, Footprint, MPN, Rationale, one row a part, the "
        "manufacturer's part number where you know it and UNVERIFIED where you do not.",
        _has_parts,
    ),
    Stage(
        "schematic",
        "write the schematic at the path above as KiCad text (with its own lib_symbols), so that it loads, ERC shows "
        "no error and BOM.md agrees with it; write docs/PINOUT.md (Refdes, Pin, Name, Net, Notes) from it.",
        _has_schematic,
    ),
)
