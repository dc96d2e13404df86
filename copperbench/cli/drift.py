"""`copperbench drift`: where a project's documents and its schematic disagree."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A project folder with docs/ and a schematic.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the mismatches as JSON.")] = False,
) -> None:
    """Compare BOM.md and PINOUT.md with the schematic, by our own netlister; needs no KiCad.

    Exit code 1 when anything disagrees. Example: copperbench drift my-board
    """
    from copperbench.kicad import load_schematic
    from copperbench.publish import json_bytes
    from copperbench.scaffold import drift, open_project

    project = open_project(folder)
    found = drift(project.docs, load_schematic(folder / project.schematic))
    if as_json:
        sys.stdout.write(json_bytes([asdict(mismatch) for mismatch in found]).decode("ascii"))
    else:
        print("\n".join(map(str, found)) or "no drift")
    if found:
        raise typer.Exit(1)
