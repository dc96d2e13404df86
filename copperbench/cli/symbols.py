"""`copperbench symbols`: the parts of a schematic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copperbench.kicad import load_schematic, netlist, symbols_json
from copperbench.kicad.render import symbols_lines
from copperbench.publish import json_bytes


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The root sheet, a .kicad_sch file.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with fields, pins and their nets.")] = False,
) -> None:
    """Print the parts of a schematic: reference, value, footprint, sheet; a multi-unit part once.

    Example: copperbench symbols board.kicad_sch
    """
    schematic = load_schematic(file)
    if as_json:
        typer.echo(json_bytes(symbols_json(schematic, netlist(schematic))).decode().removesuffix("\n"))
        return
    typer.echo("\n".join(symbols_lines(schematic)))
