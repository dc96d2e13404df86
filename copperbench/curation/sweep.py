"""A vetting sweep: many candidates measured under the same conditions, one row each (STANDARD 13).

A shortlist is a hypothesis, and this is the measurement. The verdict is about format, loading and counts alone:
licence, purpose and upstream are for a person to judge.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from copperbench.curation.design import CandidateRefused, collect_design
from copperbench.curation.measuring import copy_design, measured, refusals, to_account_for
from copperbench.curation.scale import scale_of
from copperbench.curation.sources import Source
from copperbench.errors import CopperbenchError
from copperbench.kicad import KicadCli, Measured, report_counts
from copperbench.publish import json_bytes, marked
from copperbench.suite import ReportCounts

CLEAN, ACCOUNT, REFUSED = "clean", "to account for", "refused"


@dataclass(frozen=True, slots=True)
class Counted:
    """One report in numbers: errors and warnings by type."""

    errors: Mapping[str, int] = field(default_factory=dict)
    warnings: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate: its size, what KiCad found in it, and the verdict with its reason.

    Fields are None where it was refused before they could be known.
    """

    project: str
    verdict: str
    reason: str
    file_format: str | None = None
    sheets: int | None = None
    symbols: int | None = None
    erc: Counted | None = None
    drc: Counted | None = None
    unconnected: int | None = None
    parity: Mapping[str, int] | None = None
    kicad_cli: str | None = None


def measure_candidate(source: Source, project: str, name: str, cli: KicadCli) -> Row:
    """Measure one project of a source on a copy of its design files; `name` is how the row is called.

    Whatever is wrong with a candidate is its row's verdict, never an exception.
    """
    try:
        candidate = collect_design(source, project)
    except CopperbenchError as error:
        return Row(name, REFUSED, _reason(error))
    row = Row(name, REFUSED, "", candidate.file_format)
    with tempfile.TemporaryDirectory(prefix="copperbench-sweep-", ignore_cleanup_errors=True) as scratch:
        tree = Path(scratch)
        try:
            copy_design(source, candidate, tree)
            scale = scale_of(candidate, tree)
            row = replace(row, sheets=scale.sheets, symbols=scale.symbols)
            reports = measured(cli, candidate, tree)
        except CopperbenchError as error:
            return replace(row, reason=_reason(error))
    return _judged(row, reports, cli.version)


def _judged(row: Row, reports: Measured, version: str) -> Row:
    refused = next(refusals(reports), None)
    open_ = to_account_for(reports)
    verdict = REFUSED if refused else ACCOUNT if open_ else CLEAN
    reason = _reason(refused) if refused else ("no board" if reports.drc is None else "")
    drc = None if reports.drc is None else report_counts(reports.drc)
    return replace(
        row,
        verdict=verdict,
        reason=reason,
        erc=_counted(report_counts(reports.erc)),
        drc=None if drc is None else _counted(drc),
        unconnected=None if drc is None else drc.unconnected_items,
        parity=None if drc is None else dict(drc.schematic_parity_types or {}),
        kicad_cli=version,
    )


def _counted(counts: ReportCounts) -> Counted:
    return Counted(dict(counts.error_types), dict(counts.warning_types))


def _reason(error: CopperbenchError) -> str:
    return f"{error.where}: {error.what}" if isinstance(error, CandidateRefused) else error.what


def sweep_json(rows: Sequence[Row]) -> bytes:
    """The rows as JSON."""
    return json_bytes({"rows": [asdict(row) for row in rows]})


def sweep_table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table: counts with their types, a dash where there is nothing to count; and its mark."""
    head = ("project", "format", "sheets / symbols", "ERC errors", "ERC warnings", "DRC errors", "DRC warnings")
    lines = [(*head, "unconnected", "parity", "verdict"), ("---",) * (len(head) + 3)]
    for row in rows:
        erc, drc = row.erc, row.drc
        cells = (
            row.project,
            row.file_format or "—",
            "—" if row.sheets is None else f"{row.sheets} / {row.symbols}",
            *(_types(erc.errors if erc else None), _types(erc.warnings if erc else None)),
            *(_types(drc.errors if drc else None), _types(drc.warnings if drc else None)),
            "—" if row.unconnected is None else str(row.unconnected),
            _types(row.parity),
            row.verdict + (f": {row.reason}" if row.reason else ""),
        )
        lines.append(tuple(cell.replace("|", "\\|") for cell in cells))
    return marked("".join(f"| {' | '.join(line)} |\n" for line in lines))


def _types(counts: Mapping[str, int] | None) -> str:
    if counts is None:
        return "—"
    total = sum(counts.values())
    listed = ", ".join(
        f"{kind} {count}" for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return f"{total}: {listed}" if total else "0"
