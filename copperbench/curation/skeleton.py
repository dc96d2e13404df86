"""Manifest and README of a new fixture: what was measured is filled in, what a person must judge is a `TO DO`."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copperbench.curation.design import Candidate
from copperbench.curation.licences import Licence
from copperbench.curation.measuring import to_account_for
from copperbench.curation.scale import Scale
from copperbench.kicad import Measured, baseline_block, report_counts
from copperbench.suite import Tier

_WRITERS = {"20211123": "6.0", "20230121": "7.0", "20231120": "8.0", "20250114": "9.0", "20260306": "10.0"}


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of a new fixture; `url` is empty and `licence` None for a board of one's own."""

    fixture_id: str
    url: str
    commit: str
    retrieved: str
    licence: Licence | None
    candidate: Candidate
    scale: Scale
    tier: Tier | None
    sha256: str
    reports: Measured
    eol: Mapping[str, str]

    @property
    def holder(self) -> str:
        """The copyright line of upstream, or who upstream is where it states none."""
        owner = self.url.rstrip("/").split("/")[-2] if self.url.count("/") > 3 else self.url
        stated = self.licence.copyright if self.licence else ""
        return stated or f"{owner} (upstream states no copyright line)"


def manifest(facts: Facts) -> Mapping[str, Any]:
    """The `fixture.json` of a new fixture (STANDARD 13)."""
    candidate, scale, reports = facts.candidate, facts.scale, facts.reports
    return {
        "id": facts.fixture_id,
        "sha256": facts.sha256,
        "complexity": facts.tier or scale.tier,
        "upstream": _upstream(facts),
        "kicad": {
            "authoredVersion": candidate.written_by or _WRITERS.get(candidate.file_format, "unknown"),
            "fileFormatVersion": candidate.file_format,
            "verifiedWithKicadCli": reports.erc.kicad_version,
        },
        "artifacts": {
            "schematic": candidate.schematic,
            "board": candidate.board,
            "project": candidate.project,
        },
        "scale": {
            "schematicLines": scale.schematic_lines,
            "boardLines": scale.board_lines,
            "symbols": scale.symbols,
            "sheets": scale.sheets,
            "fileCount": scale.files,
            "signalNets": list(scale.signal_nets),
            "powerNets": list(scale.power_nets),
        },
        "baseline": baseline_block(reports) | {"note": _note(facts)},
        "files": [
            {"path": path, "upstreamPath": path if facts.url else None, "eol": facts.eol[path]}
            for path in candidate.files
        ],
        "availability": "obtainable" if facts.url else "committed",
    }


def readme(facts: Facts) -> str:
    """The README of a new fixture (STANDARD 13): provenance, what was copied, every error by type."""
    candidate, scale = facts.candidate, facts.scale
    rows = [("tree hash", f"`{facts.sha256}`")]
    rows.append(("tier", f"{facts.tier or scale.tier}: {scale.sheets} sheet(s), {scale.symbols} symbols"))
    if facts.licence is not None:
        rows = [
            ("upstream", facts.url),
            ("commit", f"`{facts.commit}`"),
            ("retrieved", facts.retrieved),
            ("licence", f"{facts.licence.name}, `{facts.licence.path}` of upstream"),
            ("copyright", facts.holder),
            *rows,
        ]
    table = "| | |\n|---|---|\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)
    parts = [
        f"# {facts.fixture_id}\n\nTO DO: what the board is, and what makes it worth a task.\n\n{table}",
        f"## What was copied\n\nAt upstream's paths, byte for byte:\n\n{_listed(candidate.files)}"
        f"\nNot copied, though the design names it:\n\n{_listed(candidate.left_out) or '- nothing' + chr(10)}"
        f"\nLeft behind by tools and swept: {', '.join(candidate.droppings) or 'nothing'}.\n",
        _baseline(facts),
    ]
    if facts.licence is not None:
        parts.insert(1, _licence_part(facts.licence))
    return "\n".join(parts)


def _licence_part(licence: Licence) -> str:
    text = (
        "TO DO: say where upstream puts the design files under this licence (a repository's licence may be its\n"
        "software's alone), and under what the symbols and footprints of third parties come.\n"
    )
    head = "## Licence rationale\n\n" if licence.name.startswith(("CC-BY", "CERN-OHL-W")) else "## Licence\n\n"
    return head + text


def _baseline(facts: Facts) -> str:
    reports = facts.reports
    erc = report_counts(reports.erc)
    lines = [f"| ERC | {erc.errors} | {erc.warnings} | | |\n"]
    warnings = [f"- `{kind}` {count} (ERC): TO DO\n" for kind, count in erc.warning_types.items()]
    if reports.drc is not None:
        drc = report_counts(reports.drc)
        lines.append(f"| DRC | {drc.errors} | {drc.warnings} | {drc.unconnected_items} | {drc.schematic_parity} |\n")
        warnings += [f"- `{kind}` {count} (DRC): TO DO\n" for kind, count in drc.warning_types.items()]
    asked = [f"- {each}: TO DO\n" for each in to_account_for(reports)]
    return (
        f"## Baseline\n\nMeasured with kicad-cli {reports.erc.kicad_version}, default severities and schematic parity, "
        "with no KiCad library and no global library\ntable. Reports: `baseline/erc.json`, `baseline/drc.json`.\n\n"
        "| | errors | warnings | unconnected | parity |\n|---|---|---|---|---|\n"
        + "".join(lines)
        + "\nErrors, unconnected items and parity, each to be accounted for:\n\n"
        + ("".join(asked) or "- none\n")
        + "\nWarnings:\n\n"
        + ("".join(warnings) or "- none\n")
    )


def _listed(names: tuple[str, ...]) -> str:
    return "".join(f"- `{name}`\n" for name in names)


def _upstream(facts: Facts) -> Mapping[str, str] | None:
    if facts.licence is None:
        return None
    return {
        "name": posixpath.basename(facts.url.rstrip("/")).removesuffix(".git"),
        "url": facts.url,
        "commit": facts.commit,
        "retrieved": facts.retrieved,
        "license": facts.licence.name,
        "licenseFile": facts.licence.path,
        "copyright": facts.holder,
        "modifications": f"none: {len(facts.candidate.files)} design files at upstream's paths, byte for byte",
    }


def _note(facts: Facts) -> str:
    found = to_account_for(facts.reports)
    said = f"To be accounted for: {', '.join(found)}." if found else "No error, nothing unconnected, no parity issue."
    return f"{said} Measured with no KiCad library installed."
