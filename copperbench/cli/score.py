"""`copperbench score`: grade a sealed run, offline, and publish its record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    record: Annotated[Path, typer.Argument(help="results/<date>/<model>/<task>/run-<n>.json")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    suite: Annotated[str | None, typer.Option(help="The suite version that the caller counts on.")] = None,
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    recheck: Annotated[bool, typer.Option("--recheck", help="Let KiCad judge again and compare.")] = False,
    cache: Annotated[Path | None, typer.Option(help="A folder that keeps KiCad's reports by design.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what became of the record as JSON.")] = False,
) -> None:
    """Grade the sealed evidence beside a record and publish the record; a record that agrees is left untouched.

    Exit code 0 whatever the verdict; 2 when evidence is broken or a new grading disagrees with the record on disk.
    With --recheck, KiCad's reports are made again: exit code 1 when they differ from the sealed ones.
    Example: copperbench score results/2026-01-02/harness-gold/do-rename-net/run-1.json
    """
    from copperbench.errors import SuiteError
    from copperbench.kicad import find_kicad_cli, require_kicad_cli
    from copperbench.records import record_place
    from copperbench.records.score import Scorer
    from copperbench.suite import load_suite

    place = record_place(record, root)
    loaded = load_suite(root)
    if suite is not None and suite != loaded.version:
        raise SuiteError(
            "config/suite.yaml: $.suiteVersion", f"is {loaded.version}, {suite} was asked for", "check out that suite"
        )
    cli = require_kicad_cli(kicad_cli) if recheck else find_kicad_cli(kicad_cli)
    scored = Scorer(loaded, fixtures or root / "fixtures", cli, recheck, cache).score(place)
    if as_json:
        result = {"record": place.name, "outcome": scored.outcome, "verdict": scored.verdict, "note": scored.note}
        print(json.dumps(result))
    else:
        print(f"{place.name}: {scored.outcome}, {scored.verdict}")
        if scored.note:
            print(f"{place.name}: {scored.note}", file=sys.stderr)
    if scored.finding:
        raise typer.Exit(1)
