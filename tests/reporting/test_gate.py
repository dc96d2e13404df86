"""The regression gate: what fires, what never does, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.errors import CopperbenchError
from copperbench.records import Record, SuiteStamps
from copperbench.reporting import Aggregate, Gate, Thresholds, aggregate, gate
from copperbench.reporting.gate_text import gate_junit, gate_summary, gate_table

MakeRun = Callable[..., Record]
verdicts = st.lists(st.sampled_from(["pass", "fail"]), min_size=1, max_size=12)


@pytest.fixture
def made(run: MakeRun, suite: SuiteStamps) -> Callable[..., Aggregate]:
    def make(outcomes: list[str], usd: float | None = 1.0, **changes: str) -> Aggregate:
        return aggregate([run(verdict=v, repeat=n, usd=usd, **changes) for n, v in enumerate(outcomes, 1)], suite)

    return make


def judged(found: Gate, metric: str = "strict pass rate") -> str:
    return next(delta.judgement for delta in found.deltas if delta.metric == metric)


def test_two_flipped_runs_beyond_the_threshold_fire(made: Callable[..., Aggregate]) -> None:
    assert gate(made(["pass"] * 6), made(["pass"] * 4 + ["fail"] * 2), Thresholds()).fires


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(before=verdicts, flipped=st.integers(0, 11))
def test_one_flipped_repeat_never_fires(made: Callable[..., Aggregate], before: list[str], flipped: int) -> None:
    after = list(before)
    after[flipped % len(after)] = "fail"
    found = gate(made(before), made(after), Thresholds(0.0, 0.0))
    assert not found.fires


def test_a_larger_side_does_not_make_one_flip_look_like_many(made: Callable[..., Aggregate]) -> None:
    assert not gate(made(["pass"] * 3), made(["pass"] * 20 + ["fail"] * 10), Thresholds()).fires


def test_a_fall_at_the_threshold_does_not_fire(made: Callable[..., Aggregate]) -> None:
    assert not gate(made(["pass"] * 20), made(["pass"] * 18 + ["fail"] * 2), Thresholds(0.1)).fires


def test_a_tier_too_small_to_fire_says_so(made: Callable[..., Aggregate]) -> None:
    found = gate(made(["pass"]), made(["fail"]), Thresholds())
    assert judged(found) == "too small"
    assert "too small to fire in: simple" in gate_table(found)


def test_a_rise_of_cost_fires_with_two_passes_on_both_sides(made: Callable[..., Aggregate]) -> None:
    found = gate(made(["pass"] * 2), made(["pass"] * 2, 1.3), Thresholds())
    assert judged(found, "cost per pass") == "worse"


def test_a_rise_of_cost_on_a_single_pass_is_too_small(made: Callable[..., Aggregate]) -> None:
    found = gate(made(["pass", "fail"]), made(["pass", "fail"], 9.0), Thresholds())
    assert judged(found, "cost per pass") == "too small"


def test_scripted_agents_are_not_gated(made: Callable[..., Aggregate]) -> None:
    with pytest.raises(CopperbenchError, match="shares no row"):
        gate(made(["pass"] * 6, segment="scripted"), made(["fail"] * 6, segment="scripted"), Thresholds())


def test_another_suite_version_is_no_baseline(made: Callable[..., Aggregate], run: MakeRun) -> None:
    other = aggregate([], SuiteStamps("2.0.0", "9.9.9", {}))
    with pytest.raises(CopperbenchError, match=r"suite version 9\.9\.9"):
        gate(other, made(["pass"]), Thresholds())


def test_a_row_that_vanished_is_listed(made: Callable[..., Aggregate], run: MakeRun, suite: SuiteStamps) -> None:
    before = aggregate([run(repeat=1), run(repeat=2), run(model="m2", repeat=1)], suite)
    assert [delta.judgement for delta in gate(before, made(["pass"] * 2), Thresholds()).deltas].count("not run") == 2


def test_the_conclusion_names_who_was_not_run_again(
    made: Callable[..., Aggregate], run: MakeRun, suite: SuiteStamps
) -> None:
    before = aggregate([run(repeat=1), run(repeat=2), run(model="m|2", repeat=1)], suite)
    found = gate(before, made(["pass"] * 2), Thresholds())
    assert "not run now: m|2 (simple)" in gate_table(found).splitlines()[-1]
    assert "not run now: m\\|2 (simple)**" in gate_summary(found)


def test_what_got_worse_stands_first(run: MakeRun, suite: SuiteStamps) -> None:
    def both(later: str) -> Aggregate:
        runs = [run(repeat=n) for n in range(1, 7)]
        return aggregate([*runs, *(run(model="m2", verdict=later, repeat=n) for n in range(1, 7))], suite)

    found = gate(both("pass"), both("fail"), Thresholds())
    assert next(iter(found.deltas)).who.model == "m1"
    assert gate_table(found).splitlines()[1].split()[1] == "m2"
    assert gate_summary(found).splitlines()[6].startswith("| simple | m2 ")


def test_the_default_thresholds_are_those_of_the_config(root: Path) -> None:
    config = yaml.safe_load((root / "config/config.yaml").read_text())
    assert Thresholds(**config["thresholds"]) == Thresholds()


def test_junit_counts_each_figure_once(made: Callable[..., Aggregate]) -> None:
    found = gate(made(["pass"] * 6, None, model="<m>\x01"), made(["fail"] * 6, None, model="<m>\x01"), Thresholds())
    suite = ElementTree.fromstring(gate_junit(found))
    assert {key: suite.get(key) for key in ("tests", "failures", "skipped")} == {
        "tests": "2",
        "failures": "1",
        "skipped": "1",
    }


def test_the_summary_keeps_a_hostile_model_in_its_cell(made: Callable[..., Aggregate]) -> None:
    name = "m|<script>"
    found = gate(made(["pass"] * 2, model=name), made(["pass"] * 2, model=name), Thresholds())
    assert "| m\\|&lt;script&gt; (p1) |" in gate_summary(found)
