"""`copperbench redo`: move a run aside so that it is due again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.records import RecordPlace


def command(
    records: Annotated[list[Path], typer.Argument(help="Records; with --stale, results or results/<date>.")],
    stale: Annotated[bool, typer.Option("--stale", help="Only in-process runs that the suite has overtaken.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print what was moved where as JSON.")] = False,
) -> None:
    """Move record and evidence of runs to superseded/, where they are kept; the runs are then due again.

    With --stale, only noop, gold and trap runs whose task (in what a run depends on), fixture or solution has changed
    are moved: they cost nothing to make anew. Runs of models are moved only when they are named.
    Example: copperbench redo results/2026-01-02/harness-gold/do-rename-net/run-1.json
    """
    from copperbench.records import record_place
    from copperbench.records.redo import redo

    found = _stale(records, root) if stale else [(record_place(record, root), "") for record in records]
    for place, reason in found:
        print(place.name + (f": {reason}" if reason else ""), file=sys.stderr)
    if found and not yes:
        typer.confirm(f"Move {len(found)} run(s) to superseded/, to be made anew?", abort=True, err=True)
    moved = {place.name: redo(place) for place, _ in found}
    if as_json:
        print(json.dumps({"moved": {name: str(aside) for name, aside in moved.items()}}))
    else:
        for name, aside in moved.items():
            print(f"{name} -> {aside}")


def _stale(folders: list[Path], root: Path) -> list[tuple[RecordPlace, str]]:
    from copperbench.records import record_places
    from copperbench.records.redo import stale
    from copperbench.suite import load_suite

    suite = load_suite(root)
    patterns = ["*/*/*" if _campaign(folder, root) is None else f"{_campaign(folder, root)}/*/*" for folder in folders]
    return [found for pattern in patterns for found in stale(suite, record_places(root, pattern))]


def _campaign(folder: Path, root: Path) -> str | None:
    """The campaign that a folder is, None for results/ as a whole. Raises CopperbenchError for any other folder."""
    import re

    from copperbench.errors import CopperbenchError

    parts = (root.absolute() / folder).resolve().relative_to(root.resolve()).parts if folder.exists() else ()
    if parts[:1] == ("results",) and len(parts) == 1:
        return None
    if parts[:1] == ("results",) and len(parts) == 2 and re.fullmatch(r"\d{4}-\d\d-\d\d", parts[1]):
        return parts[1]
    raise CopperbenchError(folder, "is no folder of campaigns", "name results or results/<date>")
