"""`copperbench check`: the full check of a project that involves no model (STANDARD 4, `check_clean`)."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from copperbench.kicad import KicadCli, Report
    from copperbench.scaffold import Project


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A project folder.")],
    kicad_cli: Annotated[str | None, typer.Option(help="kicad-cli (default: COPPERBENCH_KICAD_CLI, PATH).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON, by check.")] = False,
) -> None:
    """Run ERC and DRC, compare documents with the schematic, and look for forbidden pins that are connected.

    Works on a copy; the folder stays as it is. Exit code 1 on any finding, 3 without kicad-cli.
    Example: copperbench check my-board
    """
    from copperbench.kicad import require_kicad_cli

    cli = require_kicad_cli(kicad_cli)  # before all else is loaded: that it is missing shows at once
    from copperbench.kicad import load_schematic, netlist
    from copperbench.publish import json_bytes
    from copperbench.scaffold import drift, forbidden_pins, open_project

    project = open_project(folder)
    schematic = load_schematic(folder / project.schematic)
    measured = _measured(project, cli)
    findings: dict[str, list[str]] = {
        **{kind: _lines(report) for kind, report in measured.items()},
        "drift": [str(mismatch) for mismatch in drift(project.docs, schematic)],
        "forbidden-pins": list(forbidden_pins(project.constraints, schematic, netlist(schematic))),
    }
    if as_json:
        sys.stdout.write(json_bytes(findings).decode("ascii"))
    else:
        for name, lines in findings.items():
            print(f"{name}: {len(lines) or 'clean'}")
            for line in lines:
                print(f"  {line}")
    if any(findings.values()):
        raise typer.Exit(1)


def _measured(project: Project, cli: KicadCli) -> Mapping[str, Report]:
    from copperbench.kicad import measure

    with TemporaryDirectory(prefix="copperbench-check-") as scratch:
        copy = Path(scratch, "project")
        shutil.copytree(project.root, copy, ignore=_no_part_of_a_design)
        found = measure(cli, copy, project.schematic, project.board)
    return {name: report for name, report in (("erc", found.erc), ("drc", found.drc)) if report is not None}


def _no_part_of_a_design(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name == ".git" or Path(folder, name).is_symlink()]


def _lines(report: Report) -> list[str]:
    parts = (("", report.violations), ("unconnected ", report.unconnected), ("parity ", report.parity))
    return [
        f"{kind}{violation.severity} {violation.type} {violation.where}: {violation.description}"
        for kind, violations in parts
        for violation in violations
    ]
