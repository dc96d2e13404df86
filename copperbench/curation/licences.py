"""Which licence a text is, by phrases that only it has, and whether a fixture may come under it (STANDARD 13)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from copperbench.curation.design import CandidateRefused
from copperbench.curation.sources import Source
from copperbench.suite.fixture_rules import LICENSES, LICENSES_WITH_RATIONALE

_NAME = re.compile(r"(un)?licen[cs]e|copying", re.IGNORECASE)
_TERM = r"\(*[A-Za-z0-9][A-Za-z0-9.+-]*\)*"
_TAG = re.compile(rf"SPDX-License-Identifier:[ \t]*({_TERM}(?:[ \t]+(?:AND|OR|WITH)[ \t]+{_TERM})*)")
_COPYRIGHT = re.compile(r"^\W*(copyright\b.{0,20}\b(19|20)\d\d\b.*)$", re.IGNORECASE | re.MULTILINE)
_PHRASES: tuple[tuple[str, str], ...] = (
    ("AGPL", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"),
    ("GPL", "gnu general public license"),
    ("CC-BY-NC", "noncommercial"),
    ("CC-BY-ND", "noderivatives"),
    ("CC-BY-SA", "attribution-sharealike"),
    ("CC-BY-SA", "attribution-share alike"),
    ("CC-BY-4.0", "attribution 4.0 international"),
    ("CC0-1.0", "cc0 1.0 universal"),
    ("CERN-OHL-S", "cern open hardware licence version 2 - strongly reciprocal"),
    ("CERN-OHL-W-2.0", "cern open hardware licence version 2 - weakly reciprocal"),
    ("CERN-OHL-P-2.0", "cern open hardware licence version 2 - permissive"),
    ("Apache-2.0", "apache license version 2.0"),
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
    ("TAPR-OHL", "tapr open hardware license"),
    ("MPL", "mozilla public license"),
    ("Solderpad", "solderpad hardware"),
)


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence that covers a design: its SPDX name, the file that says so, its bytes, the copyright line if any."""

    name: str
    path: str
    text: bytes
    copyright: str


def licence_of(source: Source, project: str, named: str = "", claimed: str = "") -> Licence:
    """The licence of the project at `project`: the licence file nearest to it (STANDARD 13).

    `named` is a licence file to use instead, `claimed` the SPDX name that a curator gives to a text that is not
    recognised. Raises CandidateRefused where there is none, several, or one that a fixture may not come under.
    """
    path = named or _nearest(source, project)
    text = source.read(path)
    shown = text.decode("utf-8", errors="replace")
    found = identify(shown)
    if len(found) > 1:
        what = f"{path} speaks of {', '.join(found)}"
        raise CandidateRefused("licence", what, "find out which covers the design files; --licence-file names a file")
    if not found and not claimed:
        what = f"{path} is not recognised"
        raise CandidateRefused("licence", what, "read it, and name what it is with --licence SPDX")
    name = found[0] if found else claimed
    if claimed and claimed != name:
        raise CandidateRefused("licence", f"{path} is {name}, not {claimed}", "leave --licence out")
    gate(name)
    line = _COPYRIGHT.search(shown)
    return Licence(name, path, text, " ".join(line[1].split()) if line else "")


def gate(name: str) -> None:
    """Raise CandidateRefused unless a fixture may come under the licence of this SPDX name (STANDARD 13)."""
    if name not in (*LICENSES, *LICENSES_WITH_RATIONALE):
        raise CandidateRefused(
            "licence",
            f"{name} is not on the list",
            f"use a board under {', '.join(LICENSES)}, or with a rationale {' or '.join(LICENSES_WITH_RATIONALE)}",
        )


def identify(text: str) -> tuple[str, ...]:
    """The SPDX names (of a family, where any version is refused) of the licences that a text holds, sorted."""
    plain = re.sub(r"[\s,]+", " ", text.lower().replace("\u2013", "-").replace("\u2014", "-"))
    found = {name for name, phrase in _PHRASES if phrase.replace(",", "") in plain}
    if "redistributions of source code must retain" in plain:
        found.add(_bsd(plain))
    if found & {"AGPL", "LGPL"}:  # their texts name the GPL
        found.discard("GPL")
    # All names of an expression: whoever reads `A AND B` has to look under what the design files come.
    terms = (term.strip("()") for expression in _TAG.findall(text) for term in expression.split())
    tags = {term for term in terms if term not in ("AND", "OR", "WITH")}
    found |= {tag for tag in tags if not any(tag.startswith(name) for name in found)}
    return tuple(sorted(found))


def licence_files(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths whose names are those of licence files, sorted."""
    return tuple(sorted(path for path in paths if _NAME.match(PurePosixPath(path).name)))


def _bsd(plain: str) -> str:
    if "all advertising materials" in plain:
        return "BSD-4-Clause"
    return "BSD-3-Clause" if "neither the name" in plain else "BSD-2-Clause"


def _nearest(source: Source, project: str) -> str:
    """The licence file in the project's folder, else in the nearest folder above it."""
    files = licence_files(source.paths)
    for folder in PurePosixPath(project).parents:
        here = [path for path in files if PurePosixPath(path).parent == folder]
        if len(here) > 1:
            what = f"there are several licence files: {', '.join(here)}"
            raise CandidateRefused("licence", what, "say with --licence-file which one covers the design files")
        if here:
            return here[0]
    what = f"no licence file lies beside {project} or above it"
    raise CandidateRefused("licence", what, "a board without a licence may not be copied")
