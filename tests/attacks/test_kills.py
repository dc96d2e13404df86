"""Killed at any moment, a sealing loses nothing that was finished, leaves nothing half done, and can be repeated."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest

from copperbench.publish import publish
from copperbench.sandbox import build_sandbox, claim, commit_all, open_seal, read_sandbox, seal_run, unpack_sandbox

KILLS = 60
WHOLE = ["end-state.tar.zst", "run.json", "transcript.jsonl"]


def killed_at(delay: float, work) -> None:
    """Run `work` in a process of its own and kill that after `delay` seconds, wherever it then is."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.fixture
def seconds():
    """How long a piece of work takes here, so that kills fall all over it."""

    def measured(work) -> float:
        start = time.monotonic()
        work()
        return time.monotonic() - start

    return measured


@pytest.mark.slow  # its kills are spread by time: a fast idle machine may finish before the first
def test_a_killed_sealing_leaves_a_whole_run_or_none(sandbox, seconds, tmp_path):
    facts = sandbox.seal.facts
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def perform(folder: Path) -> None:
        with claim(folder):
            if (folder / "run.json").exists():
                return
            place = Path(tempfile.mkdtemp(dir=scratch)) / "box"
            unpack_sandbox(sandbox.archive, place)
            (place / "docs/SPEC.md").write_text("edited")
            commit_all(place, "edit", when=1_800_000_000)
            seal_run(folder, facts, place, sandbox.archive, sandbox.tree, b"x" * 100_000)

    results = tmp_path / "results/2026-12-31/m/t"
    usual = seconds(lambda: perform(results / "run-1"))
    noise = random.Random(1)
    outcomes = set()
    for number in range(KILLS):
        folder = results / f"run-{2 + number // 4}"
        before = {path: path.read_bytes() for path in folder.glob("*") if (folder / "run.json").exists()}
        killed_at(noise.uniform(0, 1.3) * usual, lambda folder=folder: perform(folder))
        outcomes.add((folder / "run.json").exists())
        if (folder / "run.json").exists():
            assert len(open_seal(folder).commits) == 1
            assert {path: path.read_bytes() for path in before} == before
    for folder in {results / f"run-{2 + number // 4}" for number in range(KILLS)}:
        perform(folder)
        assert sorted(path.name for path in folder.iterdir()) == WHOLE
        assert open_seal(folder).end == open_seal(results / "run-1").end
    assert outcomes == {True, False}, "the kills fell on one side of publication only"
    assert [path.name for path in results.iterdir() if not path.name.startswith("run-")] == []
    shutil.rmtree(scratch)


def test_a_killed_building_leaves_a_whole_archive_or_none(start, seconds, tmp_path):
    _, task, fixture, tree = start
    archive = tmp_path / "out/start.tar.zst"

    def build() -> None:
        tempfile.tempdir = str(tmp_path)
        publish(archive, build_sandbox(task, fixture, tree).data)

    usual = seconds(build)
    whole = archive.read_bytes()
    noise = random.Random(2)
    for _ in range(KILLS // 3):
        archive.unlink(missing_ok=True)
        killed_at(noise.uniform(0, 1.2) * usual, build)
        if archive.exists():
            assert read_sandbox(archive).info.task_id == task.id
    build()
    assert archive.read_bytes() == whole
    tempfile.tempdir = None
