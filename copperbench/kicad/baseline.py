"""A report against a fixture's recorded baseline: an allowlist by type and count (STANDARD 4, baseline-relative)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from copperbench.errors import CopperbenchError
from copperbench.kicad.reports import Part, Report, Severity

CEILING = 199
"""KiCad stops counting many DRC types here: a recorded count of 199 says `at least 199`."""

Status = Literal["pass", "fail", "saturated"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One type that goes beyond the baseline, or (`saturated`) whose count cannot tell."""

    part: Part
    type: str
    count: int
    baseline: int
    saturated: bool = False

    def __str__(self) -> str:
        prefix = "" if self.part == "violations" or self.type.startswith(self.part) else f"{self.part} "
        if self.saturated:
            return f"{prefix}{self.type} is saturated ({self.count}, and KiCad counts no further)"
        return f"{prefix}{self.type} {self.count} (baseline {self.baseline})"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison says: `detail` names each type with its counts; `findings` are the same as data."""

    status: Status
    detail: str
    findings: tuple[Finding, ...] = ()


def new_violations(report: Report, baseline: Report, severity: Severity) -> Comparison:
    """Hold a report against the recorded one at `severity` and above (STANDARD 4, baseline-relative verification).

    A type that the baseline lacks, or more of it than recorded, fails and is named. Unconnected items count
    whatever their severity, parity by type at the severity. At `warning` the errors are held against the recorded
    errors as well, so that none can hide behind a warning that went away. A type recorded at KiCad's ceiling and
    there again makes the comparison `saturated` unless something else fails it. Raises CopperbenchError when the
    reports are of different kinds or KiCad majors: their types do not correspond.
    """
    if report.kind != baseline.kind:
        raise CopperbenchError(f"{report.kind} report", f"cannot be compared with a baseline of kind {baseline.kind}")
    if report.major != baseline.major:
        raise CopperbenchError(
            f"{report.kind} report",
            f"KiCad {report.kicad_version} and the baseline's {baseline.kicad_version} do not compare",
            f"grade with a kicad-cli {baseline.major}",
        )
    findings = _one_per_type(_findings(report, baseline, severity))
    if not findings:
        return Comparison("pass", f"nothing beyond the baseline at {severity}")
    status: Status = "saturated" if all(f.saturated for f in findings) else "fail"
    return Comparison(status, ", ".join(map(str, findings)), findings)


def _findings(report: Report, baseline: Report, severity: Severity) -> Iterator[Finding]:
    levels: tuple[Severity, ...] = ("error",) if severity == "error" else ("error", "warning")
    for level in levels:
        yield from _beyond(report, baseline, level, "violations")
    yield from _beyond(report, baseline, "warning", "unconnected")
    for level in levels:
        yield from _beyond(report, baseline, level, "parity")


def _one_per_type(findings: Iterator[Finding]) -> tuple[Finding, ...]:
    """The first finding of each type, errors before warnings; one that fails before one that cannot tell."""
    kept: dict[tuple[Part, str], Finding] = {}
    for finding in findings:
        key = (finding.part, finding.type)
        if key not in kept or (kept[key].saturated and not finding.saturated):
            kept[key] = finding
    return tuple(kept.values())


def _beyond(report: Report, baseline: Report, severity: Severity, part: Part) -> Iterator[Finding]:
    recorded = baseline.counts(severity, part)
    for kind, count in report.counts(severity, part).items():
        allowed = recorded.get(kind, 0)
        if count > allowed:
            yield Finding(part, kind, count, allowed)
        elif report.kind == "drc" and count == allowed == CEILING:
            yield Finding(part, kind, count, allowed, saturated=True)
