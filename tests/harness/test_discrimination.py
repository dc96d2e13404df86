"""Every task on a committed board tells its right answer from its wrong ones, performed and graded for real."""

import json

import pytest

from copperbench.kicad import find_kicad_cli
from copperbench.records.score import Scorer
from copperbench.suite import load_suite

KICAD_TYPES = {"erc_clean", "drc_clean", "check_clean", "erc_no_new_violations", "drc_no_new_violations"}


def pytest_generate_tests(metafunc):
    if "task" in metafunc.fixturenames:
        from pathlib import Path

        suite = load_suite(Path(__file__).resolve().parents[2])
        ours = [each for each in suite.task_ids() if suite.task(each).fixture_id.startswith("copperbench-")]
        metafunc.parametrize("task", ours)


def graded(bench, name, kicad=None):
    bench.run(name)
    place = bench.place(name)
    Scorer(bench.suite, bench.suite.root / "fixtures", kicad, recheck=False).score(place)
    return json.loads(place.path.read_text())


def failed(record):
    return {each["id"] for each in record["assertions"] if each["required"] and each["status"] == "fail"}


def test_gold_fails_nothing_and_noop_fails_something(bench_of, task):
    bench = bench_of(task)
    assert failed(graded(bench, "gold")) == set()
    assert failed(graded(bench, "noop")) != set()


def test_every_trap_fails_at_just_the_assertions_that_were_to_catch_it(bench_of, task):
    bench = bench_of(task)
    left_open = {spec.id for spec in bench.suite.task(task).assertions if spec.type in KICAD_TYPES}
    for trap in (each for each in bench.suite.solutions(task) if each.name != "gold"):
        found = failed(graded(bench, trap.name))
        assert found - left_open == set(trap.caught_by) - left_open, trap.name
        assert found <= set(trap.caught_by), trap.name


@pytest.mark.kicad
def test_with_kicad_gold_passes_everything(bench_of, task):
    record = graded(bench_of(task), "gold", find_kicad_cli())
    assert (record["verdict"], record["partialCredit"]) == ("pass", 1.0)


@pytest.mark.kicad
@pytest.mark.parametrize("name", ["trap-board-left-behind", "trap-stray-label", "trap-pinout-embellished"])
def test_with_kicad_what_only_kicad_sees_is_caught(bench_of, name):
    bench = bench_of("do-raise-led-resistor")
    trap = next(each for each in bench.suite.solutions(bench.task) if each.name == name)
    assert failed(graded(bench, name, find_kicad_cli())) == set(trap.caught_by)
