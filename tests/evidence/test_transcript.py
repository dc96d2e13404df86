"""The transcript reader: true to real runs, unmoved by damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from given.recorded import RECORDED_EXITS
from hypothesis import given
from hypothesis import strategies as st

from copperbench.evidence import EXIT_PATHS, Transcript, read_transcript, tool_error_kind


def lines(*events: tuple[str, dict[str, Any]]) -> bytes:
    rows = [json.dumps({"ts": "2026-11-30T00:00:00.000Z", "type": kind, "data": data}) for kind, data in events]
    return "".join(f"{row}\n" for row in rows).encode()


def tool(name: str, result: str, **args: Any) -> tuple[str, dict[str, Any]]:
    return "tool", {"name": name, "args": args, "result": result}


def real(shared: Path, name: str) -> Transcript:
    return read_transcript((shared / "evidence" / name / "transcript.jsonl").read_bytes())


@pytest.mark.parametrize("name", RECORDED_EXITS)
def test_a_real_run_is_read_without_a_problem(shared: Path, name: str) -> None:
    transcript = real(shared, name)
    meta = json.loads((shared / "evidence" / name / "meta.json").read_bytes())
    read = [event.type for event in transcript.events]
    assert transcript.problems == ()
    # A create run has one transcript per stage and the first is kept; not every run's events were noted.
    assert read == meta.get("event_types", read)[: len(read)]


@pytest.mark.parametrize(("name", "path"), RECORDED_EXITS.items())
def test_a_real_run_ends_as_it_is_known_to_have_ended(shared: Path, name: str, path: str | None) -> None:
    assert real(shared, name).exit_path == path


def test_no_real_run_is_left_out(shared: Path) -> None:
    assert {folder.name for folder in (shared / "evidence").iterdir() if folder.is_dir()} == set(RECORDED_EXITS)


def test_a_real_refusal_is_heard_in_the_models_own_words(shared: Path) -> None:
    assert real(shared, "refusal-budget").model_refusal.startswith("REFUSED: budget mic_current_uA (650)")


def test_a_real_run_of_tool_errors_counts_each_kind(shared: Path) -> None:
    errors = real(shared, "tool-errors-and-revert").tool_errors
    assert dict(errors) == {"protocol": 15, "reverted": 1, "gate": 1}


def test_a_real_exhausted_run_has_the_repair_cycles_that_its_checks_add_up_to(shared: Path) -> None:
    transcript = real(shared, "repair-cycles-exhausted-raw-warnings")
    assert transcript.stats.repair_cycles_used == transcript._failed_checks() == 6


def test_a_killed_run_still_has_its_turns(shared: Path) -> None:
    transcript = real(shared, "killed-sigterm")
    assert transcript.stats.turns_used == len(transcript.of_type("assistant")) > 0
    assert transcript.stats.tokens_in is None


def test_drift_that_is_vacuously_clean_is_no_tool_error() -> None:
    assert tool_error_kind("no schematic configured; drift vacuously clean") is None


def test_a_transcript_cut_in_the_middle_of_a_line_keeps_what_came_before() -> None:
    data = lines(("run-start", {}), ("run-end", {"exitPath": "done"}))
    transcript = read_transcript(data[:-20])
    assert [event.type for event in transcript.events] == ["run-start"]
    assert transcript.problems == ("transcript.jsonl:2: not JSON (cut short or damaged)",)


def test_a_run_that_went_on_after_its_run_end_has_no_ending() -> None:
    data = lines(("run-start", {}), ("run-end", {"exitPath": "done"}), ("run-start", {}), ("assistant", {}))
    assert read_transcript(data).exit_path is None


def test_the_last_stage_of_a_create_run_says_how_it_ended() -> None:
    stages = [("run-start", {}), ("run-end", {"exitPath": "done"})]
    data = lines(*stages, ("run-start", {}), ("run-end", {"exitPath": "stalled"}))
    assert read_transcript(data).exit_path == "stalled"


def test_the_stages_of_a_create_run_add_up() -> None:
    end = {"turnsUsed": 3, "maxTurns": 40, "tokensIn": 100, "tokensOut": 7}
    data = lines(("run-start", {}), ("run-end", end), ("run-start", {}), ("run-end", end))
    stats = read_transcript(data).stats
    assert (stats.turns_used, stats.max_turns, stats.tokens_in, stats.tokens_out) == (6, 80, 200, 14)


@pytest.mark.parametrize("word", ["victory", "tampered", "cap-exceeded", "no-run-end", "", None, 7, ["done"]])
def test_an_exit_path_that_no_harness_may_say_is_none(word: object) -> None:
    assert read_transcript(lines(("run-start", {}), ("run-end", {"exitPath": word}))).exit_path is None


def test_a_finish_that_the_gate_turned_down_is_remembered_while_it_is_the_last() -> None:
    gate = tool("finish", "cannot finish yet:\n- ERC has not passed", outcome="done", summary="x")
    assert read_transcript(lines(gate)).finish_was_turned_down
    assert not read_transcript(lines(gate, tool("finish", "ok", outcome="done", summary="x"))).finish_was_turned_down


def test_what_a_tool_printed_is_no_refusal_of_the_model() -> None:
    data = lines(tool("read_file", "refuse: standby_current_ua"), ("run-end", {"exitPath": "refused"}))
    assert read_transcript(data).model_refusal == ""


def test_only_the_last_refusal_counts() -> None:
    first = tool("finish", "error: x", outcome="refuse", summary="budget_a")
    last = tool("finish", "ok", outcome="refuse", summary="giving up")
    assert read_transcript(lines(first, last)).model_refusal == "giving up"


def test_two_errors_never_dominate() -> None:
    errors = [tool("edit_file", "error: anchor not found")] * 2
    assert read_transcript(lines(*errors)).dominant_tool_error is None


def test_errors_that_are_half_of_the_calls_do_not_dominate() -> None:
    calls = [tool("edit_file", "error: anchor not found"), tool("read_file", "text")] * 3
    assert read_transcript(lines(*calls)).dominant_tool_error is None


def test_three_errors_of_five_calls_dominate() -> None:
    calls = [tool("edit_file", "edit REVERTED: it would")] * 3 + [tool("read_file", "text")] * 2
    assert read_transcript(lines(*calls)).dominant_tool_error == "reverted"


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe\x00",
        b"[1, 2]",
        b"null",
        b'{"type": 3}',
        b'{"type": "tool", "data": []}',
        b"[" * 100_000,
        b'{"type": "x", "data": {"n": ' + b"9" * 10_000 + b"}}",
        b'{"type": "tool"',
    ],
    ids=["not UTF-8", "list", "null", "type no text", "data no object", "deep", "huge number", "cut"],
)
def test_a_damaged_line_is_a_problem_and_costs_no_other_line(line: bytes) -> None:
    transcript = read_transcript(line + b"\n" + lines(("run-end", {"exitPath": "done"})))
    assert transcript.exit_path == "done"
    assert len(transcript.problems) == 1


@pytest.mark.parametrize(
    "data", [{}, {"args": 7, "result": [], "name": {}}, {"args": {"outcome": 1}, "name": "finish"}]
)
def test_an_event_with_odd_data_is_read_as_saying_nothing(data: dict[str, Any]) -> None:
    transcript = read_transcript(lines(("tool", data), ("run-refused", data)))
    assert (transcript.model_refusal, dict(transcript.tool_errors)) == ("", {})


def test_a_transcript_blown_up_to_millions_of_lines_is_not_read_to_its_end() -> None:
    data = b'{"type": "tool"}\n' * 300_000 + lines(("run-end", {"exitPath": "done"}))
    transcript = read_transcript(data)
    assert (len(transcript.events), transcript.exit_path) == (200_000, None)


def test_a_problem_names_its_line_in_the_file() -> None:
    assert read_transcript(b"\n\n{}\n\n{\n").problems[1] == "transcript.jsonl:5: not JSON (cut short or damaged)"


@given(st.binary(max_size=300))
def test_any_bytes_are_read(data: bytes) -> None:
    transcript = read_transcript(data)
    assert transcript.exit_path is None or transcript.exit_path in EXIT_PATHS


def test_a_run_that_ended_twice_has_no_end_that_is_believed() -> None:
    end = b'{"ts": "", "type": "run-end", "data": {"exitPath": "%s"}}\n'
    assert read_transcript(end % b"stalled" + end % b"done").exit_path is None


def test_every_stage_of_a_create_run_may_end() -> None:
    stage = (
        b'{"ts": "", "type": "run-start", "data": {}}\n{"ts": "", "type": "run-end", "data": {"exitPath": "done"}}\n'
    )
    assert read_transcript(stage * 3).exit_path == "done"
