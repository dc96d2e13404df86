"""Real runs of a harness, played back through the adapter: each parsed, ended, classified and costed as it was."""

import json
import sys
from pathlib import Path

import pytest

from copperbench.errors import HarnessUnavailable
from copperbench.evidence import read_transcript
from copperbench.grading import effective_exit_path
from copperbench.harness import Agent, Job, Stop
from copperbench.sandbox import unpack_archive
from copperbench.suite import parse_contender

REPLAY = Path(__file__).with_name("replay_harness.py")
PRICE = {"tableVersion": "1", "input": 1.0, "output": 10.0}
ENDINGS = {
    "commit-failed-real": "commit-failed",
    "dry-run-real": "done",
    "flag-only": "done",
    "hole-finish-then-edit": "done",
    "hole-game-kicad-pro": "done",
    "interactive-no-tty": "no-run-end",
    "killed-sigterm": "no-run-end",
    "own-board-rename": "done",
    "provider-error-500": "provider-error",
    "redaction-overreach": "refused",
    "refusal-budget": "refused",
    "rename-success": "done",
    "rename-success-with-board": "done",
    "repair-cycles-exhausted-raw-warnings": "repair-cycles-exhausted",
    "repair-then-success": "done",
    "rollback-stalled-after-edit": "stalled",
    "stalled": "stalled",
    "stub-create-one": "done",
    "stub-flag-outcome": "done",
    "stub-noop-done": "done",
    "stub-refuse-after-edit": "refused",
    "stub-session-limit": "session-limit",
    "stub-sync-resolve": "done",
    "tool-errors-and-revert": "refused",
    "turn-budget-exhausted": "turn-budget-exhausted",
}


@pytest.fixture
def play(bench_of, tmp_path, shared):
    bench = bench_of("do-raise-led-resistor")

    def played(name):
        recorded = shared / "evidence" / name
        call = {"arguments": ["--json", "do", "{request}", "--model", "{model}"]}
        model = {"id": "compat:scripted", "provider": "openai-compat", "segment": "api-cheap", "pinning": "weak"}
        entry = {"command": [sys.executable, str(REPLAY), str(recorded)], "modes": {"do": call}}
        value = {"model": model | {"harness": "replay"}, "harness": entry, "price": PRICE, "ablations": {}}
        agent = Agent(parse_contender("replayed", json.dumps(value).encode(), "test"), {"PATH": "/usr/bin:/bin"})
        task = bench.suite.task(bench.task)
        info = unpack_archive(bench.archive.read_bytes(), tmp_path / "sandbox", "test")
        fixture = bench.suite.fixture(task.fixture_id)
        job = Job(agent, task, fixture, tmp_path / "sandbox", info.baseline_sha, "replay 0.9.0")
        return agent.perform(job, Stop())

    return played


@pytest.mark.parametrize(("name", "ending"), ENDINGS.items())
def test_a_recorded_run_ends_as_it_did(play, name, ending):
    performance = play(name)
    transcript = read_transcript(performance.transcript)
    assert (effective_exit_path(transcript, performance.exit), transcript.problems) == (ending, ())


def test_every_recorded_run_is_played(shared):
    there = {path.name for path in (shared / "evidence").iterdir() if path.is_dir()}
    assert there == {*ENDINGS, "provider-error-401"}


def test_a_credential_that_was_turned_down_at_once_is_no_run(play):
    with pytest.raises(HarnessUnavailable, match=r"provider error: 401 Incorrect API key provided: \[REDACTED\]"):
        play("provider-error-401")


def test_a_recorded_rename_costs_its_own_tokens(play):
    assert play("rename-success").agent.cost.usd == pytest.approx((6000 * 1 + 250 * 10) / 1e6)


def test_a_killed_run_has_no_known_cost(play):
    cost = play("killed-sigterm").agent.cost
    assert (cost.usd, cost.reason) == (None, "the run ended before its usage was written down")
