"""The preparation procedure of a fixture, gate by gate; what passes lies under fixtures/<id> (STANDARD 13)."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.curation.design import Candidate, CandidateRefused, collect_design, find_projects
from copperbench.curation.licences import licence_of
from copperbench.curation.measuring import copy_design, measured, refusals
from copperbench.curation.scale import scale_of
from copperbench.curation.skeleton import Facts, manifest, readme
from copperbench.curation.sources import Source
from copperbench.errors import SuiteError
from copperbench.kicad import KicadCli
from copperbench.publish import json_bytes, publish
from copperbench.suite import Tier, check_schema, find_credentials, tree_hash

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a curator asks for: the new fixture's id, and what the source cannot tell by itself (empty: find out).

    `url`, `commit` and `retrieved` are empty for a board of one's own.
    """

    fixture_id: str
    url: str = ""
    commit: str = ""
    retrieved: str = ""
    project: str = ""
    licence_file: str = ""
    licence: str = ""
    tier: Tier | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was written: the folder, the tree's hash, and what is left for a person to do."""

    folder: Path
    sha256: str
    to_do: tuple[str, ...]


def prepare(source: Source, wish: Wish, fixtures: Path, cli: KicadCli) -> Prepared:
    """Walk the gates and publish `fixtures/<id>` by a rename: whole, or not at all.

    The order: id, project, licence, format, files, credentials, loading, parity. Raises CandidateRefused naming the
    rule, SuiteError for an id that is taken or no id.
    """
    folder = fixtures / wish.fixture_id
    if not _ID.fullmatch(wish.fixture_id):
        raise SuiteError("--id", f"{wish.fixture_id!r} is no kebab-case id", "use a-z, 0-9 and single hyphens")
    if folder.exists():
        raise SuiteError(folder, "exists already", "choose another --id or remove it")
    project = _project(source, wish.project)
    licence = licence_of(source, project, wish.licence_file, wish.licence) if wish.url else None
    candidate = collect_design(source, project)
    _no_credentials(source, candidate)
    with _staging(fixtures) as staging:
        tree = staging / "tree"
        copy_design(source, candidate, tree)
        reports = measured(cli, candidate, tree)
        for refused in refusals(reports):
            raise refused
        facts = Facts(
            fixture_id=wish.fixture_id,
            url=wish.url,
            commit=wish.commit,
            retrieved=wish.retrieved,
            licence=licence,
            candidate=candidate,
            scale=scale_of(candidate, tree),
            tier=wish.tier,
            sha256=tree_hash(tree),
            reports=reports,
            eol={path: _line_ends((tree / path).read_bytes()) for path in candidate.files},
        )
        _write(staging, facts)
        staging.rename(folder)
    return Prepared(folder, facts.sha256, _to_do(facts))


def _project(source: Source, wanted: str) -> str:
    found = find_projects(source)
    if wanted:
        if wanted not in source.paths:
            raise SuiteError("--project", f"{wanted} is not in the source", f"it has {', '.join(found) or 'none'}")
        return wanted
    if len(found) != 1:
        what = f"holds {len(found)} projects" if found else "holds no KiCad project"
        listed = ", ".join(found[:10]) + (", ..." if len(found) > 10 else "")
        raise SuiteError(source.name, what, f"name one with --project: {listed}" if found else "choose another source")
    return found[0]


def _no_credentials(source: Source, candidate: Candidate) -> None:
    for path in candidate.files:
        for match in find_credentials(source.read(path)):
            what = f"{path} holds what looks like a credential ({match.kind} at byte {match.offset})"
            raise CandidateRefused("credential", what, "tell its owner, and choose another board")


def _line_ends(data: bytes) -> str:
    """`lf`, `crlf`, or `binary` where the file is neither throughout and so is copied as it is."""
    lines, crlf = data.count(b"\n"), data.count(b"\r\n")
    if not crlf:
        return "lf"
    return "crlf" if crlf == lines else "binary"


def _write(staging: Path, facts: Facts) -> None:
    value: Mapping[str, Any] = manifest(facts)
    check_schema("fixture", value, f"fixtures/{facts.fixture_id}/fixture.json")
    publish(staging / "fixture.json", json_bytes(value))
    publish(staging / "README.md", readme(facts).encode())
    for report in (facts.reports.erc, facts.reports.drc):
        if report is not None:
            publish(staging / "baseline" / f"{report.kind}.json", json_bytes(report.to_json()))
    if facts.licence is not None:
        publish(staging / "LICENSE", facts.licence.text)


def _to_do(facts: Facts) -> tuple[str, ...]:
    fixture = f"fixtures/{facts.fixture_id}"
    steps = [
        f"{fixture}/README.md: answer every `TO DO`",
        f"{fixture}/fixture.json: check tier, nets and note; they are proposals",
        f"NOTICE: add an entry for {facts.fixture_id}",
        "fixtures/FIXTURES.md: `copperbench standard` adds its rows to the tables of boards",
        "config/suite.yaml: raise suiteVersion, then `copperbench validate --write-lock`",
    ]
    if facts.url:
        steps.insert(3, f".gitignore: add /{fixture}/tree/ and /{fixture}/LICENSE")
    else:
        steps.insert(3, f"{fixture}/LICENSE: add the licence of the board")
    return tuple(steps)


@contextmanager
def _staging(fixtures: Path) -> Iterator[Path]:
    """A folder beside the fixtures, so that the rename stays on one file system; nothing of it remains."""
    try:
        staging = Path(tempfile.mkdtemp(prefix=".preparing-", dir=fixtures))
        staging.chmod(0o755)
    except OSError as error:
        raise SuiteError(fixtures, f"cannot be written to ({error.strerror})", "name a checkout with --root") from error
    try:
        yield staging
    except OSError as error:
        raise SuiteError(fixtures, f"cannot be filled ({error.strerror})", "free space and repeat") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
