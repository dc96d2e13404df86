"""Who stands beside whom: the segregation of STANDARD 7 and 8."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.errors import CopperbenchError
from copperbench.records import Ablations, LegacyRecord, Record, SuiteStamps, Unreadable
from copperbench.reporting import aggregate, aggregate_bytes, read_aggregate
from copperbench.reporting.models import Aggregate, ModelRow

MakeRun = Callable[..., Record]


def headline_rows(found: Aggregate) -> list[ModelRow]:
    return [row for tier in found.tiers for segment in tier.segments for row in segment.rows]


def test_aggregate_bytes_do_not_depend_on_the_order_of_the_records(run: MakeRun, suite: SuiteStamps) -> None:
    runs = [
        run(task, verdict, model=model, repeat=repeat, usd=0.1 * repeat)
        for task in ("task-simple-0", "task-hard-1")
        for model in ("m1", "m2")
        for repeat, verdict in enumerate(("pass", "fail", "unscoreable"), 1)
    ]
    shuffled = random.Random(1).sample(runs, len(runs))
    assert aggregate_bytes(aggregate(runs, suite)) == aggregate_bytes(aggregate(shuffled, suite))


def test_the_aggregate_reads_back_as_it_was(run: MakeRun, suite: SuiteStamps, tmp_path: Path) -> None:
    found = aggregate([run(), run(repeat=2, verdict="fail"), Unreadable("results/x", "no")], suite)
    (tmp_path / "aggregate.json").write_bytes(aggregate_bytes(found))
    assert read_aggregate(tmp_path / "aggregate.json") == found


def test_an_aggregate_of_another_form_is_refused_by_its_path(run: MakeRun, suite: SuiteStamps, tmp_path: Path) -> None:
    data = aggregate_bytes(aggregate([run()], suite)).replace(b'"comparable": 1', b'"comparable": "1"')
    (tmp_path / "aggregate.json").write_bytes(data)
    with pytest.raises(CopperbenchError, match=r"aggregate.json: \$.counts.comparable: '1' is not what"):
        read_aggregate(tmp_path / "aggregate.json")


@pytest.mark.parametrize("trait", ["model", "provider", "harness"])
def test_rows_never_mix_models_providers_or_harness_names(run: MakeRun, suite: SuiteStamps, trait: str) -> None:
    found = aggregate([run(), run(repeat=2, **{trait: "other"})], suite)
    assert [row.records for row in headline_rows(found)] == [1, 1]


def test_segments_never_share_a_table(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(), run(model="m2", segment="api-frontier")], suite)
    assert [segment.segment for segment in found.tiers[0].segments] == ["api-frontier", "api-cheap"]


@pytest.mark.parametrize("segment", ["saved-login", "scripted"])
def test_saved_login_and_simulated_agents_stand_in_no_headline_table(
    run: MakeRun, suite: SuiteStamps, segment: str
) -> None:
    found = aggregate([run(segment=segment, usd=None)], suite)
    assert (headline_rows(found), len(found.saved_login) + len(found.simulated)) == ([], 1)


def test_a_simulated_agent_is_in_no_rate_of_the_others(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(segment="scripted", verdict="fail")], suite)
    assert (found.refusals, found.reliability, found.work_queue) == ((), (), ())


def test_simulated_agents_stand_best_first_and_without_a_rank(run: MakeRun, suite: SuiteStamps) -> None:
    records = [run(model="a", segment="scripted", verdict="fail"), run(model="b", segment="scripted")]
    found = aggregate(records, suite).simulated
    assert [(each.row.who.model, each.row.rank) for each in found] == [("b", None), ("a", None)]


def test_an_ablated_run_stands_in_no_headline_table(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(), run(repeat=2, ablations=Ablations(max_turns=5))], suite)
    assert [row.records for row in headline_rows(found)] == [1]
    assert [each.row.who.ablations for each in found.ablated] == ["turns=5"]


def test_harness_runs_never_enter_a_model_row(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(model="harness:gold", mode="gold"), run(model="harness:noop", mode="noop")], suite)
    assert (headline_rows(found), found.tiers[0].harness_records) == ([], 2)


@pytest.mark.parametrize(
    ("stamp", "value", "key"),
    [
        ("suite_version", "0.9.0", "suiteVersion"),
        ("task_manifest_hash", "b" * 64, "taskManifestHash"),
        ("fixture_sha256", "b" * 64, "fixtureSha256"),
        ("kicad_cli_version", "9.0.4", "kicadCliVersion"),
    ],
)
def test_a_record_with_other_stamps_is_listed_with_the_key_and_averaged_nowhere(
    run: MakeRun, suite: SuiteStamps, stamp: str, value: str, key: str
) -> None:
    record = run()
    found = aggregate([replace(record, stamps=replace(record.stamps, **{stamp: value}))], suite)
    assert ([each.differs for each in found.not_comparable], headline_rows(found)) == ([(key,)], [])


def test_a_record_graded_without_kicad_is_comparable(run: MakeRun, suite: SuiteStamps) -> None:
    record = run(verdict="unscoreable")
    found = aggregate([replace(record, stamps=replace(record.stamps, kicad_cli_version=None))], suite)
    assert (found.not_comparable, headline_rows(found)[0].unscoreable) == ((), 1)


def test_a_record_of_a_task_that_the_suite_does_not_hold_is_not_comparable(run: MakeRun, suite: SuiteStamps) -> None:
    assert aggregate([run("task-hard-99")], suite).not_comparable[0].differs == ("task",)


def test_older_records_are_listed_as_not_comparable(suite: SuiteStamps) -> None:
    old = LegacyRecord("results/2026-01-01/m/t/run-1.json", "1.0.0", "0.1.0", "t", "m", "pass")
    assert aggregate([old], suite).not_comparable[0].differs == ("schemaVersion", "suiteVersion")


def test_the_snapshot_is_the_newest_run_start(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(campaign="2026-03-04"), run(campaign="2025-12-31")], suite)
    assert found.snapshot == "2026-03-04"


def test_rows_are_ranked_by_pass_rate_and_then_by_cost(run: MakeRun, suite: SuiteStamps) -> None:
    runs = [
        run(model=model, repeat=repeat, usd=usd, verdict=verdict)
        for model, usd, second in (("dear", 2.0, "pass"), ("cheap", 1.0, "pass"), ("weak", 0.1, "fail"))
        for repeat, verdict in ((1, "pass"), (2, second))
    ]
    assert [(row.who.model, row.rank) for row in headline_rows(aggregate(runs, suite))] == [
        ("cheap", 1),
        ("dear", 2),
        ("weak", 3),
    ]


def test_a_single_repeat_has_no_rank(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(model="once"), run(), run(repeat=2, verdict="fail")], suite)
    assert {row.who.model: row.rank for row in headline_rows(found)} == {"once": None, "m1": 1}


def test_provider_errors_are_counted_beside_the_rate_and_in_it(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(), run(repeat=2, verdict="fail", exit_path="provider-error", category="stalled")], suite)
    row = headline_rows(found)[0]
    assert (row.provider_errors, row.strict_pass.of) == (1, 2)


def test_the_work_queue_does_not_mix_the_costs_of_segments(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run(verdict="fail"), run(model="m2", segment="saved-login", usd=None, verdict="fail")], suite)
    assert [(queue.segment, queue.items[0].mean_usd) for queue in found.work_queue] == [
        ("api-cheap", 0.5),
        ("saved-login", None),
    ]
