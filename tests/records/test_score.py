"""From a seal to a record: written once, kept when nothing changed, and never overwritten in silence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from typing import Any

import pytest

from copperbench.errors import FixtureMismatch, RecordConflict, SealBroken
from copperbench.kicad import find_kicad_cli
from copperbench.publish import self_sealed
from copperbench.records import Record, RecordPlace, read_record
from copperbench.suite import schema_errors

ERC = {"id": "erc", "type": "erc_no_new_violations", "args": {}, "weight": 1, "required": True}
KEY = "sk-" + "a1" * 20


def data(place: RecordPlace) -> Any:
    return json.loads(place.path.read_bytes())


def test_a_sealed_run_becomes_a_record_of_the_published_schema(checkout, passing):
    assert checkout.score(passing).outcome == "written"
    assert schema_errors("result", data(passing), "record") == []


def test_a_record_reads_back_with_the_verdict_that_was_given(checkout, passing):
    checkout.score(passing)
    record = read_record(passing.path, checkout.root)
    assert isinstance(record, Record)
    assert (record.verdict, record.failed_required) == ("pass", ())


def test_a_failed_run_names_the_assertion_and_has_a_category(checkout):
    place = checkout.seal()
    checkout.score(place)
    record = data(place)
    assert (record["verdict"], record["firstFailedRequired"], record["failureCategory"]) == (
        "fail",
        "noted",
        "drift-left",
    )


def test_an_agent_record_has_model_cost_and_stats(checkout, agent: Mapping[str, Any]):
    place = checkout.seal("some-model", writes={"docs/NOTE.md": "done\n"}, **agent)
    checkout.score(place)
    record = data(place)
    assert record["run"]["model"] == "some/model"
    assert record["cost"] == {"usd": 0.25, "priceTableVersion": "1.0.0", "reason": None}
    assert (record["stats"]["exitPath"], record["stats"]["filesTouched"]) == ("done", ["docs/NOTE.md"])
    assert record["comparability"]["copperheadVersion"] == "0.3.1"


def test_a_harness_run_asked_no_model_and_cost_nothing(checkout, passing):
    checkout.score(passing)
    assert not {"model", "cost", "stats"} & data(passing).keys()
    assert data(passing)["run"]["model"] == "harness:noop"


def test_grading_again_leaves_the_file_untouched(checkout, passing):
    checkout.score(passing)
    before = passing.path.stat()
    assert checkout.score(passing).outcome == "kept"
    after = passing.path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_lost_record_comes_back_byte_for_byte_in_another_checkout(checkout, passing, tmp_path):
    checkout.score(passing)
    first = passing.path.read_bytes()
    passing.path.unlink()
    moved = type(checkout)(tmp_path / "elsewhere" / "copy")
    shutil.copytree(checkout.root, moved.root)
    moved.score(moved.place())
    assert moved.place().path.read_bytes() == first


def test_who_graded_may_differ(checkout, passing):
    checkout.score(passing)
    record = data(passing)
    record["scoredBy"]["copperbenchVersion"] = "0.0.1"
    passing.path.write_text(json.dumps(record))
    assert checkout.score(passing).outcome == "kept"


def test_a_disagreeing_record_stops_the_grading_and_shows_where(checkout, passing):
    checkout.score(passing)
    edited = passing.path.read_bytes().replace(b'"verdict": "pass"', b'"verdict": "fail"')
    passing.path.write_bytes(edited)
    with pytest.raises(RecordConflict, match=r'\$\.verdict: "fail" was, "pass" is'):
        checkout.score(passing)
    assert passing.path.read_bytes() == edited


def test_a_record_that_cannot_be_read_is_not_overwritten(checkout, passing):
    passing.path.write_bytes(b'{"verdict": ')
    with pytest.raises(RecordConflict, match="copperbench redo"):
        checkout.score(passing)
    assert passing.path.read_bytes() == b'{"verdict": '


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst", "run.json"])
def test_changed_evidence_stops_the_grading_and_is_named(checkout, passing, name):
    checkout.score(passing)
    before = passing.path.read_bytes()
    file = passing.folder / name
    changed = bytearray(file.read_bytes())
    changed[len(changed) // 2] ^= 1
    file.write_bytes(changed)
    with pytest.raises(SealBroken, match=name.replace(".", r"\.")):
        checkout.score(passing)
    assert passing.path.read_bytes() == before


def test_a_record_without_evidence_is_kept(checkout, passing):
    checkout.score(passing)
    before = passing.path.read_bytes()
    shutil.rmtree(passing.folder)
    scored = checkout.score(passing)
    assert (scored.outcome, scored.note) == ("left", "kept as it is: no evidence beside it")
    assert passing.path.read_bytes() == before


def test_neither_evidence_nor_record_is_an_error_that_says_what_to_do(checkout):
    with pytest.raises(SealBroken, match="neither evidence nor a record; `snakemake results/"):
        checkout.score(checkout.place())


def test_evidence_that_was_copied_to_another_place_is_not_graded_twice(checkout, passing):
    other = checkout.place(repeat=2)
    shutil.copytree(passing.folder, other.folder)
    with pytest.raises(SealBroken, match=r"was sealed as 2026-01-02/harness-noop/do-note-something/run-1"):
        checkout.score(other)


def test_a_new_suite_version_supersedes_the_old_record_and_keeps_it(checkout, passing):
    checkout.score(passing)
    old = passing.path.read_bytes()
    checkout.set_suite_version("1.1.0")
    assert checkout.score(passing).outcome == "superseded"
    kept = list((checkout.root / "superseded").rglob("*.json"))
    assert [(path.name.startswith("run-1.1.0.0."), path.read_bytes()) for path in kept] == [(True, old)]
    assert data(passing)["suiteVersion"] == "1.1.0"


def test_new_assertions_under_the_same_suite_version_are_a_conflict(checkout, passing):
    checkout.score(passing)
    checkout.edit(f"tasks/{passing.task}/assertions.json", lambda entries: entries.pop())
    with pytest.raises(RecordConflict, match="bump suiteVersion"):
        checkout.score(passing)


def test_new_assertions_under_a_new_suite_version_regrade_old_evidence(checkout, passing):
    checkout.score(passing)
    checkout.edit(f"tasks/{passing.task}/assertions.json", lambda entries: entries.pop())
    checkout.set_suite_version("1.1.0")
    checkout.score(passing)
    assert [entry["id"] for entry in data(passing)["assertions"]] == ["noted"]


def test_a_record_stays_when_its_task_asks_for_another_run_now(checkout, passing):
    checkout.score(passing)
    before = passing.path.read_bytes()
    checkout.edit(f"tasks/{passing.task}/task.json", lambda task: task["request"].update(prompt="something else"))
    checkout.set_suite_version("1.1.0")
    assert checkout.score(passing).outcome == "left"
    assert passing.path.read_bytes() == before


def test_evidence_of_a_changed_task_is_graded_with_its_sealed_manifests(checkout, passing):
    checkout.edit(f"tasks/{passing.task}/task.json", lambda task: task["request"].update(prompt="something else"))
    checkout.set_suite_version("1.1.0")
    checkout.score(passing)
    assert (data(passing)["suiteVersion"], data(passing)["verdict"]) == ("1.0.0", "pass")


def test_evidence_of_a_task_that_is_gone_is_still_graded(checkout, passing):
    shutil.rmtree(checkout.root / "tasks" / passing.task)
    checkout.score(passing)
    assert data(passing)["verdict"] == "pass"


def test_without_the_fixtures_tree_a_record_stays(checkout, passing):
    checkout.score(passing)
    shutil.rmtree(checkout.root / "fixtures/copperbench-ldo-sensor/tree")
    assert checkout.score(passing).outcome == "left"


def test_without_the_fixtures_tree_nothing_new_is_graded(checkout, passing):
    shutil.rmtree(checkout.root / "fixtures/copperbench-ldo-sensor/tree")
    with pytest.raises(FixtureMismatch, match="copperbench fixture get copperbench-ldo-sensor"):
        checkout.score(passing)
    assert not passing.path.exists()


def test_a_changed_fixture_tree_is_refused(checkout, passing):
    board = next((checkout.root / "fixtures/copperbench-ldo-sensor/tree").glob("*.kicad_pcb"))
    board.write_bytes(board.read_bytes() + b"\n")
    with pytest.raises(FixtureMismatch):
        checkout.score(passing)
    assert not passing.path.exists()


def test_a_leaked_credential_is_a_failed_record_that_does_not_repeat_it(checkout, agent: Mapping[str, Any]):
    place = checkout.seal("some-model", writes={"docs/NOTE.md": f"done {KEY}\n"}, **agent)
    checkout.score(place)
    record = data(place)
    assert (record["verdict"], record["failureCategory"]) == ("fail", "constraint-violation")
    assert {entry["id"]: entry["status"] for entry in record["assertions"]} == {
        "noted": "unevaluable",
        "no-secret": "fail",
    }
    assert KEY.encode() not in place.path.read_bytes()


def test_a_leaked_credential_fails_a_task_that_never_asked(checkout):
    checkout.edit(f"tasks/{checkout.place().task}/assertions.json", lambda entries: entries.pop())
    place = checkout.seal(writes={"docs/NOTE.md": f"done {KEY}\n"})
    checkout.score(place)
    assert data(place)["firstFailedRequired"] == "no-secret"


def test_a_file_name_that_is_no_unicode_does_not_make_the_record_unreadable(checkout, agent: Mapping[str, Any]):
    place = checkout.seal("some-model", writes={"docs/\udcff\udcfe.md": "x"}, **agent)
    checkout.score(place)
    assert isinstance(read_record(place.path, checkout.root), Record)


def test_without_kicad_what_needs_it_is_unscoreable_and_unstamped(checkout):
    checkout.edit(f"tasks/{checkout.place().task}/assertions.json", lambda entries: entries.append(ERC))
    place = checkout.seal(writes={"docs/NOTE.md": "done\n"})
    scored = checkout.score(place)
    assert (scored.verdict, data(place)["comparability"]["kicadCliVersion"]) == ("unscoreable", None)


@pytest.mark.kicad
def test_gaining_kicad_supersedes_the_unscoreable_record(checkout):
    checkout.edit(f"tasks/{checkout.place().task}/assertions.json", lambda entries: entries.append(ERC))
    place = checkout.seal(writes={"docs/NOTE.md": "done\n"})
    checkout.score(place)
    scored = checkout.score(place, find_kicad_cli())
    assert (scored.outcome, scored.verdict) == ("superseded", "pass")
    assert checkout.score(place).outcome == "kept"


@pytest.mark.kicad
def test_kicads_sealed_reports_cannot_be_changed_or_lost_unnoticed(checkout, passing):
    checkout.score(passing, find_kicad_cli())
    reports = passing.folder / "verify.json"
    sealed = reports.read_bytes()
    reports.write_bytes(sealed.replace(b'"format": 1', b'"format":  1'))
    with pytest.raises(SealBroken, match=r"verify\.json: has changed"):
        checkout.score(passing)
    reports.unlink()
    with pytest.raises(SealBroken, match=r"verify\.json: is missing"):
        checkout.score(passing)


@pytest.mark.kicad
def test_a_recheck_finds_reports_that_kicad_did_not_write(checkout, passing):
    cli = find_kicad_cli()
    checkout.score(passing, cli)
    assert not checkout.score(passing, cli, recheck=True).finding
    passing.path.unlink()
    reports = passing.folder / "verify.json"
    forged = json.loads(reports.read_bytes())
    forged["erc"]["violations"] = [
        {"type": "pin_not_connected", "severity": "error", "where": "/", "description": "forged"}
    ]
    del forged["seal"]
    reports.write_bytes(self_sealed(forged))
    assert checkout.score(passing, cli, recheck=True).finding


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst", "run.json", "verify.json"])
@pytest.mark.kicad
def test_changed_evidence_is_named_when_every_record_is_gone_too(checkout, passing, name):
    checkout.score(passing, find_kicad_cli())
    passing.path.unlink()
    file = passing.folder / name
    changed = bytearray(file.read_bytes())
    changed[len(changed) // 2] ^= 1
    file.write_bytes(changed)
    with pytest.raises(SealBroken, match=rf"run-1/{name}".replace(".", r"\.")):
        checkout.score(passing)
    assert not passing.path.exists()
