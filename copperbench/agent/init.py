"""`init`: the design documents and records of a project, by the scaffold that all our harnesses share (STANDARD 2)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import HarnessUnavailable
from copperbench.publish import json_bytes
from copperbench.sandbox import IGNORE_RULES
from copperbench.scaffold import CONFIG_PATH, write_documents

_NEVER_REWRITTEN = ("DECISIONS.md", "CHANGELOG.md")
_DEFAULTS: Mapping[str, Any] = {
    "board": None,
    "docs": "docs/",
    "maxRepairCycles": 5,
    "maxTurns": 40,
    "model": None,
    "schematic": None,
    "turnTimeoutMs": 600_000,
}


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` did, by path: written, left as it was, and left because someone changed it by hand."""

    created: tuple[str, ...]
    skipped: tuple[str, ...]
    refused: tuple[str, ...]


def init(root: Path, search: str, *, force: bool) -> Initialised:
    """Write documents and config for the design found below `search` (relative to `root`).

    The schematic is the first sheet with a project file beside it, else the first sheet. A document
    changed by hand is refused unless `force`. Raises HarnessUnavailable when there is no schematic, KicadFileError
    when it cannot be read.
    """
    from copperbench.kicad import load_schematic

    schematic, board = _design(root, search)
    place = root / CONFIG_PATH
    before = json.loads(place.read_bytes()) if place.is_file() else {}
    hashes = dict(before.get("generatedHashes") or {})
    budgets = before.get("budgets") or {}
    created, skipped, refused = [], [], []
    documents = write_documents(load_schematic(root / schematic, within=root), schematic, budgets)
    for name, text in documents.items():
        path, file = f"docs/{name}", root / "docs" / name
        there = file.read_bytes() if file.is_file() else None
        if there == text.encode() or (there is not None and name in _NEVER_REWRITTEN):
            skipped.append(path)
        elif there is None or force or hashlib.sha256(there).hexdigest() == hashes.get(name):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
            created.append(path)
        else:
            refused.append(path)
            continue
        if name not in _NEVER_REWRITTEN:
            hashes[name] = hashlib.sha256(text.encode()).hexdigest()
    settings = {**_DEFAULTS, **before, "schematic": schematic, "board": board, "generatedHashes": hashes}
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(json_bytes({**settings, "llmCache": False, "budgets": budgets}))
    _ignore(root / ".gitignore")
    return Initialised(tuple(created), tuple(skipped), tuple(refused))


def _design(root: Path, search: str) -> tuple[str, str | None]:
    sheets = list(_found(root, root / search, ".kicad_sch"))
    if not sheets:
        raise HarnessUnavailable(root / search, "there is no .kicad_sch", "name the folder with --path")
    roots = [sheet for sheet in sheets if (root / sheet).with_suffix(".kicad_pro").is_file()]
    schematic = (roots or sheets)[0]
    board = Path(schematic).with_suffix(".kicad_pcb").as_posix()
    return schematic, board if (root / board).is_file() else None


def _found(root: Path, start: Path, suffix: str) -> Iterator[str]:
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(names):
            if name.endswith(suffix):
                yield (Path(folder) / name).relative_to(root).as_posix()


def _ignore(place: Path) -> None:
    text = place.read_text("utf-8", "surrogateescape") if place.is_file() else ""
    missing = [rule for rule in IGNORE_RULES if rule not in text.splitlines()]
    joint = "" if not text or text.endswith("\n") else "\n"
    if missing:
        place.write_text(text + joint + "\n".join(missing) + "\n", "utf-8", "surrogateescape", newline="")
