"""`copperbench netlist`: the nets of a schematic, or what changed electrically between two."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from copperbench.errors import CopperbenchError
from copperbench.kicad import compare_netlists, load_schematic, netlist, netlist_json
from copperbench.kicad.render import change_json, change_lines, netlist_lines
from copperbench.publish import json_bytes


def command(
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The root sheet, a .kicad_sch file.")] = None,
    diff: Annotated[
        tuple[Path, Path] | None,
        typer.Option("--diff", metavar="A B", help="Two root sheets: print what changed from A to B."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the nets of a schematic with KiCad's names and pins; KiCad itself is not needed.

    With --diff, print the nets renamed, pins moved and parts added, removed or changed. Exit codes: 0 nothing changed
    electrically, 1 something did, 2 a file cannot be read.

    Example: copperbench netlist board.kicad_sch --json

    Example: copperbench netlist --diff old/board.kicad_sch new/board.kicad_sch
    """
    if (file is None) == (diff is None):
        raise CopperbenchError("netlist", "needs either FILE or --diff A B", "see copperbench netlist --help")
    if diff is not None:
        change = compare_netlists(load_schematic(diff[0]), load_schematic(diff[1]))
        _print(json_bytes(change_json(change)).decode() if as_json else "\n".join(change_lines(change)))
        raise typer.Exit(1 if change else 0)
    assert file is not None
    nets = netlist(load_schematic(file))
    if as_json:
        _print(json_bytes(netlist_json(nets)).decode())
        return
    _print("\n".join(netlist_lines(nets)))
    for warning in nets.warnings:
        typer.echo(f"ambiguous: {warning}", err=True)


def _print(text: str) -> None:
    if text:
        typer.echo(text.removesuffix("\n"))
