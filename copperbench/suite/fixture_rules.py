"""The rules that a fixture's folder must obey: files, licence, tree (STANDARD 13); its counts are `baseline_rules`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from copperbench.errors import CopperbenchError, SuiteError
from copperbench.suite.baseline_rules import check_baseline
from copperbench.suite.credentials import find_credentials
from copperbench.suite.findings import Finding, Skipped, from_error, schema_findings
from copperbench.suite.hash_fixture import tree_files
from copperbench.suite.loading import Suite, load_fixture, verify_tree
from copperbench.suite.models import Fixture
from copperbench.suite.reading import parse_json, read_bytes

ExtraCheck = Callable[[Path, Fixture], list[Finding]]
"""A check that needs more than this room knows, given the fixture's folder and manifest."""

LICENSES = ("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "CERN-OHL-P-2.0", "CC0-1.0", "Unlicense")
LICENSES_WITH_RATIONALE = ("CC-BY-4.0", "CERN-OHL-W-2.0")
OLDEST_FORMAT = 20211014

_RATIONALE = re.compile(r"^#+ .*licen[cs]e.*rationale", re.IGNORECASE | re.MULTILINE)
_FORMAT = re.compile(rb"\A\s*\(\s*kicad_sch\s*\(\s*version\s+\"?(\d{8})\"?\s*\)")
_DESIGN_NAMES = ("sym-lib-table", "fp-lib-table")
_DESIGN_SUFFIXES = (".kicad_sch", ".kicad_pcb", ".kicad_pro", ".kicad_dru", ".kicad_sym", ".kicad_mod", ".kicad_wks")
DROPPINGS = re.compile(r"(^|/)(\.history/|[^/]*\.kicad_prl$|~[^/]*\.lck$|fp-info-cache$)")
_COMMITTED = frozenset({"fixture.json", "README.md", "LICENSE", "baseline", "tree"})


def check_fixture(
    suite: Suite, fixture_id: str, extra_checks: Sequence[ExtraCheck] = ()
) -> tuple[list[Finding], list[Skipped]]:
    """Everything that is wrong with `fixtures/<fixture_id>`, and what could not be looked at.

    `extra_checks` run only on a tree that is present and has the manifest's hash.
    """
    folder, where = suite.root / "fixtures" / fixture_id, f"fixtures/{fixture_id}"
    place = f"{where}/fixture.json"
    try:
        faults = schema_findings("fixture", parse_json(read_bytes(folder / "fixture.json", place), place), place)
        if faults:
            return faults, []
        fixture = load_fixture(folder)
    except SuiteError as error:
        return [from_error(error, "readable")], []
    findings = list(_identity(fixture, fixture_id, place))
    findings += _folder(folder, fixture, where)
    findings += _licence(suite.root, folder, fixture, where)
    findings += _format(fixture, place)
    findings += _files(fixture, place)
    findings += check_baseline(folder, fixture)
    tree_findings, skipped = _tree(folder, fixture, where, extra_checks)
    return findings + tree_findings, skipped


def _identity(fixture: Fixture, fixture_id: str, place: str) -> Iterator[Finding]:
    if fixture.id != fixture_id:
        what = f"{fixture.id!r} is not the folder's name {fixture_id!r}"
        yield Finding(f"{place}: $.id", "id-is-folder", what, "make the two equal (STANDARD 13)")


def _folder(folder: Path, fixture: Fixture, where: str) -> Iterator[Finding]:
    needed = ["README.md"] + (["LICENSE"] if fixture.availability == "committed" else [])
    for name in needed:
        if not (folder / name).is_file():
            yield Finding(f"{where}/{name}", "fixture-files", "is missing", "add it (STANDARD 13)")
    for path in sorted(folder.iterdir()):
        if path.name not in _COMMITTED:
            what = f"a fixture's folder holds {', '.join(sorted(_COMMITTED))} only"
            yield Finding(f"{where}/{path.name}", "fixture-files", what, "remove it (STANDARD 13)")
    upstream, text = fixture.upstream, _text(folder / "README.md")
    if "TO DO" in text:
        yield Finding(f"{where}/README.md", "to-do", "still has a TO DO", "answer it (STANDARD 13)")
    if upstream is None or not text:
        return
    facts = {"the address": upstream.url, "the date of retrieval": upstream.retrieved}
    if upstream.package is None:
        facts["the commit"] = upstream.commit
    else:
        facts["the package and its version"] = f"{upstream.package.name} {upstream.package.version}"
    for name, fact in (facts | {"the copyright line": upstream.copyright}).items():
        if fact not in text:
            what = f"does not give {name} ({fact})"
            yield Finding(f"{where}/README.md", "provenance", what, "add it (STANDARD 13)")


def _licence(root: Path, folder: Path, fixture: Fixture, where: str) -> Iterator[Finding]:
    if fixture.id not in _text(root / "NOTICE"):
        yield Finding("NOTICE", "notice", f"has no entry for {fixture.id}", "add one (STANDARD 13)")
    if fixture.upstream is None:
        return
    licence, place = fixture.upstream.license, f"{where}/fixture.json: $.upstream.license"
    if licence in LICENSES_WITH_RATIONALE:
        if not _RATIONALE.search(_text(folder / "README.md")):
            what = f"{licence} needs a written rationale"
            remedy = "add a section `Licence rationale` to the README (STANDARD 13)"
            yield Finding(place, "licence", what, remedy)
    elif licence not in LICENSES:
        remedy = f"use a board under one of {', '.join(LICENSES)} (STANDARD 13)"
        yield Finding(place, "licence", f"{licence!r} is not on the list of licences", remedy)


def _format(fixture: Fixture, place: str) -> Iterator[Finding]:
    if int(fixture.file_format_version) < OLDEST_FORMAT:
        what = f"the format {fixture.file_format_version} is older than {OLDEST_FORMAT}"
        remedy = "use a board saved by KiCad 6 or later (STANDARD 13)"
        yield Finding(f"{place}: $.kicad.fileFormatVersion", "legacy-format", what, remedy)


def _files(fixture: Fixture, place: str) -> Iterator[Finding]:
    paths = [file.path for file in fixture.files]
    for index, path in enumerate(paths):
        if paths.index(path) != index:
            yield Finding(f"{place}: $.files[{index}].path", "files", f"{path!r} stands twice", "remove one")
        fault = _unfit(path)
        if fault:
            yield Finding(
                f"{place}: $.files[{index}].path", "design-files", f"{path!r} {fault}", "leave it out (STANDARD 13)"
            )
    if not paths:
        return
    for name, artifact in (("schematic", fixture.schematic), ("board", fixture.board), ("project", fixture.project)):
        if artifact is not None and artifact not in paths:
            what = f"{artifact!r} is not in the list of files"
            yield Finding(f"{place}: $.artifacts.{name}", "files", what, "correct one of them (STANDARD 13)")
    if fixture.scale["fileCount"] != len(paths):
        what = f"{fixture.scale['fileCount']} is not the number of files listed, {len(paths)}"
        yield Finding(f"{place}: $.scale.fileCount", "files", what, "correct one of them (STANDARD 13)")


def _unfit(path: str) -> str:
    """Why a file may not be in a tree: legacy, left behind by a tool, or no design file; empty when it may."""
    if path.endswith((".sch", ".lib", ".dcm")):
        return "is of a legacy format (before KiCad 6)"
    if DROPPINGS.search(path):
        return "was left behind by a tool"
    name = PurePosixPath(path).name
    return "" if name in _DESIGN_NAMES or name.endswith(_DESIGN_SUFFIXES) else "is no design file"


def _tree(
    folder: Path, fixture: Fixture, where: str, extra_checks: Sequence[ExtraCheck]
) -> tuple[list[Finding], list[Skipped]]:
    tree = folder / "tree"
    if not tree.is_symlink() and not tree.exists():
        if fixture.availability == "committed":
            return [Finding(f"{where}/tree", "tree", "is missing though committed", "restore it (STANDARD 13)")], []
        said = "published only" if fixture.availability == "published-only" else "not obtained here"
        return [], [Skipped(f"{where}/tree", f"{said}: hash, files and credentials were not checked")]
    try:
        verify_tree(fixture, tree)
    except CopperbenchError as error:
        shown = error.where.replace(str(folder), where)
        return [Finding(shown, "fixture-hash", error.what, f"{error.remedy} (STANDARD 13)")], []
    findings = list(_contents(tree, fixture, where))
    for check in extra_checks:
        findings += check(folder, fixture)
    return findings, []


def _contents(tree: Path, fixture: Fixture, where: str) -> Iterator[Finding]:
    files = dict(tree_files(tree))
    listed = {file.path: file for file in fixture.files}
    for path in sorted(listed.keys() ^ files.keys()):
        what = f"{path!r} is {'in the tree but not listed' if path in files else 'listed but not in the tree'}"
        yield Finding(f"{where}/fixture.json: $.files", "files", what, "make list and tree agree (STANDARD 13)")
    for path, place in files.items():
        data = place.read_bytes()
        if path in listed:
            yield from _line_ends(data, listed[path].eol, f"{where}/tree/{path}")
        for match in find_credentials(data):
            what = f"holds what looks like a credential ({match.kind} at byte {match.offset})"
            yield Finding(f"{where}/tree/{path}", "credential", what, "refuse this board (STANDARD 4.1, 12)")
        if path.endswith(".kicad_sch"):
            yield from _written_format(data, fixture, path, where)


def _line_ends(data: bytes, eol: str, place: str) -> Iterator[Finding]:
    lines, crlf = data.count(b"\n"), data.count(b"\r\n")
    if (eol == "lf" and crlf) or (eol == "crlf" and crlf != lines):
        what = f"has {crlf} line ends CRLF of {lines}, its manifest says {eol}"
        yield Finding(place, "line-ends", what, "correct the manifest's eol (STANDARD 13)")


def _written_format(data: bytes, fixture: Fixture, path: str, where: str) -> Iterator[Finding]:
    match = _FORMAT.match(data[:200])
    if match is None:
        yield Finding(
            f"{where}/tree/{path}", "legacy-format", "is no .kicad_sch of KiCad 6 or later", "refuse this board"
        )
    elif path == fixture.schematic and match[1].decode("ascii") != fixture.file_format_version:
        what = f"{fixture.file_format_version} is not what the root schematic says, {match[1].decode('ascii')}"
        yield Finding(f"{where}/fixture.json: $.kicad.fileFormatVersion", "format", what, "correct it (STANDARD 13)")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
