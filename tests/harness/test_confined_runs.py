"""A confined harness is driven, capped and ended like any other: TERM reaches it inside, then everything is killed."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.harness import Agent, Job, RunOrder, Stop, carry_out, confinement
from copperbench.records import record_place
from copperbench.sandbox import unpack_archive
from copperbench.suite import Caps, parse_contender

FAKE = Path(__file__).with_name("fake_harness.py")
MODEL = {"provider": "fake", "segment": "scripted", "pinning": "weak", "harness": "fake"}
HARNESS = {
    "command": [sys.executable, str(FAKE)],
    "modes": {"do": {"arguments": ["do", "{request}", "--model", "{model}"], "options": {"maxTurns": "--max-turns"}}},
}


@pytest.fixture
def wrap(tmp_path):
    found = confinement("auto", tmp_path / "checkout", (FAKE.parent,))
    if found is None:
        pytest.skip("needs bubblewrap (workflow/scripts/install_bwrap.sh) and the right to make namespaces")
    return found


@pytest.fixture
def agent(wrap):
    def made(behaviour, grace_s=60):
        value = {"model": MODEL | {"id": behaviour}, "harness": HARNESS, "price": None, "ablations": {}}
        contender = parse_contender("fake-model", json.dumps(value).encode(), "test")
        return Agent(contender, {"PATH": "/usr/bin:/bin"}, wrap=wrap, grace_s=grace_s)

    return made


@pytest.fixture
def job(bench_of, agent, tmp_path):
    """A run to perform, with a cap of five turns."""
    bench = bench_of("do-raise-led-resistor")
    task = replace(bench.suite.task(bench.task), caps=Caps(5, 600.0))
    info = unpack_archive(bench.archive.read_bytes(), tmp_path / "run/sandbox", "test")
    fixture = bench.suite.fixture(task.fixture_id)
    return Job(agent("done"), task, fixture, tmp_path / "run/sandbox", info.baseline_sha, "fake 1.2.3")


def processes_that_name(place):
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found += [entry] if str(place).encode() in entry.read_bytes() else []
    return found


def kinds(performance):
    return [json.loads(line)["type"] for line in performance.transcript.splitlines()]


def test_a_confined_run_is_watched_from_start_to_end(job, agent):
    assert kinds(agent("done").perform(job, Stop())) == ["run-start", "assistant", "run-end"]


def test_a_confined_harness_that_heeds_term_may_still_write_down_its_end(job, agent, hurried):
    hurried(job.root)
    performance = agent("tidy").perform(job, Stop())
    assert kinds(performance)[-1] == "run-end"
    assert (performance.exit.cap, performance.exit.code) == ("wallClock", 143)


def test_a_confined_harness_that_dies_of_term_is_told_by_its_exit_code(job, agent, hurried):
    hurried(job.root)
    exit_facts = agent("hangs").perform(job, Stop()).exit
    assert (exit_facts.cap, exit_facts.code) == ("wallClock", 128 + 15)


def test_a_confined_harness_that_ignores_term_is_killed_after_the_grace(job, agent, hurried):
    hurried(job.root)
    exit_facts = agent("deaf", grace_s=0.3).perform(job, Stop()).exit
    assert (exit_facts.cap, exit_facts.signal) == ("wallClock", 9)


def test_a_confined_harness_that_passes_its_turns_is_ended(job, agent):
    assert agent("endless").perform(job, Stop()).exit.cap == "turns"


def test_an_order_to_stop_ends_a_confined_harness_with_its_last_words(job, agent):
    class Ordered:
        """Asked to stop once the first turn is written down."""

        @property
        def signal(self):
            written = [path.read_text() for path in job.root.glob(".copperhead/runs/*/transcript.jsonl")]
            return 15 if any("assistant" in text for text in written) else None

    performance = agent("tidy").perform(job, Ordered())
    assert (kinds(performance)[-1], performance.exit.cap) == ("run-end", None)


@pytest.mark.parametrize("behaviour", ["leaves-a-child", "leaves-a-daemon"])
def test_nothing_that_a_confined_harness_started_goes_on_without_it(job, agent, behaviour):
    performance = agent(behaviour).perform(job, Stop())
    assert kinds(performance)[-1] == "run-end"
    assert processes_that_name(job.root) == []


def test_the_seal_says_that_the_run_was_confined(bench_of, agent, tmp_path):
    from copperbench.harness import harness_init
    from copperbench.sandbox import build_sandbox

    bench = bench_of("do-raise-led-resistor")
    task = bench.suite.task(bench.task)
    fixture = bench.suite.fixture(task.fixture_id)
    one = agent("done")
    init, scaffold = harness_init(one.contender.harness, {"PATH": "/usr/bin:/bin"})
    archive = tmp_path / "fake.tar.zst"
    tree = bench.suite.root / "fixtures" / fixture.id / "tree"
    archive.write_bytes(build_sandbox(task, fixture, tree, init, scaffold).data)
    place = record_place(Path(f"results/2026-01-02/fake-model/{task.id}/run-1.json"), bench.folder)
    fixtures = bench.suite.root / "fixtures"
    order = RunOrder(place, one, archive, bench.suite.version, isolation=one.wrap.name, fixtures=fixtures)
    carry_out(order, bench.suite, one.perform)
    assert json.loads((place.folder / "run.json").read_text())["isolation"] == "bwrap"


def test_a_confined_harness_does_not_outlive_a_runner_that_is_killed(job, agent):
    child = os.fork()
    if child == 0:
        try:
            agent("hangs").perform(job, Stop())
        finally:
            os._exit(0)
    wait_until(lambda: any(job.root.glob(".copperhead/runs/*/transcript.jsonl")))
    assert processes_that_name(job.root) != []
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    wait_until(lambda: processes_that_name(job.root) == [])


def wait_until(condition):
    """Wait for a condition; one that never comes true fails after minutes."""
    for _ in range(2400):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came true")
