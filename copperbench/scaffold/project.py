"""A project folder as its own config names it: root sheet, board, design documents (STANDARD 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.scaffold.constraints import (
    CONFIG_PATH,
    CONSTRAINTS_PATH,
    Constraint,
    parse_config,
    parse_constraints,
)


@dataclass(frozen=True, slots=True)
class Project:
    """What the checks read of a folder: `schematic` and `board` relative to `root`, documents by their path."""

    root: Path
    schematic: str
    board: str | None
    docs: Mapping[str, str]
    constraints: tuple[Constraint, ...]


def open_project(root: Path) -> Project:
    """The project in a folder: by `.copperhead/config.json`, or by the one `.kicad_pro` below it.

    Raises CopperbenchError when there is no such project, RecordUnreadable or SuiteError for bad JSON.
    """
    config = root / CONFIG_PATH
    if config.is_file():
        settings = parse_config(config.read_bytes(), str(config))
        schematic, board, docs = settings.schematic, settings.board, settings.docs
    else:
        schematic, board, docs = *_only_design(root), "docs/"
    if schematic is None:
        raise CopperbenchError(config, "names no schematic", "set `schematic` to the root sheet")
    constraints = root / CONSTRAINTS_PATH
    return Project(
        root=root,
        schematic=schematic,
        board=board,
        docs={
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8", errors="replace")
            for path in sorted((root / docs).glob("*.md"))
            if path.is_file()
        },
        constraints=parse_constraints(constraints.read_bytes(), str(constraints)) if constraints.is_file() else (),
    )


def _only_design(root: Path) -> tuple[str, str | None]:
    if not root.is_dir():
        raise CopperbenchError(root, "is no folder", "name the folder of a KiCad project")
    projects = [path for path in sorted(root.rglob("*.kicad_pro")) if path.with_suffix(".kicad_sch").is_file()]
    if len(projects) != 1:
        count = len(projects) or "no"
        remedy = f"name the root sheet in {CONFIG_PATH}"
        raise CopperbenchError(root, f"holds {count} .kicad_pro with a schematic beside it", remedy)
    board = projects[0].with_suffix(".kicad_pcb")
    schematic = projects[0].with_suffix(".kicad_sch").relative_to(root).as_posix()
    return schematic, board.relative_to(root).as_posix() if board.is_file() else None
