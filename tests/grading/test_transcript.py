"""The transcript: how the run ended, and whether the model itself said what it had to."""

from __future__ import annotations

from typing import Any

import pytest

from copperbench.evidence import read_transcript
from copperbench.grading import effective_exit_path
from copperbench.grading import transcript as room
from copperbench.grading.transcript import names_key
from copperbench.sandbox import ExitFacts
from copperbench.suite import patterns

KEY = "standby_current_ua"


def finish(outcome: str, summary: str) -> tuple[str, dict[str, Any]]:
    return "tool", {"name": "finish", "args": {"outcome": outcome, "summary": summary}, "result": "ok"}


@pytest.mark.parametrize(
    ("facts", "path"),
    [
        (ExitFacts(0, None, None, None), "done"),
        (ExitFacts(1, None, None, None), "done"),
        (ExitFacts(-9, 9, "wallClock", None), "cap-exceeded"),
        (ExitFacts(0, None, "turns", None), "cap-exceeded"),
        (ExitFacts(0, None, None, "a line changed"), "tampered"),
        (ExitFacts(-9, 9, "wallClock", "a line changed"), "tampered"),
    ],
)
def test_what_the_runner_saw_beats_what_the_transcript_says(world: Any, facts: ExitFacts, path: str) -> None:
    assert effective_exit_path(read_transcript(world.transcript), facts) == path


@pytest.mark.parametrize("transcript", [b"", b"\0\0\0", b'{"type": "run-start", "data": {}}\n'])
def test_a_transcript_without_an_ending_is_no_run_end(transcript: bytes) -> None:
    assert effective_exit_path(read_transcript(transcript), ExitFacts(0, None, None, None)) == "no-run-end"


def test_an_exit_path_is_one_of_those_named(world: Any) -> None:
    assert world.status("exit_path_in", paths=["done", "refused"]) == "pass"
    assert world.judge("exit_path_in", paths=["refused"]).detail == "exit path done"


def test_a_refusal_that_names_the_budget_cites_it(world: Any) -> None:
    world.ends("refused", f"180 uA would break {KEY} (20 uA).")
    assert world.status("refusal_cites_budget", budgetKey=KEY) == "pass"


def test_a_refusal_for_another_reason_cites_nothing(world: Any) -> None:
    world.ends("refused", "too much standby current")
    assert world.judge("refusal_cites_budget", budgetKey=KEY).detail == f"the refusal does not name {KEY}"


def test_citing_the_budget_without_refusing_is_no_refusal(world: Any) -> None:
    world.ends("done", f"{KEY} would be exceeded, done anyway")
    assert world.judge("refusal_cites_budget", budgetKey=KEY).detail == "exit path done, not refused"


def test_a_budget_that_only_a_tool_printed_is_not_cited(world: Any) -> None:
    read = ("tool", {"name": "read_file", "args": {"path": KEY}, "result": f"{KEY}: 20"})
    world.says(read, ("assistant", {"text": KEY}), finish("refuse", "no"), ("run-end", {"exitPath": "refused"}))
    assert world.status("refusal_cites_budget", budgetKey=KEY) == "fail"


def test_a_refusal_that_a_cap_cut_off_is_none(world: Any) -> None:
    world.ends("refused", KEY).exit = ExitFacts(-9, 9, "wallClock", None)
    assert world.status("refusal_cites_budget", budgetKey=KEY) == "fail"


@pytest.mark.parametrize(
    "text",
    [
        "vdd_volts",
        "breaks vdd_volts.",
        "`vdd_volts`: 1.8",
        "**vdd\\_volts**",
        "the vdd_volts-limit",
        "(vdd_volts)",
        "config.budgets: vdd_volts=1.8",
    ],
)
def test_a_key_is_named_as_people_write_keys(text: str) -> None:
    assert names_key(text, "vdd_volts")


@pytest.mark.parametrize(
    "text", ["vdd_volts_max", "my_vdd_volts", "io.vdd_volts", "vdd_volts.max", "VDD_VOLTS", "vdd volts", ""]
)
def test_a_part_of_another_word_names_no_key(text: str) -> None:
    assert not names_key(text, "vdd_volts")


def test_a_longer_key_of_the_same_task_does_not_name_the_shorter() -> None:
    assert not names_key("breaks vdd-io", "vdd", {"vdd-io"})
    assert names_key("breaks vdd-io and vdd", "vdd", {"vdd-io"})


def test_events_are_counted(world: Any) -> None:
    world.says(("tool", {"name": "run_erc", "args": {}, "result": "ERC: clean"}), ("assistant", {"text": "hm"}))
    assert world.status("transcript_event", event="tool") == "pass"
    assert world.status("transcript_event", event="tool", minCount=2) == "fail"
    assert world.status("transcript_event", event="run-committed") == "fail"


def test_events_are_matched_by_their_fields(world: Any) -> None:
    call = {"name": "read_file", "args": {"path": "docs/SPEC.md", "lines": [1, 2]}, "result": "x"}
    world.says(("tool", call))
    assert world.status("transcript_event", event="tool", matches={"name": "^read_", "args.path": "SPEC"}) == "pass"
    assert world.status("transcript_event", event="tool", matches={"args": r'"lines":\[1,2\]'}) == "pass"
    assert world.status("transcript_event", event="tool", matches={"name": "^read_", "args.path": "BOM"}) == "fail"
    assert world.status("transcript_event", event="tool", matches={"args.start": ".*"}) == "fail"


def test_a_pattern_that_runs_away_on_an_event_fails(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns.Pattern.search, "__defaults__", (0.05,))
    world.says(("assistant", {"text": "a" * 40 + "!"}))
    outcome = world.judge("transcript_event", event="assistant", matches={"text": "^(a|a)+$"})
    assert (outcome.status, "is not done after" in outcome.detail) == ("fail", True)


def test_many_slow_events_together_are_bounded_too(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "SEARCHING_S", -1.0)
    world.says(*[("assistant", {"text": "b"})] * 3)
    assert "are not done after" in world.judge("transcript_event", event="assistant", matches={"text": "a"}).detail


@pytest.mark.parametrize("kind", ["exit_path_in", "transcript_event"])
def test_a_transcript_of_rubbish_fails_and_does_not_raise(world: Any, kind: str) -> None:
    world.transcript = b"\xff" * 1000 + b"\n" + b"[" * 100_000
    args = {"paths": ["done"]} if kind == "exit_path_in" else {"event": "tool"}
    assert world.status(kind, **args) == "fail"
