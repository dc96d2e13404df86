"""`copperbench baseline`: measure a fixture's ERC and DRC as shipped, and hold them against what is recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from copperbench.kicad.measure import Measured
    from copperbench.kicad.reports import Report
    from copperbench.suite import Fixture


def command(
    fixture_id: Annotated[str, typer.Argument(metavar="ID", help="A fixture, as its folder is called.")],
    out: Annotated[Path | None, typer.Option(help="Where the reports go (default: build/baselines/ID).")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare with the recorded baseline.")] = False,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the manifest's `baseline` block.")] = False,
) -> None:
    """Measure the ERC and DRC reports of a fixture's tree, on a copy and without any KiCad library.

    With --check, what differs from the recorded fixtures/ID/baseline is listed and the exit code is 1.
    Example: copperbench baseline copperbench-ldo-sensor --check
    """
    from copperbench.kicad.cli import require_kicad_cli
    from copperbench.kicad.measure import baseline_block, measure
    from copperbench.publish import json_bytes, publish
    from copperbench.suite import load_suite, verify_tree

    fixture = load_suite(root).fixture(fixture_id)
    folder = root / "fixtures" / fixture_id
    verify_tree(fixture, folder / "tree")
    measured = measure(require_kicad_cli(kicad_cli), folder / "tree", fixture.schematic, fixture.board)
    target = out or root / "build" / "baselines" / fixture_id
    for report in (measured.erc, measured.drc):
        if report is not None:
            publish(target / f"{report.kind}.json", json_bytes(report.to_json()))
    print(json.dumps(baseline_block(measured), indent=2) if as_json else "\n".join(_summary(measured)))
    if check:
        _check(folder, fixture, measured)


def _check(folder: Path, fixture: Fixture, measured: Measured) -> None:
    from copperbench.kicad.measure import read_baseline

    recorded = read_baseline(folder, fixture)
    pairs = [(measured.erc, recorded.erc), (measured.drc, recorded.drc)]
    faults = [fault for new, old in pairs if new and old for fault in _differences(folder, new, old)]
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        raise typer.Exit(1)


def _differences(folder: Path, new: Report, old: Report) -> list[str]:
    """How a measured report differs from the recorded one: by type first, since that is what grading compares."""
    from copperbench.kicad.reports import PARTS

    where = f"fixtures/{folder.name}/baseline/{new.kind}.json"
    faults = []
    for part in PARTS:
        counted, recorded = new.counts("warning", part), old.counts("warning", part)
        for kind in sorted({*counted, *recorded}):
            if counted.get(kind, 0) != recorded.get(kind, 0):
                now, then = counted.get(kind, 0), recorded.get(kind, 0)
                faults.append(f"{where}: {part}: {kind} {now} measured with {new.kicad_version}, {then} recorded")
    if not faults and any(new.part(part) != old.part(part) for part in PARTS):
        faults.append(f"{where}: the counts agree, and what is found does not; record the baseline anew")
    return faults


def _summary(measured: Measured) -> list[str]:
    from copperbench.kicad.measure import report_counts

    lines = []
    for report in (measured.erc, measured.drc):
        if report is None:
            continue
        counts = report_counts(report)
        line = f"{report.kind}: {_said(counts.errors, 'errors', counts.error_types)}"
        line += f"; {_said(counts.warnings, 'warnings', counts.warning_types)}"
        if report.kind == "drc":
            parity = _said(counts.schematic_parity, "parity", counts.schematic_parity_types or {})
            line += f"; {counts.unconnected_items} unconnected; {parity}"
        lines.append(f"{line} (kicad-cli {report.kicad_version})")
    return lines


def _said(number: int, what: str, types: Any) -> str:
    listed = ", ".join(f"{kind} {count}" for kind, count in types.items())
    return f"{number} {what}" + (f" ({listed})" if listed else "")
