"""Every way a model may behave ends with the right exit path and leaves the project as it should."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("no_kicad")

SHORT = ("--max-turns", "6")
QUICK = ("--turn-timeout", "0.4", "--timeout-retries", "1", "--retries", "1")
ENDINGS = [
    ("careful", (), "done"),
    ("partial", SHORT, "turn-budget-exhausted"),
    ("regenerator", (), "done"),
    ("over-reacher", (), "done"),
    ("refuser", (), "refused"),
    ("edits-then-refuses", (), "refused"),
    ("never-refuser", (), "done"),
    ("relaxer", (), "done"),
    ("edits-after-finish", (), "done"),
    ("looper", SHORT, "turn-budget-exhausted"),
    ("staller", (), "stalled"),
    ("talker", (), "stalled"),
    ("breaker", (), "refused"),
    ("broken-json", SHORT, "turn-budget-exhausted"),
    ("wrong-types", SHORT, "turn-budget-exhausted"),
    ("unknown-tool", SHORT, "turn-budget-exhausted"),
    ("401", (), "provider-error"),
    ("echo", (), "provider-error"),
    ("429-once", (), "done"),
    ("500", ("--retries", "2"), "provider-error"),
    ("500-later", ("--retries", "2"), "provider-error"),
    ("limit", (), "session-limit"),
    ("hang", QUICK, "provider-error"),
    ("drip", QUICK, "provider-error"),
    ("drop", QUICK, "provider-error"),
    ("nonsense", (), "provider-error"),
    ("empty", (), "provider-error"),
    ("no-usage", (), "refused"),
    ("leaker", (), "refused"),
]


@pytest.mark.parametrize(("model", "arguments", "exit_path"), ENDINGS, ids=[each[0] for each in ENDINGS])
def test_each_behaviour_ends_with_its_exit_path(played, model, arguments, exit_path):
    left = played(model, *arguments)
    outcome = {"done": "success", "refused": "refused"}.get(exit_path, "failure")
    assert (left.end["exitPath"], left.result["exitPath"], left.result["outcome"], left.code) == (
        exit_path,
        exit_path,
        outcome,
        int(outcome == "failure"),
    )


@pytest.mark.parametrize(("model", "arguments", "exit_path"), ENDINGS, ids=[each[0] for each in ENDINGS])
def test_only_what_was_done_stays(played, model, arguments, exit_path):
    left = played(model, *arguments)
    assert (left.tree == left.before, len(left.commits)) == ((False, 1) if exit_path == "done" else (True, 0))


@pytest.mark.parametrize(("model", "arguments", "exit_path"), ENDINGS, ids=[each[0] for each in ENDINGS])
def test_the_key_is_nowhere_afterwards(played, scripted, model, arguments, exit_path):
    left = played(model, *arguments)
    key = scripted.KEY.encode()
    files = [path for path in left.root.rglob("*") if path.is_file()]
    assert [path for path in files if key in path.read_bytes()] == []
    assert scripted.KEY not in left.out + left.said


@pytest.mark.parametrize(("model", "arguments", "exit_path"), ENDINGS, ids=[each[0] for each in ENDINGS])
def test_the_evidence_reader_finds_nothing_wrong_with_a_transcript(played, model, arguments, exit_path):
    from copperbench.evidence import read_transcript

    left = played(model, *arguments)
    read = read_transcript((left.folder / "transcript.jsonl").read_bytes())
    assert (read.problems, read.exit_path, read.stats.turns_used) == ((), exit_path, left.end["turnsUsed"])


def test_a_careful_run_writes_the_contracts_events_in_order(played):
    left = played("careful")
    kinds = [event["type"] for event in left.events]
    assert [kind for kind, before in zip(kinds, [None, *kinds], strict=False) if kind != before] == [
        "run-start",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "edit-tools-unlocked",
        "tool",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "run-committed",
        "run-end",
    ]


def test_documents_and_board_follow_in_a_careful_run(played):
    left = played("careful")
    assert b"| R2 | 3k3 |" in left.tree["docs/BOM.md"]
    assert left.tree["copperbench-ldo-sensor.kicad_sch"] != left.before["copperbench-ldo-sensor.kicad_sch"]
    assert left.tree["docs/CHANGELOG.md"].startswith(b"# Changelog\n\n## ")


def test_a_partial_change_cannot_be_finished(played):
    left = played("partial", *SHORT)
    assert left.results[-1].startswith("cannot finish yet:\n- open sync obligations:\n  - [drift]")


def test_what_is_called_after_finish_is_not_carried_out(played):
    left = played("edits-after-finish")
    assert left.results[-1] == "error: the run is finished; this call was not carried out"
    assert b"(labell" not in left.tree["copperbench-ldo-sensor.kicad_sch"]


def test_a_relaxed_budget_is_left_for_the_grade_to_find(played):
    left = played("relaxer")
    assert json.loads(left.tree[".copperhead/config.json"])["budgets"] == {"led_current_ua": 9999}


def test_an_edit_that_cannot_load_is_undone_and_said_so(played):
    left = played("breaker")
    reverted = [text for text in left.results if text.startswith("edit REVERTED: ")]
    assert len(reverted) == 1


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("broken-json", "error: read_file: the arguments are no JSON object; they were cut off at the token limit"),
        ("unknown-tool", 'tool "bash" is not available'),
        ("wrong-types", 'error: read_file: missing required string arg "path"'),
    ],
)
def test_a_bad_call_is_answered_in_the_contracts_words(played, model, says):
    left = played(model, *SHORT)
    assert left.results[0].startswith(says)


def test_wrong_types_never_get_further_than_an_error(played):
    left = played("wrong-types", *SHORT)
    assert [text for text in left.results if not text.startswith("error: ")] == []


def test_broken_arguments_go_back_to_the_server_as_valid_json(run, project, server):
    run(project, "do", "Raise R2.", "--max-turns", "2", model="broken-json")
    sent = server.requests[-1]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == {"_raw": '{"path": "docs/SP'}


def test_a_refused_request_is_retried_and_counted(played):
    left = played("429-once")
    assert {each["askedAgain"] for each in left.data("assistant")} == {1}


def test_a_failing_endpoint_is_asked_as_often_as_allowed(run, project, server):
    left = run(project, "do", "Raise R2.", "--retries", "2", model="500")
    assert len(server.requests) == 3
    assert left.data("run-failed")[0]["reason"] == "provider error: 500 overloaded (3 attempts)"


def test_a_reply_that_takes_too_long_is_said_and_asked_for_again(run, project):
    left = run(project, "do", "Raise R2.", *QUICK, model="hang")
    assert left.data("turn-timeout") == [{"ms": 400, "attempt": 1}]


def test_tokens_that_the_server_does_not_report_are_unknown_and_not_zero(run, project):
    left = run(project, "do", "Raise R2.", model="no-usage")
    assert (left.end["tokensIn"], left.end["perTurn"][0]["in"], left.end["perTurn"][1]["in"]) == (None, 1000, None)


def test_usage_cached_share_and_served_model_are_written_down(played, scripted):
    left = played("careful")
    assert (left.end["tokensIn"], left.end["tokensOut"], left.end["tokensCached"], left.end["served"]) == (
        5000,
        250,
        2000,
        [scripted.SERVED],
    )


def test_a_key_that_the_model_writes_into_the_project_is_left_for_the_grade_to_find(played, scripted):
    left = played("leaks-into-the-project")
    assert scripted.KEY.encode() in left.tree["docs/DECISIONS.md"]
    assert scripted.KEY.encode() not in (left.folder / "transcript.jsonl").read_bytes()


def test_a_server_that_wants_the_new_name_of_the_token_limit_gets_it(run, project, server):
    left = run(project, "do", "Raise R2.", model="new-name-only")
    assert left.end["exitPath"] == "refused"
    assert [("max_tokens" in each, "max_completion_tokens" in each) for each in server.requests] == [
        (True, False),
        (False, True),
    ]
