"""What an in-process run says of itself: the events of an agent harness, in their order."""

import json

from copperbench.evidence import read_transcript


def types(events):
    return [event["type"] for event in events]


def test_noop_starts_and_ends_done_and_does_nothing_between(bench):
    bench.run("noop")
    events = bench.events("noop")
    assert types(events) == ["run-start", "run-end"]
    assert events[-1]["data"]["exitPath"] == "done"


def test_gold_is_told_as_one_turn_that_finishes_and_commits(bench):
    bench.run("gold")
    assert types(bench.events()) == ["run-start", "assistant", "tool", "run-committed", "run-end"]


def test_the_commit_in_the_transcript_is_the_one_in_the_end_state(bench):
    from copperbench.sandbox import open_seal

    bench.run("gold")
    commits = open_seal(bench.place().folder).commits
    assert [commit.sha for commit in commits] == [bench.events()[3]["data"]["commit"]]


def test_a_refusal_is_told_in_the_models_words_and_not_as_a_commit(bench_of):
    bench = bench_of("do-budget-refusal-bus-pullups")
    bench.run("gold")
    events = bench.events()
    assert types(events) == ["run-start", "assistant", "tool", "run-refused", "run-end"]
    assert "bus_sink_ua" in events[2]["data"]["args"]["summary"]
    assert events[2]["data"]["args"]["outcome"] == "refuse"


def test_a_run_that_never_finishes_has_no_finish_call_and_says_how_it_ended(bench):
    bench.run("trap-never-finishes")
    events = bench.events("trap-never-finishes")
    assert types(events) == ["run-start", "assistant", "run-failed", "run-end"]
    assert events[1]["data"]["toolCalls"] == []
    assert events[2]["data"]["exitPath"] == events[3]["data"]["exitPath"] == "turn-budget-exhausted"


def test_the_start_names_the_request_the_budgets_and_the_baseline_and_nothing_of_the_machine(bench):
    bench.run("gold")
    start = bench.events()[0]["data"]
    assert start["request"] == bench.suite.task(bench.task).prompt
    assert start["config"]["budgets"] == {"alert_low_current_ua": 50}
    assert start["git"]["commit"] == bench.facts()["baselineSha"]
    assert set(start["versions"].values()) == {None}


def test_an_event_of_a_solution_stands_where_its_step_stands(bench):
    from dataclasses import replace

    from copperbench.suite import Operation

    order = bench.order("gold")
    event = Operation("event", {"type": "session-limit", "data": {"resetsAt": None, "provider": "x"}})
    solution = replace(order.performer.solution, steps=(event, *order.performer.solution.steps))
    bench.run("gold", performer=replace(order.performer, solution=solution))
    assert types(bench.events())[:3] == ["run-start", "session-limit", "assistant"]


def test_our_reader_finds_nothing_wrong_with_a_transcript_of_ours(bench):
    bench.run("gold")
    transcript = read_transcript((bench.place().folder / "transcript.jsonl").read_bytes())
    assert transcript.problems == ()
    assert transcript.exit_path == "done"


def test_every_line_of_a_transcript_is_one_json_object(bench):
    bench.run("gold")
    lines = (bench.place().folder / "transcript.jsonl").read_bytes().split(b"\n")
    assert lines[-1] == b""
    assert all(set(json.loads(line)) == {"ts", "type", "data"} for line in lines[:-1])
