"""No run starts that could take a campaign past its sum."""

from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.errors import HarnessUnavailable
from copperbench.harness import Budget
from copperbench.records import record_place
from copperbench.sandbox import CostStamp, parse_run, run_json


@pytest.fixture
def budget(tmp_path):
    return Budget(10.0, tmp_path / "spending")


def place(tmp_path, repeat):
    return record_place(Path(f"results/2026-01-02/m/task/run-{repeat}.json"), tmp_path)


def seal(bench, tmp_path, repeat, usd):
    """A sealed run of that cost: another run's facts with the cost changed."""
    bench.run("noop")
    facts = parse_run((bench.place("noop").folder / "run.json").read_bytes(), "a run")
    folder = place(tmp_path, repeat).folder
    folder.mkdir(parents=True)
    (folder / "run.json").write_bytes(run_json(replace(facts, cost=CostStamp(usd, "1", None))))


def admit(budget, where, worst=4.0):
    with budget.admitted(where, worst):
        pass


def test_what_runs_at_the_same_time_shares_one_sum(budget, tmp_path):
    said = (
        r"could cost 4\.00 USD; 0\.00 of max_usd 10\.00 are spent, and runs without a known cost could take 8\.00; "
        "repeat the command when the runs under way have ended"
    )
    running = budget.admitted(place(tmp_path, 1), 4.0), budget.admitted(place(tmp_path, 2), 4.0)
    with running[0], running[1], pytest.raises(HarnessUnavailable, match=said):
        admit(budget, place(tmp_path, 3))


def test_a_run_that_never_came_about_gives_its_share_back(budget, tmp_path):
    for repeat in range(1, 5):
        admit(budget, place(tmp_path, repeat))
    assert list(budget.folder.glob("*.json")) == []


def test_a_sealed_run_counts_with_its_cost(budget, bench, tmp_path):
    seal(bench, tmp_path, 1, 6.5)
    with pytest.raises(HarnessUnavailable, match=r"6\.50 of max_usd 10\.00 are spent; raise max_usd; finished runs"):
        admit(budget, place(tmp_path, 2))


def test_a_sealed_run_of_unknown_cost_counts_with_its_worst_case(budget, bench, tmp_path):
    with budget.admitted(place(tmp_path, 1), 7.0):
        seal(bench, tmp_path, 1, None)
    with pytest.raises(HarnessUnavailable, match=r"could take 7\.00"):
        admit(budget, place(tmp_path, 2))


def test_a_run_whose_worst_case_nobody_knows_does_not_start(budget, tmp_path):
    with pytest.raises(HarnessUnavailable, match="has no price"):
        admit(budget, place(tmp_path, 1), None)
