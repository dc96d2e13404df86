"""`copperbench site`: everything that is known, as pages to open in a browser."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer


def command(
    out: Annotated[Path | None, typer.Option(help="The folder to write to (default: build/site).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli that draws.")] = None,
    no_drawings: Annotated[bool, typer.Option("--no-drawings", help="Leave schematic drawings out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write the static site: leaderboard, figures, and a page per model, task, fixture and run.

    It works from the folder it is in and loads nothing from elsewhere. Without kicad-cli the schematics are not
    drawn. Example: copperbench site --out build/site, then open build/site/index.html
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)  # before all else is loaded: a slip in the folder's name shows at once
    from copperbench.kicad import find_kicad_cli
    from copperbench.reporting.site import build_site

    target = out or root / "build" / "site"
    cli = None if no_drawings else find_kicad_cli(kicad_cli)
    report = build_site(root, suite, target, cli, lambda line: print(line, file=sys.stderr))
    if cli is None:
        print("schematics are not drawn: no kicad-cli was used", file=sys.stderr)
    if as_json:
        print(json.dumps({"site": str(target)} | asdict(report)))
    else:
        print(target / "index.html")
