"""What keeps a run from starting, what ends it from outside, and what it may not lose."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.usefixtures("no_kicad")


@pytest.fixture
def unready(project, monkeypatch, endpoint):
    """A project made unable to start, by the name of what is wrong."""

    def make(fault):
        if fault == "dirty":
            (project / "note.txt").write_text("x")
        elif fault == "no repository":
            (project / ".git/HEAD").unlink()
        elif fault == "no commit":
            (project / ".git/refs/heads/main").unlink()
        elif fault == "no key":
            monkeypatch.delenv("SCRIPTED_KEY")
            monkeypatch.setenv("COPPERHEAD_BASE_URL", "https://models.example/v1")
        elif fault == "no endpoint":
            monkeypatch.delenv("COPPERHEAD_BASE_URL")
        elif fault == "named kicad-cli missing":
            monkeypatch.setenv("COPPERHEAD_KICAD_CLI", "/nonexistent/kicad-cli")
        elif fault == "broken config":
            (project / ".copperhead/config.json").write_text("{")
        return project

    return make


@pytest.mark.parametrize(
    "fault",
    [
        "dirty",
        "no repository",
        "no commit",
        "no key",
        "no endpoint",
        "named kicad-cli missing",
        "broken config",
    ],
)
def test_a_run_that_cannot_start_says_one_line_and_leaves_nothing(run, unready, fault):
    left = run(unready(fault), "do", "Raise R2.", model="careful")
    assert (left.code, left.out, len(left.said.splitlines())) == (1, "", 1)
    assert not (left.root / ".copperhead/runs").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--max-turns", "0"),
        ("--max-turns", "x"),
        ("--tools", "read_file,bash"),
        ("--prompt-variant", "nonsense"),
        ("--model", "claude-code:opus"),
        ("--model", "compat:"),
    ],
)
def test_a_bad_setting_is_exit_code_1_before_any_run_folder(run, project, arguments):
    model = None if arguments[0] == "--model" else "careful"
    left = run(project, "do", "Raise R2.", *arguments, model=model)
    assert (left.code, left.out) == (1, "")
    assert not (project / ".copperhead/runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("do", "x", "--max-turns", "0"), "argument --max-turns: '0' is no whole number from 1"),
        (("do", "x", "--max-turns", "many"), "argument --max-turns: 'many' is no whole number from 1"),
        (("do", "x", "--max-repair-cycles", "-1"), "argument --max-repair-cycles: '-1' is no whole number from 0"),
        (("do", "x", "--turn-timeout", "soon"), "argument --turn-timeout: 'soon' is no number of seconds"),
        (("create", "--brief", "none.md"), "none.md: No such file or directory"),
    ],
)
def test_a_bad_option_is_said_in_words(run, project, arguments, said):
    assert said in run(project, *arguments, model="careful").said


def test_no_model_is_a_clear_refusal(run, project):
    left = run(project, "do", "Raise R2.")
    assert left.said.startswith("copperbench-agent: model: none is named; give --model ID")


def test_a_loopback_endpoint_needs_no_key(run, project, monkeypatch):
    monkeypatch.delenv("SCRIPTED_KEY")
    assert run(project, "do", "Raise R2.", model="refuser").end["exitPath"] == "refused"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_puts_everything_back_and_closes_the_transcript(project, server, endpoint, number):
    from copperbench.evidence import read_transcript

    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    command = [sys.executable, "-m", "copperbench.agent", "--repo", str(project), "do", "Raise R2."]
    process = subprocess.Popen([*command, "--model", "compat:edits-then-hangs"], env=dict(os.environ))
    _wait_for(lambda: len(server.requests) >= 3)
    process.send_signal(number)
    assert process.wait(30) == -number
    folder = next((project / ".copperhead/runs").iterdir())
    read = read_transcript((folder / "transcript.jsonl").read_bytes())
    after = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    kept = {path: data for path, data in after.items() if "runs" not in path.parts}
    assert (kept, read.exit_path, read.stats.tokens_in, read.events[-1].type) == (before, None, 2000, "run-end")


def test_a_commit_that_git_refuses_is_an_exit_path_and_is_put_back(run, project):
    (project / ".git/index.lock").write_text("")
    left = run(project, "do", "Raise R2.", model="careful")
    assert (left.end["exitPath"], left.code, left.tree == left.before, left.commits) == ("commit-failed", 1, True, [])


def test_a_hook_of_the_repository_is_never_run(run, project):
    hook = project / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {project}/hooked\nexit 1\n")
    hook.chmod(0o755)
    left = run(project, "do", "Raise R2.", model="careful")
    assert (left.end["exitPath"], (project / "hooked").exists()) == ("done", False)


def test_a_dry_run_shows_the_change_and_makes_none(run, project):
    left = run(project, "do", "Raise R2.", "--dry-run", model="careful")
    assert (left.end["exitPath"], left.tree == left.before, left.commits, left.data("run-committed")) == (
        "done",
        True,
        [],
        [],
    )
    assert '+\t\t(property "Value" "3k3"' in left.said


def test_uncommitted_work_survives_a_failed_run_that_was_allowed_to_start_dirty(run, project):
    (project / "docs/SPEC.md").write_text("mine\n")
    left = run(project, "do", "Raise R2.", "--allow-dirty", model="500-later")
    assert (left.tree == left.before, left.data("run-start")[0]["git"]["uncommittedFiles"]) == (True, 1)


def test_a_run_does_not_commit_its_own_transcript_where_no_rule_ignores_it(run, project):
    (project / ".gitignore").unlink()
    left = run(project, "do", "Raise R2.", "--allow-dirty", model="careful")
    assert [path for path in left.committed if path.startswith(".copperhead/runs/")] == []


def test_a_second_run_starts_from_the_first_ones_commit(run, project):
    run(project, "do", "Raise R2.", model="careful")
    again = run(project, "do", "Raise R2.", model="refuser")
    assert (again.end["exitPath"], again.data("run-start")[0]["priorRuns"]) == ("refused", 1)


def test_ablations_are_written_down_word_for_word(run, project):
    settings = ("--prompt-variant", "terse", "--tools", "read_file, search", "--max-repair-cycles", "1")
    left = run(project, "do", "Raise R2.", "--max-turns", "3", *settings, model="refuser")
    start = left.data("run-start")[0]
    assert start["ablations"] == {"promptVariant": "terse", "tools": ["read_file", "search"], "maxRepairCycles": 1}
    assert (start["config"]["maxTurns"], start["config"]["maxRepairCycles"]) == (3, 1)


def test_a_prompt_variant_is_what_the_model_reads(run, project, server):
    run(project, "do", "Raise R2.", model="refuser")
    run(project, "do", "Raise R2.", "--prompt-variant", "terse", model="refuser")
    standard, terse = (each["messages"][0]["content"] for each in server.requests)
    assert (len(terse) < len(standard), "- led_current_ua: 400" in standard, "=== docs/BOM.md" in terse) == (
        True,
        True,
        True,
    )


def test_the_run_says_where_it_started(run, project):
    left = run(project, "do", "Raise R2.", model="refuser")
    start = left.data("run-start")[0]
    assert (start["git"]["commit"], start["git"]["branch"], start["git"]["dirty"], start["openConstraints"]) == (
        left.head,
        "main",
        False,
        1,
    )
    assert (start["request"], start["model"], start["modelSource"], start["provider"], start["command"]) == (
        "Raise R2.",
        "compat:refuser",
        "flag",
        "openai-compat",
        "do",
    )


def test_the_config_names_model_and_turns_where_no_flag_does(run, project, git):
    place = project / ".copperhead/config.json"
    place.write_text(place.read_text().replace('"model": null', '"model": "compat:looper"').replace("40", "2"))
    git(project, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qam", "configured")
    left = run(project, "do", "Raise R2.")
    assert (left.end["exitPath"], left.end["turnsUsed"]) == ("turn-budget-exhausted", 2)


def test_the_harness_says_what_it_is(capfd):
    from copperbench import __version__
    from copperbench.agent import main

    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capfd.readouterr().out.strip()) == (0, __version__)


def _wait_for(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")
