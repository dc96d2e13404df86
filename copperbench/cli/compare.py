"""`copperbench compare`: the regression gate."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting import Thresholds


def command(
    baseline: Annotated[Path, typer.Argument(metavar="BASELINE.json", help="The aggregate to hold against.")],
    threshold: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=SHARE", help="pass_rate_drop=0.1 (default) or cost_rise=0.2 (default)."),
    ] = None,
    aggregate: Annotated[Path | None, typer.Option(help="Today's aggregate (default: the records on disk).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    summary: Annotated[Path | None, typer.Option(help="Add the table to this file as Markdown.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the deltas as JSON.")] = False,
) -> None:
    """Say whether a model got worse since BASELINE.json, a file that `copperbench aggregate` wrote.

    Exit code 1 when, in a tier, a strict pass rate fell or a cost per pass rose beyond its threshold and at least
    two runs flipped (cost: two passes on both sides). One flipped repeat never fires; a tier that is too small to
    fire says so. A bare number as threshold is the drop of the pass rate.
    Example: copperbench compare last-release.json --threshold pass_rate_drop=0.05
    """
    from copperbench.reporting import read_aggregate

    before = read_aggregate(baseline)  # before all else is loaded: a slip in the name shows at once

    from copperbench.publish import json_bytes, publish
    from copperbench.reporting import aggregate_at, encode, gate
    from copperbench.reporting.gate_text import gate_junit, gate_summary, gate_table

    limits = _thresholds(threshold or [])
    now = aggregate_at(root, aggregate)
    found = gate(before, now, limits)
    if junit is not None:
        publish(junit, gate_junit(found))
    if summary is not None:
        _append(summary, gate_summary(found))
    fires = {"fires": found.fires}
    sys.stdout.write(json_bytes(encode(found) | fires).decode() if as_json else gate_table(found))
    if found.fires:
        raise typer.Exit(1)


def _thresholds(given: list[str]) -> Thresholds:
    from copperbench.errors import CopperbenchError
    from copperbench.reporting import Thresholds

    limits = {"pass_rate_drop": Thresholds().pass_rate_drop, "cost_rise": Thresholds().cost_rise}
    for each in given:
        name, _, value = each.rpartition("=")
        name = (name or "pass_rate_drop").replace("-", "_")
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if name not in limits or not 0 <= share < math.inf:
            remedy = "give pass_rate_drop=SHARE or cost_rise=SHARE with a share from 0, such as 0.1"
            raise CopperbenchError("--threshold", f"{each!r} is no threshold", remedy)
        limits[name] = share
    return Thresholds(**limits)


def _append(path: Path, text: str) -> None:
    from copperbench.errors import CopperbenchError

    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise CopperbenchError(path, f"cannot be written ({error.strerror})", "name another file") from error
