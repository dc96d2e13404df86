"""Tricks with the transcript: rewritten, lengthened, doubled, forged; and what a reader of the last file would say."""

from __future__ import annotations

import json
import os
import shutil

import pytest

from copperbench.evidence import read_transcript
from copperbench.harness.observing import TranscriptObserver
from copperbench.sandbox import ExitFacts
from copperbench.suite import AssertionSpec

DONE = AssertionSpec("done", "exit_path_in", {"paths": ["done"]}, 1, required=True)
SHEET_KEPT = AssertionSpec("kept", "file_unchanged", {"path": "copperbench-ldo-sensor.kicad_sch"}, 1, required=True)
NO_ERC = AssertionSpec("no-erc", "erc_clean", {}, 1, required=True)
RUN = ".copperhead/runs/2026-12-31"
TRANSCRIPT = f"{RUN}/transcript.jsonl"


def line(kind: str, **data) -> bytes:
    return json.dumps({"ts": "", "type": kind, "data": data}).encode() + b"\n"


START, STALLED, END = line("run-start"), line("run-end", exitPath="stalled"), line("run-end", exitPath="done")
TURN = line("assistant", text="working", toolCalls=[])


class Harness:
    """A harness that writes down what happens while the runner looks on, and an agent that meddles in between."""

    def __init__(self, box, expected: int = 1) -> None:
        self.box = box
        self.observer = TranscriptObserver(box.root, expected, poll_s=60).start()

    def writes(self, *lines: bytes, to: str = TRANSCRIPT):
        place = self.box.root / to
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("ab") as file:
            file.write(b"".join(lines))
        self.observer.look()
        return self

    def ends(self):
        """The sandbox with what was observed; it can be graded now."""
        seen = self.observer.stop()
        self.box.transcript = seen.transcript
        self.box.exit = ExitFacts(0, None, None, seen.tampered)
        return self.box


def naive(box) -> str | None:
    """The exit path that the last file in the sandbox gives."""
    found = sorted((box.root / ".copperhead/runs").glob("*/transcript.jsonl"))
    return read_transcript(found[-1].read_bytes()).exit_path if found else None


def rewritten(box) -> None:
    (box.root / TRANSCRIPT).write_bytes(START + END)


def edited(box) -> None:
    data = (box.root / TRANSCRIPT).read_bytes()
    (box.root / TRANSCRIPT).write_bytes(data.replace(b"stalled", b"done   ").replace(b'"done   "', b'"done"   '))


def replaced_by_another_file(box) -> None:
    (box.root / TRANSCRIPT).unlink()
    rewritten(box)


def moved_away(box) -> None:
    shutil.rmtree(box.root / RUN)
    box.write(".copperhead/runs/2027-01-01/transcript.jsonl", START + END)


def one_folder_more(box) -> None:
    box.write(".copperhead/runs/2027-01-01/transcript.jsonl", START + END)


def linked(box) -> None:
    box.write("docs/other.jsonl", START + END)
    (box.root / TRANSCRIPT).unlink()
    (box.root / TRANSCRIPT).symlink_to(box.root / "docs/other.jsonl")


TAMPERINGS = [rewritten, edited, replaced_by_another_file, moved_away, one_folder_more, linked]


@pytest.mark.parametrize("meddle", TAMPERINGS)
def test_a_transcript_changed_after_it_was_seen_makes_the_run_fail_as_tampered(sandbox, twin, meddle):
    harness, honest = Harness(sandbox), Harness(twin)
    for each in (harness, honest):
        each.writes(START, TURN, STALLED)
    meddle(sandbox)
    assert naive(sandbox) == "done"
    grade = harness.ends().grade(SHEET_KEPT)
    assert (grade.verdict, grade.exit_path, grade.failure_category) == ("fail", "tampered", "constraint-violation")
    assert honest.ends().grade(SHEET_KEPT).verdict == "pass"


@pytest.mark.parametrize("meddle", TAMPERINGS)
def test_where_nobody_can_judge_a_tampered_run_counts_no_more_than_an_honest_one(sandbox, twin, meddle):
    harness, honest = Harness(sandbox), Harness(twin)
    for each in (harness, honest):
        each.writes(START, TURN, STALLED)
    meddle(sandbox)
    grade = harness.ends().grade(NO_ERC)
    assert (grade.verdict, grade.exit_path) == ("unscoreable", "tampered")
    assert honest.ends().grade(NO_ERC).verdict == "unscoreable"


def test_the_record_says_what_was_seen(sandbox):
    harness = Harness(sandbox).writes(START, TURN, STALLED)
    rewritten(sandbox)
    grade = harness.ends().grade(SHEET_KEPT)
    said = next(item.detail for item in grade.assertions if item.id == grade.first_failed_required)
    assert said == "exit path tampered: the transcript of 2026-12-31 became shorter while it was watched"


@pytest.mark.parametrize(
    ("lines", "last_word"),
    [
        ((END, line("tool", name="shell", args={}, result="ok")), None),
        ((STALLED, END), None),
        ((END, STALLED), None),
        ((STALLED, START, END), "done"),
        ((STALLED, b"not even JSON"), "stalled"),
    ],
    ids=["forged while it goes on", "appended", "forged before", "a whole run appended", "nonsense appended"],
)
def test_a_line_behind_the_end_of_a_run_was_written_by_another_hand(sandbox, twin, lines, last_word):
    harness, honest = Harness(sandbox).writes(START, TURN, *lines), Harness(twin).writes(START, TURN, STALLED)
    assert naive(sandbox) == last_word
    assert (harness.ends().grade(DONE).exit_path, honest.ends().grade(DONE).exit_path) == ("tampered", "stalled")


def test_a_call_whose_arguments_look_like_an_end_is_no_end(sandbox):
    call = line("tool", name="write_file", args={"type": "run-end", "text": '{"type":"run-end"}'}, result="ok")
    assert Harness(sandbox).writes(START, call, TURN, END).ends().grade(DONE).exit_path == "done"


def test_each_stage_of_a_create_run_has_an_end_of_its_own(sandbox):
    harness = Harness(sandbox, expected=2)
    for stage in "ab":
        harness.writes(START, TURN, END, to=f".copperhead/runs/{stage}/transcript.jsonl")
    assert harness.ends().grade(DONE).exit_path == "done"


def test_a_run_that_the_runner_ended_is_not_done_whatever_its_last_line_says(sandbox, twin):
    for box in (sandbox, twin):
        Harness(box).writes(START, TURN, END).ends()
    sandbox.exit = ExitFacts(None, 9, "wallClock", None)
    assert (sandbox.grade(DONE).exit_path, twin.grade(DONE).exit_path) == ("cap-exceeded", "done")


REFUSED = line("run-end", exitPath="refused")
KEY = "standby_current_ua"
CITED = AssertionSpec("cited", "refusal_cites_budget", {"budgetKey": KEY}, 1, required=True)


def finish(summary: str, result: str = "refusal recorded") -> bytes:
    return line("tool", name="finish", args={"outcome": "refuse", "summary": summary}, result=result)


@pytest.mark.parametrize(
    "words",
    [
        (line("tool", name="read_file", args={"path": "constraints.json"}, result=KEY), finish("it cannot be done")),
        (line("tool", name="read_file", args={"path": KEY}, result="no such file"), finish("no")),
        (line("assistant", text=f"I will break {KEY}", toolCalls=[]), finish("no")),
        (finish("it cannot be done", result=f"refusal recorded; {KEY} is the budget"),),
        (finish(KEY), finish("it cannot be done")),
        (finish(f"x{KEY}, {KEY}_max and io.{KEY}"),),
    ],
    ids=["tool output", "tool arguments", "thinking aloud", "the tool's answer", "taken back", "longer names"],
)
def test_a_budget_that_the_refusal_itself_does_not_name_is_not_cited(sandbox, twin, words):
    Harness(sandbox).writes(START, *words, REFUSED).ends()
    Harness(twin).writes(START, finish(f"{KEY} allows 20 and this needs 300"), REFUSED).ends()
    assert KEY in sandbox.transcript.decode()
    assert (sandbox.grade(CITED).verdict, twin.grade(CITED).verdict) == ("fail", "pass")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        START[:-20],
        START + TURN,
        START + b"\xff\xfe" + END,
        b"[" * 200_000 + b"\n",
        b'{"type": "run-end", "data": ' * 50_000 + b"\n",
        START + b"x" * (33 << 20) + b"\n",
        b"null\n1\n[]\n{}\n",
        line("run-end", exitPath=["done"]),
        line("run-end", exitPath="DONE"),
        line("run-end", exitPath="cap-exceeded"),
        b'{"type": "run-end", "data": {"exitPath": "stalled", "exitPath": "done"}, "data": null}\n',
    ],
    ids=[
        "empty", "cut", "no end", "not UTF-8", "deep list", "deep objects", "huge line", "no events", "list",
        "capitals", "the runner's word", "twice",
    ],
)  # fmt: skip
def test_a_transcript_that_says_nothing_clear_is_graded_and_fails(sandbox, data):
    sandbox.transcript = data
    grade = sandbox.grade(DONE)
    assert (grade.verdict, grade.exit_path) == ("fail", "no-run-end")


def test_an_edit_after_finish_is_in_the_end_state_that_is_graded(sandbox, twin):
    for box in (sandbox, twin):
        Harness(box).writes(START, line("tool", name="finish", args={"outcome": "done"}, result="ok"), END).ends()
    sandbox.edit().commit("late")
    assert (sandbox.grade(DONE, SHEET_KEPT).verdict, twin.grade(DONE, SHEET_KEPT).verdict) == ("fail", "pass")


def test_a_pipe_in_the_place_of_the_transcript_hangs_nobody(sandbox):
    harness = Harness(sandbox).writes(START, TURN)
    (sandbox.root / TRANSCRIPT).unlink()
    os.mkfifo(sandbox.root / TRANSCRIPT)
    assert harness.ends().grade(DONE).exit_path == "tampered"
