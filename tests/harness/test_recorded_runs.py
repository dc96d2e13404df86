"""Real runs of a harness, played back through the adapter: each parsed, ended, classified and costed as it was."""

import json
import os
import sys
from pathlib import Path

import pytest
from given.recorded import RECORDED_EXITS

from copperbench.errors import HarnessUnavailable
from copperbench.evidence import read_transcript
from copperbench.grading import effective_exit_path
from copperbench.harness import Agent, Job, RunOrder, Stop, carry_out
from copperbench.kicad import require_kicad_cli
from copperbench.records import record_place
from copperbench.records.score import Scorer
from copperbench.sandbox import build_sandbox, unpack_archive
from copperbench.suite import parse_contender

REPLAY = Path(__file__).with_name("replay_harness.py")
PRICE = {"tableVersion": "1", "input": 1.0, "output": 10.0}
UNREACHED = "provider-error-401"
"""Turned away before the first turn, which is no run: it leaves no record."""
ENDINGS = {name: path or "no-run-end" for name, path in RECORDED_EXITS.items() if name != UNREACHED}


# What a grade says of a run that left the board as it was, for its exit path: turns, tokens in and out, category.
GRADED = {
    "commit-failed-real": (5, 6000, 250, "commit-failed"),
    "dry-run-real": (5, 6000, 250, "wrong-target"),
    "flag-only": (4, 4600, 200, "wrong-target"),
    "hole-finish-then-edit": (5, 6000, 250, "wrong-target"),
    "hole-game-kicad-pro": (6, 7500, 300, "wrong-target"),
    "interactive-no-tty": (None, None, None, "stalled"),
    "killed-sigterm": (None, None, None, "stalled"),
    "own-board-rename": (5, 6000, 250, "wrong-target"),
    "provider-error-500": (1, 1000, 50, "stalled"),
    "redaction-overreach": (2, 2100, 100, "false-refusal"),
    "refusal-budget": (2, 2100, 100, "false-refusal"),
    "rename-success": (5, 6000, 250, "wrong-target"),
    "rename-success-with-board": (5, 6000, 250, "wrong-target"),
    "repair-cycles-exhausted-raw-warnings": (9, 12600, 450, "repair-exhausted"),
    "repair-then-success": (7, 9100, 350, "wrong-target"),
    "rollback-stalled-after-edit": (6, 7500, 300, "stalled"),
    "stalled": (4, 4600, 200, "stalled"),
    "stub-create-one": (3, 3300, 150, "wrong-target"),
    "stub-flag-outcome": (2, 2100, 100, "wrong-target"),
    "stub-noop-done": (2, 2100, 100, "wrong-target"),
    "stub-refuse-after-edit": (3, 3300, 150, "false-refusal"),
    "stub-session-limit": (1, 1000, 50, "stalled"),
    "stub-sync-resolve": (4, 4600, 200, "wrong-target"),
    "tool-errors-and-revert": (7, 9100, 350, "false-refusal"),
    "turn-budget-exhausted": (4, 4600, 200, "turn-budget"),
}


def replaying(recorded):
    call = {"arguments": ["--json", "do", "{request}", "--model", "{model}"]}
    model = {"id": "compat:scripted", "provider": "openai-compat", "segment": "api-cheap", "pinning": "weak"}
    entry = {"command": [sys.executable, str(REPLAY), str(recorded)], "modes": {"do": call}}
    value = {"model": model | {"harness": "replay"}, "harness": entry, "price": PRICE, "ablations": {}}
    return Agent(parse_contender("replayed", json.dumps(value).encode(), "test"), {"PATH": "/usr/bin:/bin"})


@pytest.fixture
def play(bench_of, tmp_path, shared):
    bench = bench_of("do-raise-led-resistor")

    def played(name):
        agent = replaying(shared / "evidence" / name)
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


@pytest.fixture(scope="module")
def kicad_cache(tmp_path_factory):
    """All of them leave the same board, so KiCad is asked once."""
    return tmp_path_factory.mktemp("kicad")


@pytest.fixture
def record_of(bench_of, tmp_path, shared, kicad_cache):
    """The record of a recorded run, sealed and graded as any other."""
    bench = bench_of("do-raise-led-resistor")

    def recorded(name):
        task, fixtures = bench.suite.task(bench.task), bench.suite.root / "fixtures"
        tree = fixtures / task.fixture_id / "tree"
        archive = tmp_path / "replay.tar.zst"
        made = build_sandbox(task, bench.suite.fixture(task.fixture_id), tree, scaffold_name="replay 0.9.0")
        archive.write_bytes(made.data)
        agent = replaying(shared / "evidence" / name)
        place = record_place(Path(f"results/2026-01-02/replayed/{task.id}/run-1.json"), bench.folder)
        order = RunOrder(place, agent, archive, bench.suite.version, fixtures=fixtures)
        carry_out(order, bench.suite, agent.perform)
        cli = require_kicad_cli(os.environ.get("COPPERBENCH_KICAD_CLI"))
        Scorer(bench.suite, fixtures, cli, cache=kicad_cache).score(place)
        return json.loads((bench.folder / place.name).read_text())

    return recorded


@pytest.mark.kicad
@pytest.mark.parametrize(("name", "known"), GRADED.items())
def test_a_recorded_run_is_graded_like_any_other(record_of, name, known):
    turns, tokens_in, tokens_out, category = known
    record = record_of(name)
    stats = record["stats"]
    usd = None if tokens_in is None else pytest.approx((tokens_in * 1 + tokens_out * 10) / 1e6)
    assert (record["verdict"], record["failureCategory"], stats["exitPath"]) == ("fail", category, ENDINGS[name])
    assert (stats["tokensIn"], stats["tokensOut"], record["cost"]["usd"]) == (tokens_in, tokens_out, usd)
    assert turns is None or stats["turnsUsed"] == turns
