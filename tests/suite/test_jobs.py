"""How the workflow's jobs are cut and what they ask of a machine."""

from pathlib import Path

from copperbench.suite import Needs, batches, load_suite, shards

ROOT = Path(__file__).resolve().parents[2]
RUNS = ["results/2026-01-02/gpt/do-a/run-2.json", "results/2026-01-02/gpt/do-b/run-1.json"]
MORE = ["results/2026-01-02/claude+turns-5/do-a/run-1.json", "results/2026-02-03/gpt/do-a/run-1.json"]


def test_every_record_is_in_one_shard_with_those_of_its_task_and_date():
    found = {shard.name: shard.records for shard in shards(RUNS + MORE)}
    assert found == {
        "score_models_do_a_2026_01_02": (MORE[0], RUNS[0]),
        "score_models_do_b_2026_01_02": (RUNS[1],),
        "score_models_do_a_2026_02_03": (MORE[1],),
    }


def test_runs_of_models_and_those_in_process_are_graded_apart():
    simulated = "results/2026-01-02/harness-noop/do-a/run-1.json"
    found = {shard.name: shard.records for shard in shards([*RUNS[:1], simulated])}
    assert found == {"score_do_a_2026_01_02": (simulated,), "score_models_do_a_2026_01_02": (RUNS[0],)}


def test_only_a_task_of_whose_runs_none_is_there_is_performed_in_one_call():
    found = {batch.task: batch.records for batch in batches(RUNS + MORE, {MORE[1]}.__contains__)}
    assert found == {"do-b": (RUNS[1],)} | {"do-a": (MORE[0], RUNS[0])}
    assert batches(RUNS + MORE, lambda _: True) == ()


def test_a_bigger_board_asks_for_more_memory():
    needs = Needs(load_suite(ROOT))
    assert needs.score_mb("do-rename-lamp-line") > needs.score_mb("do-raise-led-resistor") > 0


def test_measuring_a_bigger_board_asks_for_more():
    needs = Needs(load_suite(ROOT))
    small, big = "copperbench-ldo-sensor", "jetson-agx-thor-baseboard"
    assert needs.measure_mb(big) > needs.measure_mb(small) > 0
    assert needs.measure_minutes(big) > needs.measure_minutes(small) > 0


def test_a_run_may_take_its_wall_clock_cap_and_some_more():
    suite = load_suite(ROOT)
    task = "do-raise-led-resistor"
    assert Needs(suite).run_minutes(task) * 60 > suite.task(task).caps.wall_clock_s


def test_a_task_that_is_not_there_asks_for_something_all_the_same():
    needs = Needs(load_suite(ROOT))
    assert min(needs.score_mb("nothing"), needs.run_mb("nothing"), needs.score_minutes("nothing")) > 0
    assert min(needs.measure_mb("nothing"), needs.measure_minutes("nothing"), needs.batch_minutes(13)) > 0
