"""Which files of a candidate are its design: what KiCad needs to open it, and nothing else (STANDARD 13)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from copperbench.curation.sources import Source
from copperbench.errors import CopperbenchError, KicadFileError
from copperbench.kicad import Schematic, load_schematic
from copperbench.suite.fixture_rules import DROPPINGS, OLDEST_FORMAT

TABLES = ("sym-lib-table", "fp-lib-table")
_FORMAT = re.compile(r"\A\s*\(\s*kicad_sch\s*\(\s*version\s+\"?(\d{8})\"?\s*\)")
_GENERATOR = re.compile(r"\(generator_version\s+\"?([\d.]+)\"?\s*\)")
_HERE = re.compile(r"\A\$[{(]KIPRJMOD[)}]/")


class CandidateRefused(CopperbenchError):
    """A board that cannot become a fixture: `where` is the rule that refuses it (STANDARD 13)."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A design with the files that belong to it; all paths are relative to the source's root, `/`-separated.

    `left_out` are files that its tables or project name and that are not taken, with the reason.
    """

    project: str
    schematic: str
    board: str | None
    files: tuple[str, ...]
    droppings: tuple[str, ...]
    left_out: tuple[str, ...]
    file_format: str
    written_by: str
    read: Schematic


def find_projects(source: Source) -> tuple[str, ...]:
    """The paths of all KiCad projects of a source that have a schematic or a board beside them, sorted."""
    projects = [path for path in source.paths if path.endswith(".kicad_pro")]
    suffixes = (".kicad_sch", ".kicad_pcb", ".sch")
    return tuple(
        sorted(each for each in projects if any(_sibling(each, suffix) in source.paths for suffix in suffixes))
    )


def collect_design(source: Source, project: str) -> Candidate:
    """The design files of one project (STANDARD 13): format gate, hierarchy, tables, what the tables name.

    Raises CandidateRefused for a legacy or incomplete design.
    """
    schematic = _sibling(project, ".kicad_sch")
    if schematic not in source.paths:
        legacy = _sibling(project, ".sch") in source.paths
        name = posixpath.basename(schematic)
        rule, what = ("legacy-format", "it is drawn in .sch") if legacy else ("complete", f"there is no {name}")
        raise CandidateRefused(rule, what, "a fixture has a .kicad_sch of KiCad 6 or later")
    try:
        read = load_schematic(source.root / schematic, within=source.root)
    except KicadFileError as error:
        what = f"{error.where.replace(str(source.root) + '/', '')}: {error.what}"
        raise CandidateRefused("loads", what, "choose a design that loads") from error
    folder = posixpath.dirname(schematic)
    sheets = sorted({posixpath.normpath(posixpath.join(folder, sheet.file)) for sheet in read.sheets})
    format_, written_by = _formats(source, sheets, schematic)
    board = _sibling(project, ".kicad_pcb")
    rules = _sibling(project, ".kicad_dru")
    named, left_out = _named(source, project)
    files = {*sheets, project, *named, *(path for path in (board, rules) if path in source.paths)}
    return Candidate(
        project=project,
        schematic=schematic,
        board=board if board in source.paths else None,
        files=tuple(sorted(files, key=str.encode)),
        droppings=tuple(sorted(path for path in source.paths if DROPPINGS.search(path))),
        left_out=left_out,
        file_format=format_,
        written_by=written_by,
        read=read,
    )


def _formats(source: Source, sheets: list[str], root: str) -> tuple[str, str]:
    """The format of the root sheet and the version that wrote it; every sheet is held against the oldest allowed."""
    found = ("", "")
    for path in sheets:
        text = source.read(path)[:4000].decode("utf-8", errors="replace")
        match = _FORMAT.match(text)
        if match is None or int(match[1]) < OLDEST_FORMAT:
            is_ = f"of format {match[1]}" if match else "no .kicad_sch of KiCad 6 or later"
            raise CandidateRefused("legacy-format", f"{path} is {is_}", f"{OLDEST_FORMAT} is the oldest that is read")
        if path == root:
            writer = _GENERATOR.search(text)
            found = match[1], writer[1] if writer else ""
    return found


def _named(source: Source, project: str) -> tuple[set[str], tuple[str, ...]]:
    """The library tables, what they name inside the repository, and the page layout that the project names."""
    folder = posixpath.dirname(project)
    taken: set[str] = set()
    left_out: list[str] = []
    for table in (posixpath.join(folder, name) for name in TABLES):
        if table not in source.paths:
            continue
        taken.add(table)
        for uri in _uris(source.read(table).decode("utf-8", errors="replace")):
            found = _library(source, folder, uri)
            taken.update(found)
            if not found:
                left_out.append(f"{uri} ({posixpath.basename(table)}: not a KiCad library in the repository)")
    for layout in _layouts(source.read(project)):
        path = posixpath.normpath(posixpath.join(folder, _HERE.sub("", layout)))
        if path in source.paths and path.endswith(".kicad_wks"):
            taken.add(path)
        else:
            left_out.append(f"{layout} (page layout: not in the repository)")
    return taken, tuple(left_out)


def _uris(table: str) -> Iterator[str]:
    for match in re.finditer(r"\(uri\s+(?:\"((?:[^\"\\]|\\.)*)\"|([^\s()]+))", table):
        yield match[1] or match[2] or ""


def _library(source: Source, folder: str, uri: str) -> set[str]:
    """The files of a library that a table names inside the repository; empty where it is elsewhere or legacy."""
    if not _HERE.match(uri):
        return set()
    path = posixpath.normpath(posixpath.join(folder, _HERE.sub("", uri)))
    if path.endswith(".kicad_sym"):
        return {path} & source.paths
    prefix = f"{path}/"
    inside = {each for each in source.paths if each.startswith(prefix) and "/" not in each[len(prefix) :]}
    return {each for each in inside if each.endswith((".kicad_mod", ".kicad_sym"))}


def _layouts(project: bytes) -> Iterator[str]:
    try:
        value: Any = json.loads(project.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError):
        return
    for part in ("schematic", "pcbnew"):
        section = value.get(part) if isinstance(value, dict) else None
        name = section.get("page_layout_descr_file") if isinstance(section, dict) else None
        if isinstance(name, str) and name:
            yield name


def _sibling(project: str, suffix: str) -> str:
    return PurePosixPath(project).with_suffix(suffix).as_posix()
