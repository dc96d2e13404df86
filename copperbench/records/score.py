"""From sealed evidence to a published record: the one way in which a run gets its grade (STANDARD 7, 12)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from copperbench import evidence  # what KiCad's judging takes is loaded when a run has none yet
from copperbench.errors import CopperbenchError, FixtureMismatch, SealBroken
from copperbench.evidence import Shared, VerifyReports, collect, read_verify
from copperbench.grading import grade
from copperbench.kicad import KicadCli
from copperbench.publish import publish_new
from copperbench.records.build import (
    NONE,
    agent_stats,
    build_quarantined_record,
    build_record,
    lines_changed,
    unknown_credentials,
)
from copperbench.records.paths import RUN_JSON, RecordPlace
from copperbench.records.publishing import publish_record
from copperbench.records.stats import kicad_major
from copperbench.sandbox import Seal, drop_stale_claim, open_seal
from copperbench.suite import (
    Fixture,
    Suite,
    Task,
    parse_fixture,
    parse_json,
    parse_task,
)

VERIFY = "verify.json"
Outcome = Literal["written", "kept", "superseded", "left"]


@dataclass(frozen=True, slots=True)
class Scored:
    """What became of a record: `left` means that it was not graded anew, `note` says why or what was found."""

    outcome: Outcome
    verdict: str
    note: str
    finding: bool = False


@dataclass(frozen=True, slots=True)
class Scorer:
    """How a checkout grades: its suite, its fixtures, and the kicad-cli that judges what none has judged yet.

    `recheck` makes KiCad's reports again and compares them with the sealed ones; `cache` is a folder of reports by
    design, which a recheck does not look into. One scorer grades any number of runs, and reads what those of a task
    share but once.
    """

    suite: Suite
    fixtures: Path
    cli: KicadCli | None
    recheck: bool = False
    cache: Path | None = None
    shared: Shared = field(default_factory=Shared, repr=False, compare=False)

    def score(self, place: RecordPlace) -> Scored:
        """Grade the sealed run whose record is to lie at `place`.

        A record without evidence, or one whose task has changed in what a run depends on, stays as it is. Raises
        SealBroken (evidence changed, missing or misplaced), FixtureMismatch (no tree to grade with), RecordConflict
        (the record on disk disagrees), KicadCliFailed, SuiteError; then nothing under `results/` has changed.
        """
        is_there = place.path.exists()
        if not place.is_sealed:
            if is_there:
                return _left(place, "no evidence beside it")
            raise SealBroken(
                place.name, "there is neither evidence nor a record", f"`snakemake {place.name}` makes both"
            )
        drop_stale_claim(place.folder)
        pinned = pinned_digests(place)
        _hold_against(pinned, place.folder, RUN_JSON)
        seal = open_seal(place.folder)
        agrees_with_its_place(seal, place)
        basis = self._basis(seal, place)
        if is_there and not basis.is_todays:
            return _left(place, "its task or fixture has changed in what a run depends on")
        tree = self.fixtures / basis.fixture.id / "tree"
        if is_there and not tree.exists():
            return _left(place, f"the tree of fixture {basis.fixture.id} is not here")
        return self._grade(seal, basis, tree, place, pinned.get(VERIFY))

    def _basis(self, seal: Seal, place: RecordPlace) -> Basis:
        """Today's manifests where they ask for the very run that was made, else those in the seal (STANDARD 7)."""
        where, task_id = f"{place.folder / RUN_JSON} (sealed)", place.task
        sealed_fixture = parse_fixture(seal.facts.fixture_manifest, where)
        if self.suite.has_task(task_id):
            task = self.suite.task(task_id)
            fixture = self.suite.fixture(task.fixture_id)
            same_run = task.run_relevant_hash == seal.facts.run_relevant_hash
            if same_run and fixture.sha256 == sealed_fixture.sha256:
                return Basis(task, fixture, self.suite.version, is_todays=True)
        sealed_task = parse_task(seal.facts.task_manifests, where)
        return Basis(sealed_task, sealed_fixture, seal.facts.suite_version, is_todays=False)

    def _grade(self, seal: Seal, basis: Basis, tree: Path, place: RecordPlace, pinned: str | None) -> Scored:
        facts, task, fixture, version = seal.facts, basis.task, basis.fixture, basis.suite_version
        quarantine = facts.quarantine
        reports = _Reports(None, None, "", finding=False)
        if quarantine is None:
            if not tree.exists():
                raise FixtureMismatch(tree, "is not here", f"`copperbench fixture get {fixture.id}` obtains it")
            self.shared.verify(fixture, tree)
            reports = self._reports(seal, fixture, tree, place.folder, pinned)
            quarantine = reports.quarantine
        digests = seal_digests(seal, place.folder, reports.data)
        if quarantine is not None:
            record = build_quarantined_record(facts, task, fixture, quarantine, suite_version=version, digests=digests)
        else:
            record = graded_record(seal, basis, tree, reports.data, digests, self.shared)
        outcome = publish_record(place, record)
        verdict = str(parse_json(record, place.name)["verdict"])
        return Scored(outcome, verdict, reports.note, finding=reports.finding)

    def _reports(self, seal: Seal, fixture: Fixture, tree: Path, folder: Path, pinned: str | None) -> _Reports:
        """KiCad's sealed reports; made now, once, where none are sealed and a kicad-cli of the right major is here."""
        sealed = seal.verify_json
        if sealed is not None and pinned is not None and _sha256(sealed) != pinned:
            raise SealBroken(folder / VERIFY, "has changed since the record pinned its digest", "restore the file")
        usable = self.cli is not None and str(self.cli.major) == kicad_major(fixture.verified_with_kicad_cli)
        if sealed is not None:
            return self._recheck(seal, fixture, tree, sealed) if self.recheck else _Reports(sealed, None, "")
        if self.cli is None or not usable:
            if pinned is not None:
                raise SealBroken(folder / VERIFY, "is missing, and the record pins it", "restore the file")
            return _Reports(None, None, _why_unjudged(self.cli, fixture))
        made = evidence.verify(seal, fixture, tree, self.cli, self.cache)
        if pinned is not None and _sha256(made) != pinned:
            raise SealBroken(folder / VERIFY, "is missing, and KiCad's reports made anew differ", "restore the file")
        found = unknown_credentials(made, seal.facts)
        if found:
            leak = {"kind": found[0].kind, "file": VERIFY, "digest": found[0].digest, "id": NONE}
            return _Reports(None, leak, "KiCad's reports hold a credential and were not kept")
        return _Reports(_published(folder / VERIFY, made), None, "")

    def _recheck(self, seal: Seal, fixture: Fixture, tree: Path, sealed: bytes) -> _Reports:
        if self.cli is None or str(self.cli.major) != kicad_major(fixture.verified_with_kicad_cli):
            return _Reports(sealed, None, f"not rechecked: {_why_unjudged(self.cli, fixture)}", finding=True)
        made = read_verify(evidence.verify(seal, fixture, tree, self.cli))
        kept = read_verify(sealed, str(Path(seal.where).with_name(VERIFY)))
        if (made.erc, made.drc) == (kept.erc, kept.drc):
            return _Reports(sealed, None, "rechecked: KiCad's reports agree with the sealed ones")
        differing = [name for name in ("erc", "drc") if getattr(made, name) != getattr(kept, name)]
        note = f"rechecked: KiCad {made.kicad_version} reports otherwise than the sealed {' and '.join(differing)}"
        return _Reports(sealed, None, note, finding=True)


@dataclass(frozen=True, slots=True)
class Basis:
    """What a run is graded with, and the suite version that this stands for."""

    task: Task
    fixture: Fixture
    suite_version: str
    is_todays: bool


@dataclass(frozen=True, slots=True)
class _Reports:
    """The bytes of verify.json, if any; a credential found in them; and what to say of them."""

    data: bytes | None
    quarantine: Mapping[str, str] | None
    note: str
    finding: bool = False


def graded_record(
    seal: Seal,
    basis: Basis,
    tree: Path,
    verify_json: bytes | None,
    digests: Mapping[str, str],
    shared: Shared | None = None,
) -> bytes:
    """The record of a seal graded with `basis` and KiCad's sealed reports; touches nothing on disk (STANDARD 12).

    Raises SealBroken (the reports are of another end state), SuiteError, and as evidence is read.
    """
    where = str(Path(seal.where).with_name(VERIFY))
    reports = None if verify_json is None else read_verify(verify_json, where)

    def sealed_reports() -> VerifyReports | None:
        return reports

    with collect(seal, basis.task, basis.fixture, tree, sealed_reports, shared=shared) as gathered:
        graded = grade(gathered)
        stats = agent_stats(gathered.transcript, gathered.diff, seal.facts, graded.exit_path)
        change = lines_changed(gathered.diff)
    return build_record(
        seal.facts,
        basis.task,
        basis.fixture,
        graded,
        stats,
        change,
        suite_version=basis.suite_version,
        kicad_cli_version=None if reports is None else reports.kicad_version,
        digests=digests,
    )


def _left(place: RecordPlace, why: str) -> Scored:
    value = parse_json(place.path.read_bytes(), place.name)
    verdict = value.get("verdict") if isinstance(value, dict) else None
    return Scored("left", verdict if isinstance(verdict, str) else "unknown", f"kept as it is: {why}")


def agrees_with_its_place(seal: Seal, place: RecordPlace) -> None:
    """Evidence that was copied to another run's place would count twice."""
    facts = seal.facts
    task = parse_json(facts.task_manifests["task.json"], f"{place.name} (sealed task.json)")["id"]
    sealed = (facts.campaign, facts.model_slug, task, facts.repeat)
    if sealed != (place.campaign, place.model, place.task, place.repeat):
        made_as = "/".join(sealed[:3]) + f"/run-{sealed[3]}"
        raise SealBroken(place.folder / RUN_JSON, f"was sealed as {made_as}", "move it back to its place")


def pinned_digests(place: RecordPlace) -> Mapping[str, str]:
    """The digests of sealed files that the record on disk pins; empty where there is no such record."""
    try:
        pinned = parse_json(place.path.read_bytes(), place.name)["artifacts"]["digests"]
        return {str(name): str(digest) for name, digest in pinned.items()}
    except (OSError, CopperbenchError, KeyError, TypeError, AttributeError):
        return {}


def _hold_against(pinned: Mapping[str, str], folder: Path, name: str) -> None:
    if name in pinned and _sha256((folder / name).read_bytes()) != pinned[name]:
        raise SealBroken(folder / name, "has changed since the record pinned its digest", "restore the file")


def seal_digests(seal: Seal, folder: Path, verify_json: bytes | None) -> dict[str, str]:
    """The digests that a record pins: of `run.json`, of what it names, and of KiCad's reports (STANDARD 3)."""
    digests = dict(seal.facts.files) | {RUN_JSON: _sha256((folder / RUN_JSON).read_bytes())}
    return digests if verify_json is None else digests | {VERIFY: _sha256(verify_json)}


def _published(path: Path, data: bytes) -> bytes:
    """Seal KiCad's reports; where another process was faster, its bytes count."""
    try:
        publish_new(path, data)
    except FileExistsError:
        return path.read_bytes()
    return data


def _why_unjudged(cli: KicadCli | None, fixture: Fixture) -> str:
    needed = kicad_major(fixture.verified_with_kicad_cli)
    if cli is None:
        return f"no kicad-cli {needed} here: what needs ERC or DRC is unevaluable"
    return f"kicad-cli {cli.version} is here, {needed} is needed: what needs ERC or DRC is unevaluable"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
