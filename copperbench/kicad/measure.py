"""Measuring a design as it stands: both reports, on a copy, so that kicad-cli's droppings stay out of the tree."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.kicad.cli import KicadCli
from copperbench.kicad.reports import Report
from copperbench.suite import Fixture, ReportCounts, parse_json, read_bytes, tree_files


@dataclass(frozen=True, slots=True)
class Measured:
    """The reports of one design; `drc` is None where there is no board."""

    erc: Report
    drc: Report | None


def measure(kicad_cli: KicadCli, tree: Path, schematic: str, board: str | None) -> Measured:
    """Run ERC, and DRC where there is a board, on a copy of `tree`; paths are relative to it (STANDARD 13).

    Raises DesignUnloadable and KicadCliFailed as the wrapper does.
    """
    with tempfile.TemporaryDirectory(prefix="copperbench-measure-", ignore_cleanup_errors=True) as scratch:
        copy = Path(scratch)
        for relative, path in tree_files(tree):
            (copy / relative).parent.mkdir(parents=True, exist_ok=True)
            (copy / relative).write_bytes(path.read_bytes())
        drc = None if board is None else kicad_cli.drc(copy / board)
        return Measured(kicad_cli.erc(copy / schematic), drc)


def report_counts(report: Report) -> ReportCounts:
    """The counts that a manifest states about a report (STANDARD 13); `report` is its place in the fixture."""
    errors, warnings = report.counts_of("error"), report.counts_of("warning")
    parity = report.counts("warning", "parity")
    return ReportCounts(
        report=f"baseline/{report.kind}.json",
        errors=sum(errors.values()),
        error_types=errors,
        warnings=sum(warnings.values()),
        warning_types=warnings,
        unconnected_items=len(report.unconnected),
        schematic_parity=sum(parity.values()),
        schematic_parity_types=parity,
    )


def baseline_block(measured: Measured) -> dict[str, Any]:
    """The `baseline` block of a manifest, but for its note (STANDARD 13)."""
    block: dict[str, Any] = {"erc": _stated(report_counts(measured.erc)), "drc": None}
    if measured.drc is not None:
        counts = report_counts(measured.drc)
        block["drc"] = _stated(counts) | {
            "unconnectedItems": counts.unconnected_items,
            "schematicParity": counts.schematic_parity,
            "schematicParityTypes": dict(counts.schematic_parity_types or {}),
        }
    return block


def _stated(counts: ReportCounts) -> dict[str, Any]:
    return {
        "report": counts.report,
        "errors": counts.errors,
        "errorTypes": dict(counts.error_types),
        "warnings": counts.warnings,
        "warningTypes": dict(counts.warning_types),
    }


def read_baseline(folder: Path, fixture: Fixture) -> Measured:
    """The recorded reports of a fixture, as `fixture.json` names them in its folder (STANDARD 13).

    Raises SuiteError when a report is missing (also where the fixture is published-only and has none) or no JSON,
    CopperbenchError when it is no report.
    """
    erc = _read_report(folder, fixture.erc)
    return Measured(erc, None if fixture.drc is None else _read_report(folder, fixture.drc))


def _read_report(folder: Path, counts: ReportCounts) -> Report:
    where = f"fixtures/{folder.name}/{counts.report}"
    if not counts.report:
        raise SuiteError(f"fixtures/{folder.name}", "has no recorded report", "its tree was never measured here")
    return Report.from_json(parse_json(read_bytes(folder / counts.report, where), where), where)
