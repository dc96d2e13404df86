"""`copperbench discriminate`: does every task tell a right answer from a wrong one?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting import DiscriminationRow

HEADER = ("task", "tier", "expected", "noop", "gold", "traps", "kills", "discriminates")


def command(
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK]...", help="Tasks (default: all).")] = None,
    campaign: Annotated[str | None, typer.Option(help="Only records of results/<date>.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    out: Annotated[Path | None, typer.Option(help="Also write the rows to this file as JSON.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Also print which trap only which assertion catches.")
    ] = False,
) -> None:
    """Judge tasks by the noop, gold and trap records on disk: noop must fail, gold pass, each trap fail as promised.

    A trap is caught when the required assertions that fail are exactly those its solution names. The column `kills`
    counts the required assertions that some trap fails alone, or that are shown to follow from another; --matrix
    prints them. Exit code 1 when a task does not discriminate or has an assertion without such proof, or when a task
    that was named has not been run. What could not be scored is shown as such and proves nothing.
    Example: copperbench discriminate do-rename-net --matrix
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)
    named = {suite.task(task).id for task in tasks or ()}  # before all else is loaded: a slip in a name shows at once
    from copperbench.publish import json_bytes, publish
    from copperbench.records import Record, comparable, read_records, suite_stamps
    from copperbench.reporting import discrimination, encode, expectations

    stamps = suite_stamps(suite)
    records = [
        entry
        for entry in read_records(root, f"{campaign or '*'}/*/*")
        if isinstance(entry, Record) and not comparable(entry, stamps)
    ]
    expected = [each for each in expectations(suite) if not named or each.task in named]
    rows = discrimination(records, expected, suite.tasks_without_a_tree())
    data = json_bytes({"suiteVersion": suite.version, "campaign": campaign, "tasks": [encode(row) for row in rows]})
    if out is not None:
        publish(out, data)
    sys.stdout.write(data.decode("ascii") if as_json else _table(rows) + (_matrix(rows) if matrix else ""))
    if any(row.state == "no" or (row.state == "not run" and row.task in named) for row in rows):
        raise typer.Exit(1)


def _table(rows: Sequence[DiscriminationRow]) -> str:
    """The rows in aligned columns, then a line for each task that is skipped or does not discriminate."""
    from copperbench.reporting import cell_text, traps_text

    cells = [HEADER]
    for row in rows:
        if row.state == "skipped":
            cells.append((row.task, row.tier, row.expected, "-", "-", "-", "-", "skipped"))
        else:
            noop, gold = cell_text(row.noop, "fail"), cell_text(row.gold, "pass")
            caught = traps_text(row.traps).split(" (")[0]
            kills = f"{sum(kill.state in ('proven', 'implied') for kill in row.kills)}/{len(row.kills)}"
            cells.append((row.task, row.tier, row.expected, noop, gold, caught, kills, row.state))
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADER))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    lines += [f"{row.task}: {row.state}: {row.reason}" for row in rows if row.reason]
    return "\n".join(lines) + "\n"


def _matrix(rows: Sequence[DiscriminationRow]) -> str:
    """Each task's required assertions with the traps that only they catch."""
    from copperbench.reporting import kill_text

    lines = []
    for row in rows:
        width = max((len(kill.assertion) for kill in row.kills), default=0)
        lines += ["", f"{row.task}:", *(f"  {kill.assertion.ljust(width)}  {kill_text(kill)}" for kill in row.kills)]
    return "\n".join(lines) + "\n"
