"""The stranger's check: what was published is graded again, and whatever differs is named."""

from __future__ import annotations

import hashlib
import json
import os

import pytest
from given.verbs import Call, caller

from copperbench.kicad import find_kicad_cli
from copperbench.sandbox import HarnessStamp

DATE = "2026-01-02"
KICAD_CLI = os.environ.get("COPPERBENCH_KICAD_CLI") or "kicad-cli"
BOARD = "copperbench-ldo-sensor"


@pytest.fixture
def call(checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `copperbench` in the checkout without a kicad-cli: exit code, stdout, stderr."""
    return caller(checkout.root, monkeypatch, capsys)


@pytest.fixture
def reproduce(call: Call) -> Call:
    return lambda *options: call("reproduce", f"results/{DATE}", *options)


@pytest.fixture
def published(checkout, passing, agent, call: Call):
    """A campaign of two graded runs and the page that was made of it; the place of the passing one."""
    model = checkout.seal("some-model", **agent)
    checkout.score(passing)
    checkout.score(model)
    call("leaderboard")
    return passing


def flip(path):
    """Change one byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def test_an_untouched_campaign_is_identical(published, reproduce: Call):
    code, out, err = reproduce()
    assert (code, out.splitlines()[-1], err) == (0, "identical", "")


def test_nothing_is_written(published, checkout, reproduce: Call):
    def state():
        return {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in checkout.root.rglob("*")}

    before = state()
    reproduce()
    assert state() == before


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst", "run.json"])
def test_a_flipped_byte_of_the_evidence_is_named(published, reproduce: Call, name: str):
    flip(published.folder / name)
    code, _, err = reproduce()
    assert code == 1
    assert err.startswith(f"broken: results/{DATE}/harness-noop/{published.task}/run-1/{name}: has changed")


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst"])
def test_a_missing_file_of_the_evidence_is_named(published, reproduce: Call, name: str):
    (published.folder / name).unlink()
    assert f"run-1/{name}: is missing" in reproduce()[2]


def test_a_changed_verdict_is_named_by_its_field(published, checkout, reproduce: Call):
    checkout.edit(published.name, lambda record: record.update(verdict="fail", failureCategory="drift-left"))
    code, out, err = reproduce()
    assert (code, out.splitlines()[-1]) == (1, "not identical")
    assert f'{published.name}: $.verdict: "fail" was, "pass" is' in err


def test_a_changed_cost_of_a_model_is_named_by_its_field(published, checkout, reproduce: Call):
    record = checkout.place("some-model").name
    checkout.edit(record, lambda value: value["cost"].update(usd=0.01))
    assert f"{record}: $.cost.usd: 0.01 was, 0.25 is" in reproduce()[2]


def test_another_suite_version_in_a_record_is_named(published, checkout, reproduce: Call):
    checkout.edit(published.name, lambda value: value["comparability"].update(suiteVersion="9.9.9"))
    assert "$.comparability.suiteVersion" in reproduce()[2]


def test_another_manifest_hash_in_a_record_is_named(published, checkout, reproduce: Call):
    checkout.edit(published.name, lambda value: value["comparability"].update(taskManifestHash="0" * 64))
    assert "$.comparability.taskManifestHash" in reproduce()[2]


def test_a_record_that_was_only_reformatted_is_named(published, reproduce: Call):
    published.path.write_text(json.dumps(json.loads(published.path.read_bytes())))
    assert "not written as a grading writes it" in reproduce()[2]


def test_a_record_without_evidence_is_named(published, reproduce: Call):
    for path in published.folder.iterdir():
        path.unlink()
    published.folder.rmdir()
    code, _, err = reproduce()
    assert code == 1
    assert f"{published.name}: has no sealed evidence beside it" in err


def test_evidence_without_a_record_is_named(published, reproduce: Call):
    published.path.unlink()
    code, _, err = reproduce()
    assert code == 1
    assert f"{published.name}: is missing, and there is sealed evidence of it" in err


def test_a_record_that_is_a_link_is_not_followed(published, reproduce: Call, tmp_path):
    elsewhere = tmp_path / "record.json"
    published.path.rename(elsewhere)
    published.path.symlink_to(elsewhere)
    assert f"{published.name}: is no regular file" in reproduce()[2]


def test_evidence_copied_to_another_repeat_is_no_second_run(published, checkout, reproduce: Call):
    copy = checkout.place(repeat=2)
    copy.folder.mkdir()
    for path in published.folder.iterdir():
        (copy.folder / path.name).write_bytes(path.read_bytes())
    copy.path.write_bytes(published.path.read_bytes())
    assert "was sealed as" in reproduce()[2]


def test_reports_of_kicad_that_no_record_pins_are_named(published, reproduce: Call):
    (published.folder / "verify.json").write_text("{}")
    assert "verify.json: is there, and the record does not pin it" in reproduce()[2]


@pytest.fixture
def judged(checkout, passing, call: Call):
    """A campaign of one run that KiCad has judged, and its page."""
    checkout.score(passing, find_kicad_cli(KICAD_CLI))
    call("leaderboard")
    return passing


@pytest.mark.kicad
def test_the_sealed_reports_of_kicad_stand_in_for_kicad(judged, reproduce: Call):
    assert (judged.folder / "verify.json").is_file()
    assert reproduce()[0] == 0


@pytest.mark.kicad
def test_a_flipped_byte_of_kicads_reports_is_named(judged, reproduce: Call):
    flip(judged.folder / "verify.json")
    assert "run-1/verify.json: has changed" in reproduce()[2]


@pytest.mark.kicad
def test_reports_of_kicad_that_are_gone_are_named(judged, reproduce: Call):
    (judged.folder / "verify.json").unlink()
    assert "run-1/verify.json: is missing, and the record pins it" in reproduce()[2]


@pytest.mark.kicad
def test_reports_that_were_changed_and_pinned_anew_are_named(judged, checkout, reproduce: Call):
    reports = judged.folder / "verify.json"
    reports.write_text(reports.read_text().replace('"violations": []', '"violations": [ ]', 1))
    checkout.edit(judged.name, lambda record: record["artifacts"]["digests"].update({"verify.json": sha(reports)}))
    assert reproduce()[0] == 1


def test_a_file_that_belongs_to_no_run_is_named(published, checkout, reproduce: Call):
    (checkout.root / f"results/{DATE}/notes.txt").write_text("x")
    assert f"results/{DATE}/notes.txt: is no part of a published run" in reproduce()[2]


def test_a_changed_tree_of_the_board_stops_its_runs(published, checkout, reproduce: Call):
    with (checkout.root / f"fixtures/{BOARD}/tree/sym-lib-table").open("a") as file:
        file.write("\n")
    code, _, err = reproduce()
    assert code == 1
    assert f"fixtures/{BOARD}/tree: the tree's hash is" in err


def test_a_changed_recorded_report_of_the_board_stops_its_runs(published, checkout, reproduce: Call):
    added = {"type": "pin_not_connected", "severity": "error", "where": "/", "description": "Pin 1"}
    checkout.edit(f"fixtures/{BOARD}/baseline/erc.json", lambda report: report["violations"].append(added))
    assert "baseline/erc.json: is missing or does not hold what the fixture's manifest counts" in reproduce()[2]


def test_a_page_edited_by_hand_is_named_by_its_line(published, checkout, reproduce: Call):
    page = checkout.root / "LEADERBOARD.md"
    page.write_text(page.read_text().replace("Records", "Rekords", 1))
    code, out, err = reproduce()
    assert (code, "LEADERBOARD.md: differs" in out) == (1, True)
    assert err.startswith("LEADERBOARD.md:")


def test_a_missing_page_is_not_identical(published, checkout, reproduce: Call):
    (checkout.root / "LEADERBOARD.md").unlink()
    code, out, _ = reproduce()
    assert (code, "LEADERBOARD.md: missing" in out) == (1, True)


def test_a_board_that_is_not_here_is_skipped_by_name(checkout, call: Call, reproduce: Call, published):
    manifest = json.loads((checkout.root / f"fixtures/{BOARD}/fixture.json").read_bytes())
    other = manifest | {"id": "some-board", "availability": "obtainable", "upstream": UPSTREAM}
    place = checkout.seal("other-model", fixture_manifest=json.dumps(other).encode(), harness=HarnessStamp("x", "1"))
    place.path.write_bytes(published.path.read_bytes())
    checkout.edit(place.name, lambda record: record["artifacts"].update(digests={}))
    pins = {path.name: sha(path) for path in place.folder.iterdir()}
    checkout.edit(place.name, lambda record: record["artifacts"].update(digests=pins))
    _, out, err = reproduce()
    assert "2 identical, 0 differs, 0 broken, 1 skipped" in out
    assert "skipped 1 run(s): the board some-board is not here; `copperbench fixture get some-board`" in err


def test_a_run_graded_under_a_later_suite_is_reproduced_by_that_suite(published, checkout, call, reproduce: Call):
    checkout.set_suite_version("1.1.0")
    path = checkout.root / "tasks" / published.task / "assertions.json"
    path.write_text(path.read_text().replace('"weight": 1', '"weight": 2'))
    checkout.score(published)
    checkout.score(checkout.place("some-model"))
    call("leaderboard")
    assert reproduce()[0] == 0


def test_a_run_of_an_earlier_suite_is_reproduced_with_its_sealed_task(published, checkout, call, reproduce: Call):
    checkout.set_suite_version("2.0.0")
    path = checkout.root / "tasks" / published.task / "task.json"
    path.write_text(path.read_text().replace("note that it is done", "note that it is finished"))
    call("leaderboard")
    assert reproduce()[0] == 0


def test_the_findings_are_there_for_machines(published, checkout, reproduce: Call):
    checkout.edit(published.name, lambda record: record.update(partialCredit=0.5))
    said = json.loads(reproduce("--json")[1])
    assert said["identical"] is False
    assert {each["record"]: each["status"] for each in said["records"]}[published.name] == "differs"


@pytest.mark.parametrize("name", ["results", "results/2026-01-03", f"results/{DATE}/harness-noop", "elsewhere"])
def test_what_is_no_campaign_is_one_line(published, call: Call, name: str):
    code, _, err = call("reproduce", name)
    assert (code, err.count("\n")) == (2, 1)


def test_a_campaign_that_is_a_link_is_not_followed(published, checkout, call: Call):
    (checkout.root / "results/2026-01-03").symlink_to(DATE)
    assert call("reproduce", "results/2026-01-03")[0] == 2


UPSTREAM = {
    "name": "some-board",
    "url": "https://example.org/some-board",
    "commit": "0" * 40,
    "retrieved": "2026-01-01",
    "license": "MIT",
    "licenseFile": "LICENSE",
    "copyright": "somebody",
    "modifications": "none",
}


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
