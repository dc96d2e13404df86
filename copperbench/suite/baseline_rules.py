"""A fixture's recorded baseline is accounted for: counts, reports and README agree (STANDARD 13).

The reports are read as plain JSON in their normalised form: lists `violations`, `unconnected` and `parity` of
objects with `type` and `severity`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.suite.findings import Finding, from_error
from copperbench.suite.models import Fixture, ReportCounts
from copperbench.suite.reading import parse_json, read_bytes

METADATA_PARITY = ("footprint_symbol_field_mismatch", "footprint_symbol_mismatch")
STRUCTURAL_PARITY = ("duplicate_footprints", "extra_footprint", "missing_footprint")


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What a report on disk holds, counted by type."""

    version: str
    errors: Mapping[str, int]
    warnings: Mapping[str, int]
    unconnected: int
    parity: Mapping[str, int]


def check_baseline(folder: Path, fixture: Fixture) -> list[Finding]:
    """Everything that is wrong with the recorded baseline of a fixture's folder (STANDARD 13)."""
    where = f"fixtures/{folder.name}"
    place = f"{where}/fixture.json: $.baseline"
    readme = _readme(folder)
    findings: list[Finding] = []
    for name, counts in (("erc", fixture.erc), ("drc", fixture.drc)):
        if counts is None:
            continue
        findings += _sums(counts, f"{place}.{name}", published=fixture.availability == "published-only")
        findings += _explained(counts, readme, f"{where}/README.md")
        if counts.report:
            findings += _against_report(folder, name, counts, fixture, f"{place}.{name}")
        elif fixture.availability == "published-only":
            if "published" not in fixture.baseline_note.lower():
                what = "counts without a report are not marked as published"
                findings.append(Finding(f"{place}.note", "baseline", what, "say so in the note (STANDARD 13)"))
        else:
            what = "names no report"
            findings.append(Finding(f"{place}.{name}.report", "baseline", what, "measure it (STANDARD 13)"))
    if fixture.drc is not None:
        findings += _connected(fixture.drc, fixture.baseline_note, place)
        findings += _parity(fixture.drc, f"{place}.drc")
    return findings


def _sums(counts: ReportCounts, place: str, *, published: bool) -> Iterator[Finding]:
    """Types add up to their total; a publication that gives a total of warnings alone cannot be held to it."""
    for name, total, types in (
        ("errors", counts.errors, counts.error_types),
        ("warnings", counts.warnings, counts.warning_types),
    ):
        unknown = published and name == "warnings" and not types
        if sum(types.values()) != total and not unknown:
            what = f"{total} is not the sum of {name[:-1]}Types, {sum(types.values())}"
            yield Finding(f"{place}.{name}", "baseline-sum", what, "enumerate every type (STANDARD 13)")


def _explained(counts: ReportCounts, readme: str, where: str) -> Iterator[Finding]:
    for kind in sorted({*counts.error_types, *(counts.schematic_parity_types or ())}):
        if kind not in readme:
            what = f"does not account for {kind}, which the baseline holds"
            yield Finding(where, "baseline-explained", what, "explain it (STANDARD 13)")


def _connected(drc: ReportCounts, note: str, place: str) -> Iterator[Finding]:
    if drc.unconnected_items and "unconnected" not in note.lower():
        what = f"{drc.unconnected_items} unconnected items and not a word about them in the note"
        yield Finding(f"{place}.drc.unconnectedItems", "unconnected", what, "argue it in the note (STANDARD 13)")


def _parity(drc: ReportCounts, place: str) -> Iterator[Finding]:
    types = drc.schematic_parity_types or {}
    if sum(types.values()) != drc.schematic_parity:
        what = f"{drc.schematic_parity} is not the sum of schematicParityTypes, {sum(types.values())}"
        yield Finding(f"{place}.schematicParity", "baseline-sum", what, "enumerate every type (STANDARD 13)")
    for kind in sorted(types):
        spot = f"{place}.schematicParityTypes.{kind}"
        if kind in STRUCTURAL_PARITY:
            what = "board and schematic hold different parts: structural, never a baseline"
            yield Finding(spot, "parity", what, "refuse this board (STANDARD 13)")
        elif kind not in METADATA_PARITY:
            what = "is a parity type that nobody has classified"
            yield Finding(spot, "parity", what, "classify it as metadata or structural first (STANDARD 13)")


def _against_report(folder: Path, name: str, counts: ReportCounts, fixture: Fixture, place: str) -> Iterator[Finding]:
    try:
        recorded = _recorded(folder / counts.report, f"fixtures/{folder.name}/{counts.report}", name)
    except SuiteError as error:
        yield from_error(error, "baseline")
        return
    said: dict[str, tuple[object, object]] = {
        "errorTypes": (dict(counts.error_types), dict(recorded.errors)),
        "warningTypes": (dict(counts.warning_types), dict(recorded.warnings)),
    }
    if name == "drc":
        parity = dict(counts.schematic_parity_types or {})
        said["unconnectedItems"] = (counts.unconnected_items, recorded.unconnected)
        said["schematicParityTypes"] = (parity, dict(recorded.parity))
    for field, (manifest, report) in said.items():
        if manifest != report:
            what = f"{_shown(manifest)} is not what {counts.report} holds, {_shown(report)}"
            yield Finding(f"{place}.{field}", "baseline-report", what, "correct the counts (STANDARD 13)")
    if recorded.version != fixture.verified_with_kicad_cli:
        what = f"was measured with {recorded.version}, the manifest says {fixture.verified_with_kicad_cli}"
        remedy = "measure counts and reports together (STANDARD 13)"
        yield Finding(f"fixtures/{folder.name}/{counts.report}", "baseline-report", what, remedy)


def _recorded(path: Path, where: str, kind: str) -> _Recorded:
    data = parse_json(read_bytes(path, where), where)
    if not isinstance(data, dict) or data.get("kind") != kind:
        remedy = "measure it with `copperbench baseline` (STANDARD 13)"
        raise SuiteError(where, f"is no recorded {kind.upper()} report", remedy)
    violations = _types(data, "violations", where)
    return _Recorded(
        version=str(data.get("kicadVersion")),
        errors=Counter(type_ for type_, severity in violations if severity == "error"),
        warnings=Counter(type_ for type_, severity in violations if severity == "warning"),
        unconnected=len(_types(data, "unconnected", where)),
        parity=Counter(type_ for type_, _ in _types(data, "parity", where)),
    )


def _types(data: Mapping[str, Any], part: str, where: str) -> list[tuple[str, str]]:
    rows = data.get(part, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) and _is_typed(row) for row in rows):
        remedy = "measure it with `copperbench baseline` (STANDARD 13)"
        raise SuiteError(f"{where}: $.{part}", "is no list of violations", remedy)
    return [(row["type"], row["severity"]) for row in rows]


def _is_typed(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("type"), str) and row.get("severity") in ("error", "warning")


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{kind} {count}" for kind, count in sorted(value.items())) or "none"
    return str(value)


def _readme(folder: Path) -> str:
    try:
        return (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
