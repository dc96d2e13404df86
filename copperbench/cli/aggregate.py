"""`copperbench aggregate`: read every record under results/ into one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    out: Annotated[Path | None, typer.Option(help="Where to write (default: results/aggregate.json).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the aggregate instead of writing it.")] = False,
) -> None:
    """Work out every figure and table from all records on disk; the same records give the same bytes.

    Records with other stamps and records that cannot be read are listed in it, and averaged nowhere.
    Example: copperbench aggregate --out results/aggregate.json
    """
    from copperbench.reporting import aggregate_at

    made = aggregate_at(root, None)
    from copperbench.publish import publish
    from copperbench.reporting import aggregate_bytes

    data = aggregate_bytes(made)
    if as_json:
        sys.stdout.write(data.decode("ascii"))
        return
    publish(out or root / "results" / "aggregate.json", data)
    for each in made.unreadable:
        print(f"{each.path}: {each.error}; listed as unreadable", file=sys.stderr)
    counts = made.counts
    print(f"{counts.comparable} comparable, {counts.not_comparable} not comparable, {counts.unreadable} unreadable")
