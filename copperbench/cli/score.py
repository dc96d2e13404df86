"""`copperbench score`: grade sealed runs, offline, and publish their records."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.records.score import Scored


def command(
    records: Annotated[list[Path], typer.Argument(help="results/<date>/<model>/<task>/run-<n>.json, any number")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    suite: Annotated[str | None, typer.Option(help="The suite version that the caller counts on.")] = None,
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    recheck: Annotated[bool, typer.Option("--recheck", help="Let KiCad judge again and compare.")] = False,
    cache: Annotated[Path | None, typer.Option(help="A folder that keeps what KiCad said, by design.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print what became of each record as a line of JSON.")
    ] = False,
) -> None:
    """Grade the sealed evidence beside records and publish these; a record that agrees is left untouched.

    Runs of a task that are graded together share the reading of its starting state. One that cannot be graded is said
    on stderr and keeps none of the others from being graded.
    Exit code 0 whatever the verdicts; 2 when evidence is broken or a new grading disagrees with the record on disk.
    With --recheck, KiCad's reports are made again: exit code 1 when they differ from the sealed ones.
    Example: copperbench score results/2026-01-02/harness-gold/do-rename-net/run-1.json
    """
    from copperbench.records import record_place

    places = [record_place(record, root) for record in records]  # a slip in a path is said before anything is loaded

    from copperbench.errors import CopperbenchError, SuiteError
    from copperbench.kicad import find_kicad_cli, require_kicad_cli
    from copperbench.records.score import Scorer
    from copperbench.suite import load_suite

    loaded = load_suite(root)
    if suite is not None and suite != loaded.version:
        raise SuiteError(
            "config/suite.yaml: $.suiteVersion", f"is {loaded.version}, {suite} was asked for", "check out that suite"
        )
    cli = require_kicad_cli(kicad_cli, cache) if recheck else find_kicad_cli(kicad_cli, cache)
    scorer = Scorer(loaded, fixtures or root / "fixtures", cli, recheck, cache)
    worst = 0
    for place in sorted(places, key=lambda place: (place.task, place.name)):
        try:
            scored = scorer.score(place)
        except CopperbenchError as error:
            print(error, file=sys.stderr)
            worst = max(worst, error.exit_code)
            continue
        _say(place.name, scored, as_json=as_json)
        worst = max(worst, int(scored.finding))
    if worst:
        raise typer.Exit(worst)


def _say(name: str, scored: Scored, *, as_json: bool) -> None:
    if as_json:
        result = {"record": name, "outcome": scored.outcome, "verdict": scored.verdict, "note": scored.note}
        print(json.dumps(result))
        return
    print(f"{name}: {scored.outcome}, {scored.verdict}")
    if scored.note:
        print(f"{name}: {scored.note}", file=sys.stderr)
