"""Gold is the same on every repeat of every task, so that what passes once passes twenty times (STANDARD 12)."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from copperbench.harness import perform
from copperbench.harness.running import carry_out
from copperbench.kicad import find_kicad_cli
from copperbench.kicad.measure import measure, read_baseline
from copperbench.records import record_place
from copperbench.records.score import Scorer

REPEATS = 20
ZONES = ("UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati")
UMASKS = (0o000, 0o022, 0o027, 0o077)


def here(suite):
    """The tasks whose board is in place, without those on boards that take minutes."""
    tasks = (suite.task(task) for task in suite.task_ids())
    return [
        task
        for task in tasks
        if "large" not in task.tags and (suite.root / "fixtures" / task.fixture_id / "tree").is_dir()
    ]


@pytest.fixture
def elsewhere(monkeypatch):
    """Put the process into another zone and under another umask; both are as before when the test is over."""
    umask = os.umask(0)
    os.umask(umask)

    def move(number):
        monkeypatch.setenv("TZ", ZONES[number % len(ZONES)])
        time.tzset()
        os.umask(UMASKS[number % len(UMASKS)])

    yield move
    os.umask(umask)
    monkeypatch.undo()
    time.tzset()


def left(place):
    """The digests of what a run left but for run.json, which holds its times."""
    files = sorted(path for path in place.folder.iterdir() if path.name in ("end-state.tar.zst", "transcript.jsonl"))
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


def repeats(suite, bench_of, task, elsewhere, count):
    bench, places = bench_of(task), []
    for number in range(1, count + 1):
        elsewhere(number)
        place = record_place(Path(f"results/2026-01-02/harness-gold/{task}/run-{number}.json"), bench.folder)
        carry_out(bench.order(place=place), suite, perform)
        places.append(place)
    return places


def test_gold_leaves_the_same_bytes_on_each_of_three_tasks_repeats(suite, bench_of, elsewhere):
    for task in ("do-rename-data-line", "do-flag-alert-pullup", "sync-drifted-docs"):
        kept = [left(place) for place in repeats(suite, bench_of, task, elsewhere, 3)]
        assert kept == [kept[0]] * 3, task


@pytest.mark.slow
@pytest.mark.kicad
def test_no_task_fails_gold_on_any_of_twenty_repeats(suite, bench_of, elsewhere, tmp_path):
    for task in here(suite):
        places = repeats(suite, bench_of, task.id, elsewhere, REPEATS)
        kept = [left(place) for place in places]
        assert kept == [kept[0]] * REPEATS, task.id
        scorer = Scorer(suite, suite.root / "fixtures", find_kicad_cli(None), cache=tmp_path / "reports")
        verdicts = {scorer.score(place).verdict for place in places}
        assert verdicts == {"pass"}, task.id


@pytest.mark.slow
@pytest.mark.kicad
def test_every_baseline_that_can_be_measured_here_reproduces(suite):
    cli = find_kicad_cli(None)
    for fixture in {task.fixture_id: suite.fixture(task.fixture_id) for task in here(suite)}.values():
        folder = suite.root / "fixtures" / fixture.id
        assert measure(cli, folder / "tree", fixture.schematic, fixture.board) == read_baseline(folder, fixture)
