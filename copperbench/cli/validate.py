"""`copperbench validate`: hold the suite against the standard (STANDARD 1, 4, 7, 13)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.suite import Finding, Fixture, Validation


def command(
    paths: Annotated[list[Path] | None, typer.Argument(help="Parts to look at; without any, the whole suite.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout that holds the suite.")] = Path(),
    write_lock: Annotated[
        bool, typer.Option("--write-lock", help="Write config/suite.lock after raising suiteVersion, and validate.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print findings and skipped checks as JSON.")] = False,
) -> None:
    """Say everything that is wrong with tasks, solutions, fixtures and the suite, one finding a line.

    Exit code 1 when there is any. Examples: copperbench validate; copperbench validate tasks/do-rename-net
    """
    from copperbench.suite import examine
    from copperbench.suite import write_lock as lock

    if write_lock:
        lock(root)
    outcome = examine(root, [path if path.is_absolute() else root / path for path in paths or []], [_schematic_reads])
    _print(outcome, as_json=as_json)
    if outcome.findings:
        raise typer.Exit(1)


def _print(outcome: Validation, *, as_json: bool) -> None:
    if as_json:
        findings = [asdict(finding) for finding in outcome.findings]
        print(json.dumps({"findings": findings, "skipped": [asdict(each) for each in outcome.skipped]}, indent=2))
        return
    for finding in outcome.findings:
        print(finding)
    for skipped in outcome.skipped:
        typer.echo(f"{skipped.where}: {skipped.reason}", err=True)


def _schematic_reads(folder: Path, fixture: Fixture) -> list[Finding]:
    """The fixture's schematic can be read, and holds the symbols, sheets and nets that its manifest counts."""
    from copperbench.errors import KicadFileError
    from copperbench.kicad import load_schematic, netlist
    from copperbench.suite import Finding

    place = f"fixtures/{fixture.id}/fixture.json: $.scale"
    tree = folder / "tree"
    try:
        schematic = load_schematic(tree / fixture.schematic, within=tree)
        nets = netlist(schematic)
    except KicadFileError as error:
        where = error.where.replace(str(folder), f"fixtures/{fixture.id}")
        return [Finding(where, "schematic", error.what, "refuse this board (STANDARD 13)")]
    # A sheet that is used twice is one sheet of the drawing set.
    counted = {"symbols": len(schematic.symbols), "sheets": len({sheet.file for sheet in schematic.sheets})}
    findings = [
        Finding(
            f"{place}.{name}", "scale", f"{fixture.scale[name]} is not what the schematic holds, {count}", "correct it"
        )
        for name, count in counted.items()
        if fixture.scale[name] != count
    ]
    for field, names in (("signalNets", fixture.signal_nets), ("powerNets", fixture.power_nets)):
        missing = [name for name in names if nets.named(name) is None]
        if missing:
            what = f"{', '.join(missing)}: no net of the schematic has this name"
            findings.append(Finding(f"{place}.{field}", "scale", what, "correct it (STANDARD 13)"))
    return findings
