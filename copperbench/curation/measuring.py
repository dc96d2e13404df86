"""A candidate's ERC and DRC, and what the standard says about them: refuse, account for, or nothing to say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from copperbench.curation.design import Candidate, CandidateRefused
from copperbench.curation.sources import Source
from copperbench.errors import KicadCliFailed
from copperbench.kicad import KicadCli, Measured, measure, report_counts
from copperbench.suite.baseline_rules import METADATA_PARITY, STRUCTURAL_PARITY


def copy_design(source: Source, candidate: Candidate, tree: Path) -> None:
    """Write a candidate's design files below the new folder `tree`, in the layout of the source."""
    for path in candidate.files:
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read(path))


def measured(cli: KicadCli, candidate: Candidate, tree: Path) -> Measured:
    """Both reports of a design in `tree`. Raises CandidateRefused where kicad-cli does not load it or cannot finish."""
    try:
        return measure(cli, tree, candidate.schematic, candidate.board)
    except KicadCliFailed as error:
        place = Path(error.where).name
        raise CandidateRefused("loads", f"{place}: {error.what}", error.remedy) from error


def refusals(reports: Measured) -> Iterator[CandidateRefused]:
    """What in the reports can never be a baseline: parity that is structural, or of a type nobody has classified."""
    if reports.drc is None:
        return
    for kind, count in sorted((report_counts(reports.drc).schematic_parity_types or {}).items()):
        if kind in STRUCTURAL_PARITY:
            what = f"{kind} {count}: board and schematic hold different parts"
            yield CandidateRefused("parity", what, "choose a board that agrees with its schematic")
        elif kind not in METADATA_PARITY:
            what = f"{kind} {count} is a type that nobody has classified"
            yield CandidateRefused("parity", what, "classify it in fixtures/FIXTURES.md first")


def to_account_for(reports: Measured) -> tuple[str, ...]:
    """What a README has to explain, one entry per type: errors, unconnected items, metadata parity."""
    found = [f"ERC {kind} {count}" for kind, count in report_counts(reports.erc).error_types.items()]
    if reports.drc is not None:
        counts = report_counts(reports.drc)
        found += [f"DRC {kind} {count}" for kind, count in counts.error_types.items()]
        found += [f"unconnected {counts.unconnected_items}"] if counts.unconnected_items else []
        found += [f"parity {kind} {count}" for kind, count in (counts.schematic_parity_types or {}).items()]
    return tuple(found)
