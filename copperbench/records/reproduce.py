"""The stranger's check: grade published runs again from what was sealed, and say what differs (STANDARD 12).

Nothing here writes, asks KiCad, or reads more of the checked-out suite than a record's own stamps send it to: a run is
graded with the manifests in its seal.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from copperbench.errors import CopperbenchError, FixtureMismatch, SealBroken
from copperbench.evidence import recorded_reports
from copperbench.kicad.measure import report_counts
from copperbench.publish import json_bytes
from copperbench.records.build import build_quarantined_record
from copperbench.records.paths import RUN_JSON, RecordPlace, place_of
from copperbench.records.publishing import differences
from copperbench.records.score import VERIFY, Basis, agrees_with_its_place, graded_record, seal_digests
from copperbench.sandbox import Seal, open_seal
from copperbench.suite import Fixture, Suite, parse_fixture, parse_json, parse_task, verify_tree

Status = Literal["identical", "differs", "broken", "skipped"]
SEALED = (RUN_JSON, "transcript.jsonl", "end-state.tar.zst", VERIFY)
_RESTORE = "restore the file from where it was published"


@dataclass(frozen=True, slots=True)
class Reproduced:
    """What became of one record: `details` are the fields that differ, or the one reason why it was not graded.

    `differs`: the grading was done and gives something else. `broken`: evidence, record or fixture is missing or was
    changed. `skipped`: a third-party board is not here. `data` is the record as graded now, None where it was not.
    """

    record: str
    status: Status
    details: tuple[str, ...] = ()
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Reproducer:
    """Grades runs again with the fixtures of a checkout; each fixture is verified once."""

    suite: Suite
    fixtures: Path
    _verified: dict[tuple[str, str], CopperbenchError | None] = field(default_factory=dict, repr=False, compare=False)

    def reproduce(self, place: RecordPlace) -> Reproduced:
        """Verify all digests of a run and hold a new grading against its record. Raises nothing for what files hold."""
        try:
            old_bytes = _record_bytes(place)
            old = _record(old_bytes, place)
            seal = _verified_seal(place, old)
            basis = self._basis(seal, old, place)
            reason = self._why_skipped(seal, old, basis.fixture)
            if reason:
                return Reproduced(place.name, "skipped", (reason,))
            data = self._graded(seal, basis, place)
        except CopperbenchError as error:
            return Reproduced(place.name, "broken", (str(error),))
        found = differences(old, json.loads(data))
        if not found and json_bytes(old) != old_bytes:
            found = ("$: the fields agree, and the file is not written as a grading writes it",)
        return Reproduced(place.name, "differs" if found else "identical", found, data)

    def _basis(self, seal: Seal, old: Mapping[str, Any], place: RecordPlace) -> Basis:
        """The sealed manifests; today's where the record says that it was graded with those (STANDARD 7).

        The run was graded anew after its task's grading side changed, and the suite of that grading is needed.
        """
        where, facts = f"{place.folder / RUN_JSON} (sealed)", seal.facts
        task, fixture = parse_task(facts.task_manifests, where), parse_fixture(facts.fixture_manifest, where)
        stamps = old["comparability"]
        version = self.suite.version if stamps["suiteVersion"] == self.suite.version else facts.suite_version
        if stamps["taskManifestHash"] != task.manifest_hash and self.suite.has_task(place.task):
            today = self.suite.task(place.task)
            same_run = today.run_relevant_hash == facts.run_relevant_hash
            if same_run and today.manifest_hash == stamps["taskManifestHash"]:
                return Basis(today, self.suite.fixture(today.fixture_id), self.suite.version, is_todays=True)
        return Basis(task, fixture, version, is_todays=False)

    def _why_skipped(self, seal: Seal, old: Mapping[str, Any], fixture: Fixture) -> str:
        if seal.facts.quarantine is not None:
            return ""
        found = old.get("quarantine")
        if isinstance(found, Mapping) and found.get("file") == VERIFY and seal.verify_json is None:
            return "its first grading found a credential in KiCad's reports, and they were not kept"
        if fixture.availability != "committed" and not (self.fixtures / fixture.id / "tree").exists():
            return f"the board {fixture.id} is not here; `copperbench fixture get {fixture.id}` obtains it"
        return ""

    def _graded(self, seal: Seal, basis: Basis, place: RecordPlace) -> bytes:
        facts, digests = seal.facts, seal_digests(seal, place.folder, seal.verify_json)
        if facts.quarantine is not None:
            return build_quarantined_record(
                facts,
                basis.task,
                basis.fixture,
                facts.quarantine,
                suite_version=basis.suite_version,
                digests=digests,
            )
        self._verify_fixture(basis.fixture)
        return graded_record(seal, basis, self.fixtures / basis.fixture.id / "tree", seal.verify_json, digests)

    def _verify_fixture(self, fixture: Fixture) -> None:
        key = (fixture.id, hashlib.sha256(fixture.manifest).hexdigest())
        if key not in self._verified:
            try:
                verify_tree(fixture, self.fixtures / fixture.id / "tree")
                _verify_baseline(fixture, self.fixtures / fixture.id)
                self._verified[key] = None
            except CopperbenchError as error:
                self._verified[key] = error
        fault = self._verified[key]
        if fault is not None:
            raise fault


def strays(root: Path, campaign: str) -> Iterator[Reproduced]:
    """Whatever lies in a campaign's folder and is no record, rubric's answer, file of a sealed run or README.md."""
    base = root / "results" / campaign
    for path in sorted(base.rglob("*")):
        name = path.relative_to(root).as_posix()
        mode = path.lstat().st_mode
        if path == base / "README.md" and stat.S_ISREG(mode):
            continue
        if stat.S_ISLNK(mode) or not (stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and _belongs(name, root))):
            yield Reproduced(name, "broken", (f"{name}: is no part of a published run; remove it",))


def _belongs(name: str, root: Path) -> bool:
    parent, _, last = name.rpartition("/")
    if place_of(name, root) is not None:
        return True
    if last.endswith(".rubric.json"):
        return place_of(name.removesuffix(".rubric.json") + ".json", root) is not None
    return last in SEALED and place_of(f"{parent}.json", root) is not None


def _record_bytes(place: RecordPlace) -> bytes:
    try:
        if not stat.S_ISREG(place.path.lstat().st_mode):
            raise SealBroken(place.name, "is no regular file", _RESTORE)
        return place.path.read_bytes()
    except FileNotFoundError:
        what = "is missing, and there is sealed evidence of it"
        raise SealBroken(place.name, what, f"`copperbench score {place.name}` grades it") from None
    except OSError as error:
        raise SealBroken(place.name, f"cannot be read ({error.strerror})", _RESTORE) from error


def _record(data: bytes, place: RecordPlace) -> Mapping[str, Any]:
    """A record as JSON, with the parts that a reproduction relies on."""
    value = parse_json(data, place.name)
    stamps = value.get("comparability") if isinstance(value, dict) else None
    artifacts = value.get("artifacts") if isinstance(value, dict) else None
    digests = artifacts.get("digests") if isinstance(artifacts, dict) else None
    texts = stamps if isinstance(stamps, dict) else {}
    if not isinstance(digests, dict) or not all(
        isinstance(texts.get(name), str) for name in ("suiteVersion", "taskManifestHash")
    ):
        raise SealBroken(place.name, "has no stamps and digests: it is no record of this benchmark", _RESTORE)
    return dict(value)


def _verified_seal(place: RecordPlace, old: Mapping[str, Any]) -> Seal:
    """The evidence of a run after every digest was verified: the seal's own, and those that the record pins."""
    if not place.is_sealed:
        remedy = f"a record is published together with {place.name.removesuffix('.json')}/"
        raise SealBroken(place.name, "has no sealed evidence beside it", remedy)
    for name, digest in sorted(old["artifacts"]["digests"].items()):
        path = place.folder / name
        if name not in SEALED or not path.is_file():
            raise SealBroken(path, "is missing, and the record pins it", _RESTORE)
        actual = hashlib.sha256(path.read_bytes()).hexdigest()
        if actual != digest:
            raise SealBroken(path, f"has changed (is {actual}, the record pins {digest})", _RESTORE)
    for path in sorted(place.folder.iterdir()):
        if path.name in SEALED and path.name not in old["artifacts"]["digests"]:
            raise SealBroken(path, "is there, and the record does not pin it", "restore record and evidence together")
    seal = open_seal(place.folder)
    agrees_with_its_place(seal, place)
    return seal


def _verify_baseline(fixture: Fixture, folder: Path) -> None:
    """The recorded reports hold what the sealed manifest counts: grading compares with them (STANDARD 13)."""
    reports = recorded_reports(folder / "baseline")
    for kind, counts in (("erc", fixture.erc), ("drc", fixture.drc)):
        if counts is None or not counts.report:
            continue
        report = reports.get("erc" if kind == "erc" else "drc")
        if report is None or report_counts(report) != counts:
            what = "is missing or does not hold what the fixture's manifest counts"
            raise FixtureMismatch(folder / counts.report, what, "check out the recorded reports of this suite version")
