"""What the verbs about records say, write and return: 0 ok, 1 a finding, 2 what is unreadable or in conflict."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from given.verbs import Call, caller

from copperbench.sandbox import HarnessStamp
from copperbench.suite import load_suite


@pytest.fixture
def call(checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `copperbench` in the checkout without a kicad-cli: exit code, stdout, stderr."""
    return caller(checkout.root, monkeypatch, capsys)


@pytest.fixture
def solved(checkout):
    """A checkout whose task has a reference solution and one trap, each performed and sealed as promised."""
    folder = checkout.root / "solutions" / checkout.place().task
    folder.mkdir(parents=True)
    common = {"summary": "s", "exitPath": "done", "steps": [{"op": "commit", "message": "m"}]}
    gold = {"name": "gold", "impliedBy": {"no-secret": "noted"}, **common}
    (folder / "gold.json").write_text(json.dumps(gold))
    (folder / "trap-idle.json").write_text(json.dumps({"name": "trap-idle", "caughtBy": ["noted"], **common}))
    sha = {each.name: each.sha256 for each in load_suite(checkout.root).solutions(checkout.place().task)}
    checkout.seal()
    made, trap = (HarnessStamp(f"harness-{name}", "1", solution_sha256=sha[name]) for name in ("gold", "trap-idle"))
    checkout.seal("harness-gold", run_mode="gold", writes={"docs/NOTE.md": "done\n"}, harness=made)
    checkout.seal("harness-trap-idle", run_mode="trap", harness=trap)
    for slug in ("harness-noop", "harness-gold", "harness-trap-idle"):
        checkout.score(checkout.place(slug))
    return checkout


def test_score_publishes_whatever_the_verdict_and_ends_well(call: Call, checkout):
    place = checkout.seal()
    code, out, _ = call("score", place.name)
    assert (code, out) == (0, f"{place.name}: written, fail\n")


def test_score_tells_a_machine_what_became_of_the_record(call: Call, passing):
    _, out, _ = call("score", passing.name, "--json")
    assert json.loads(out) | {"note": ""} == {
        "record": passing.name,
        "outcome": "written",
        "verdict": "pass",
        "note": "",
    }


def test_score_says_a_conflict_in_one_line_and_ends_with_2(call: Call, checkout, passing):
    checkout.score(passing)
    passing.path.write_bytes(passing.path.read_bytes().replace(b'"partialCredit": 1.0', b'"partialCredit": 0.5'))
    code, out, err = call("score", passing.name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "$.partialCredit: 0.5 was, 1.0 is" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["results/2026-01-02/m/do-x/run-1.json"], "neither evidence nor a record"),
        (["LEADERBOARD.md"], "is no record's path"),
        (["results/2026-01-02/m/do-x/run-1.json", "--suite", "9.9.9"], "9.9.9 was asked for"),
    ],
)
def test_score_refuses_what_it_cannot_grade_in_one_line(call: Call, arguments: list[str], said: str):
    code, _, err = call("score", *arguments)
    assert (code, err.count("\n"), said in err) == (2, 1, True)


def test_a_recheck_without_kicad_is_a_missing_program(call: Call, passing):
    code, _, err = call("score", passing.name, "--recheck")
    assert (code, "no such program" in err) == (3, True)


def test_aggregate_lists_what_it_cannot_read_and_goes_on(call: Call, checkout, passing):
    checkout.score(passing)
    broken = checkout.place("some-model").path
    broken.parent.mkdir(parents=True)
    broken.write_text("{")
    code, out, err = call("aggregate")
    assert (code, out) == (0, "1 comparable, 0 not comparable, 1 unreadable\n")
    assert f"{checkout.place('some-model').name}: is not JSON" in err


def test_the_aggregate_and_the_page_are_the_same_bytes_again(call: Call, checkout, passing):
    checkout.score(passing)
    written = []
    for _ in range(2):
        call("aggregate", "--out", "results/aggregate.json")
        call("leaderboard", "--aggregate", "results/aggregate.json", "--out", "LEADERBOARD.md")
        written.append([(checkout.root / name).read_bytes() for name in ("results/aggregate.json", "LEADERBOARD.md")])
    assert written[0] == written[1]


def test_leaderboard_check_finds_a_hand_edit_and_names_its_line(call: Call, checkout, passing):
    checkout.score(passing)
    call("leaderboard")
    assert call("leaderboard", "--check")[0] == 0
    page = checkout.root / "LEADERBOARD.md"
    page.write_text(page.read_text().replace("| Suite version | 1.0.0 |", "| Suite version | 2.0.0 |"))
    code, _, err = call("leaderboard", "--check")
    assert (code, "LEADERBOARD.md:6: has '| Suite version | 2.0.0 |'" in err) == (1, True)


def test_leaderboard_check_finds_a_record_that_came_later(call: Call, checkout, passing):
    call("leaderboard")
    checkout.score(passing)
    assert call("leaderboard", "--check")[0] == 1


def test_an_aggregate_of_another_form_is_one_line(call: Call, checkout):
    (checkout.root / "old.json").write_text("{}")
    code, _, err = call("leaderboard", "--aggregate", "old.json")
    assert (code, err.count("\n"), "copperbench aggregate" in err) == (2, 1, True)


def test_discriminate_prints_the_table_and_ends_well(call: Call, solved):
    code, out, _ = call("discriminate")
    assert code == 0
    assert out.splitlines()[1].split() == [
        "do-note-something",
        "simple",
        "edit",
        *(["fail", "at", "noted"]),
        "pass",
        "1/1",
        "2/2",
        "yes",
    ]


def test_discriminate_ends_with_1_when_a_trap_is_caught_by_something_else(call: Call, solved):
    path = f"solutions/{solved.place().task}/trap-idle.json"
    solved.edit(path, lambda trap: trap.update(caughtBy=["no-secret"]))
    code, out, _ = call("discriminate")
    assert (code, "trap-idle fails at noted instead of no-secret" in out) == (1, True)


def test_discriminate_writes_its_rows_for_machines(call: Call, solved):
    call("discriminate", "--out", "build/discrimination.json")
    rows = json.loads((solved.root / "build/discrimination.json").read_bytes())["tasks"]
    assert [(row["task"], row["state"], row["traps"][0]["failed"]) for row in rows] == [
        ("do-note-something", "yes", ["noted"])
    ]


def test_discriminate_looks_at_the_campaign_that_was_asked_for(call: Call, solved):
    code, out, _ = call("discriminate", "--campaign", "2020-01-01")
    assert (code, "no run of it is on disk" in out) == (0, True)


def test_a_named_task_that_was_not_run_is_a_finding(call: Call, checkout):
    assert call("discriminate", checkout.place().task)[0] == 1


def test_a_task_whose_fixture_is_not_here_is_skipped_with_the_reason(call: Call, checkout):
    shutil.rmtree(checkout.root / "fixtures/copperbench-ldo-sensor/tree")
    code, out, _ = call("discriminate")
    assert (code, "skipped: fixture copperbench-ldo-sensor is not here" in out) == (0, True)


def test_redo_asks_first(call: Call, passing, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("typer.confirm", lambda *args, **kwargs: sys.exit(1))
    assert call("redo", passing.name)[0] == 1
    assert passing.folder.exists()


def test_redo_says_where_the_run_went(call: Call, passing):
    code, out, _ = call("redo", "--yes", passing.name, "--json")
    moved = json.loads(out)["moved"][passing.name]
    assert (code, (Path(moved).with_suffix("") / "run.json").exists(), passing.folder.exists()) == (0, True, False)


def test_redo_stale_moves_only_what_the_suite_has_overtaken(call: Call, solved):
    path = f"solutions/{solved.place().task}/trap-idle.json"
    solved.edit(path, lambda trap: trap.update(summary="another"))
    code, _, err = call("redo", "--stale", "--yes", "results/2026-01-02")
    assert (code, err) == (0, f"{solved.place('harness-trap-idle').name}: its solution has changed\n")
    assert solved.place("harness-gold").is_sealed
    assert not solved.place("harness-trap-idle").is_sealed


def test_redo_stale_of_something_else_is_refused(call: Call, checkout):
    code, _, err = call("redo", "--stale", "--yes", "fixtures")
    assert (code, "name results or results/<date>" in err) == (2, True)
