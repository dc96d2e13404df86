"""One process per run, and a dead one blocks nobody."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from copperbench.sandbox import RunClaimed, claim, drop_stale_claim

HOLD = """
import pathlib, sys, time
from copperbench.sandbox import claim
with claim(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""
RACE = """
import pathlib, sys, os, time
from copperbench.sandbox import RunClaimed, claim, drop_stale_claim
run = pathlib.Path(sys.argv[1])
for _ in range(150):
    try:
        with claim(run):
            inside = run.parent / "inside"
            os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
            inside.unlink()
    except RunClaimed:
        time.sleep(0.0005)
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path / "run-1")], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_claimed_run_names_who_has_it(holder, tmp_path):
    with pytest.raises(RunClaimed, match=f"is being performed by process {holder.pid} on "), claim(tmp_path / "run-1"):
        pass


def test_a_killed_process_holds_nothing_any_more(holder, tmp_path):
    holder.kill()
    holder.wait()
    with claim(tmp_path / "run-1"):
        assert (tmp_path / ".run-1.claim").read_text().split()[1] == str(os.getpid())


def test_a_claim_leaves_nothing_behind(tmp_path):
    with claim(tmp_path / "run-1"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_claim_of_another_host_is_not_taken_over(tmp_path):
    (tmp_path / ".run-1.claim").write_text("far-away 12\n")
    with pytest.raises(RunClaimed, match="process 12 on far-away"), claim(tmp_path / "run-1"):
        pass


def test_other_runs_are_free(holder, tmp_path):
    with claim(tmp_path / "run-2"):
        assert holder.poll() is None


def test_processes_that_race_for_a_run_never_hold_it_together(tmp_path):
    racers = [
        subprocess.Popen([sys.executable, "-c", RACE, str(tmp_path / "run-1")], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [(racer.wait(), racer.stderr.read()) for racer in racers] == [(0, b"")] * 4
    for racer in racers:
        racer.stderr.close()


def test_a_claim_that_outlived_its_holder_is_dropped(tmp_path):
    (tmp_path / ".run-1.claim").write_text(f"{socket.gethostname()} 1\n")
    drop_stale_claim(tmp_path / "run-1")
    assert list(tmp_path.iterdir()) == []


def test_a_claim_that_is_held_is_not_dropped(tmp_path):
    with claim(tmp_path / "run-1"):
        drop_stale_claim(tmp_path / "run-1")
        assert (tmp_path / ".run-1.claim").exists()


def test_a_claim_of_another_host_is_not_dropped(tmp_path):
    (tmp_path / ".run-1.claim").write_text("elsewhere 1\n")
    drop_stale_claim(tmp_path / "run-1")
    assert (tmp_path / ".run-1.claim").exists()
