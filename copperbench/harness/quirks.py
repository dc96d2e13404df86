"""What versions of a harness need done to the starting state, by name (STANDARD 2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from copperbench.errors import HarnessUnavailable
from copperbench.suite import Fixture, HarnessEntry, ReportCounts

SILENCE = "silence-standing-violations"


def quirks_of(harness: HarnessEntry, version: str) -> tuple[str, ...]:
    """The names of the quirks that this version of a harness has, in the order of its entry."""
    return tuple(quirk.name for quirk in harness.quirks if any(fnmatchcase(version, each) for each in quirk.versions))


def apply_quirks(names: Iterable[str], root: Path, fixture: Fixture) -> None:
    """Do to the starting state in `root` what the quirks ask for. Raises HarnessUnavailable when that cannot be."""
    for name in names:
        if name == SILENCE:
            silence_standing_violations(root, fixture)


def silence_standing_violations(root: Path, fixture: Fixture) -> None:
    """Set the severity of every violation type that the fixture's baseline has to `ignore` in its project file.

    For harnesses that finish only where ERC and DRC are silent. Grading uses the fixture's own project file, and an
    end state is compared with this baseline, so it moves no verdict. Raises HarnessUnavailable when there is no
    project file to change.
    """
    erc, drc = _types(fixture.erc), _types(fixture.drc)
    if not erc and not drc:
        return
    place = root / (fixture.project or "")
    try:
        project = json.loads(place.read_text(encoding="utf-8"))
        _ignore(project.setdefault("erc", {}), erc)
        _ignore(project.setdefault("board", {}).setdefault("design_settings", {}), drc)
        text = json.dumps(project, indent=2, ensure_ascii=False) + "\n"
        place.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise HarnessUnavailable(place, f"cannot be silenced ({type(error).__name__})", "see the quirk") from error


def _types(counts: ReportCounts | None) -> tuple[str, ...]:
    if counts is None:
        return ()
    parity = counts.schematic_parity_types or {}
    return tuple(dict.fromkeys((*counts.error_types, *counts.warning_types, *parity)))


def _ignore(settings: dict[str, Any], types: Iterable[str]) -> None:
    severities: Mapping[str, Any] = settings.get("rule_severities") or {}
    settings["rule_severities"] = {**severities, **dict.fromkeys(types, "ignore")}
