"""From all records to one aggregate: who may stand beside whom, and in which table (STANDARD 6, 7, 8, 12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import get_args

from copperbench.records import (
    LegacyRecord,
    Record,
    Segment,
    SuiteStamps,
    Unreadable,
    comparable,
    read_records,
    suite_stamps,
)
from copperbench.reporting import statistics
from copperbench.reporting.discrimination import Expectation, discrimination, expectations
from copperbench.reporting.effort import by_task, effort, reference_lines
from copperbench.reporting.intervals import (
    paired,
    pass_all_k_unbiased,
    pass_at_1_interval,
    variant_gap_interval,
)
from copperbench.reporting.models import (
    AGGREGATE_VERSION,
    Aggregate,
    Counts,
    EffortRow,
    EnvironmentFact,
    EnvironmentValue,
    ModelRow,
    NotComparable,
    PairRow,
    RefusalRow,
    ReliabilityRow,
    RubricRow,
    SegmentTable,
    TaskRow,
    TierRow,
    TierTable,
    UnreadableRecord,
    VariantRow,
    Who,
    WorkItem,
    WorkQueue,
)
from copperbench.reporting.rubric import Rubric, read_rubrics, rubric_rows
from copperbench.suite import TIERS, Suite

SEGMENTS: tuple[str, ...] = get_args(Segment)
HEADLINE_SEGMENTS = tuple(name for name in SEGMENTS if name not in ("saved-login", "scripted"))


def aggregate_checkout(root: Path, suite: Suite) -> Aggregate:
    """The aggregate of every record under `root/results`, held against the checked-out `suite`."""
    return aggregate(read_records(root), suite_stamps(suite), expectations(suite), read_rubrics(root))


def aggregate(
    entries: Iterable[Record | LegacyRecord | Unreadable],
    suite: SuiteStamps,
    expected: Sequence[Expectation] = (),
    rubrics: Mapping[str, Rubric] = MappingProxyType({}),
) -> Aggregate:
    """Sort records into comparable, not comparable and unreadable, and work out every table (STANDARD 7).

    The result depends on what the records say, and neither on the order in which they come nor on the day. `rubrics`
    are judgements by record path; they end in `rubrics` of the result and change nothing else in it.
    """
    runs: list[Record] = []
    excluded: list[NotComparable] = []
    unreadable: list[UnreadableRecord] = []
    for entry in entries:
        if isinstance(entry, Unreadable):
            unreadable.append(UnreadableRecord(entry.path, entry.error))
        elif differs := comparable(entry, suite):
            excluded.append(_not_comparable(entry, differs))
        else:
            runs.append(_record(entry))
    runs.sort(key=lambda run: run.path)
    agents = [run for run in runs if run.model is not None]
    ranked = [run for run in agents if not run.ablations.label]
    fair = [run for run in ranked if _segment(run) != "scripted"]
    return Aggregate(
        aggregate_version=AGGREGATE_VERSION,
        schema_version=suite.schema_version,
        suite_version=suite.suite_version,
        snapshot=max((run.started_at[:10] for run in runs), default=None),
        counts=_counts(runs, len(agents), len(excluded), len(unreadable)),
        environment=_environment(agents or runs),
        tiers=tuple(_tier(tier, runs, ranked) for tier in TIERS),
        saved_login=_tier_rows([run for run in ranked if _segment(run) == "saved-login"]),
        simulated=_best_first(_tier_rows([run for run in ranked if _segment(run) == "scripted"])),
        ablated=_tier_rows([run for run in agents if run.ablations.label]),
        refusals=tuple(RefusalRow(who, statistics.refusals(each)) for who, each in _by_who(fair)),
        reliability=tuple(_reliability(who, each) for who, each in _by_who(fair)),
        effort=tuple(EffortRow(who, effort(each, reference_lines(runs))) for who, each in _by_who(fair)),
        pairs=_pairs(fair),
        tasks=_task_rows(fair),
        work_queue=_work_queue(fair),
        variant_gaps=_variant_gaps(fair),
        discrimination=discrimination(runs, expected),
        not_comparable=tuple(sorted(excluded, key=lambda each: each.path)),
        unreadable=tuple(sorted(unreadable, key=lambda each: each.path)),
        rubrics=_rubrics(agents, rubrics),
    )


def _record(entry: Record | LegacyRecord) -> Record:
    assert isinstance(entry, Record), "a legacy record always differs in schemaVersion"
    return entry


def _not_comparable(entry: Record | LegacyRecord, differs: tuple[str, ...]) -> NotComparable:
    if isinstance(entry, LegacyRecord):
        versions = entry.schema_version, entry.suite_version
        return NotComparable(entry.path, entry.model, entry.task, *versions, differs)
    versions = entry.stamps.schema_version, entry.stamps.suite_version
    return NotComparable(entry.path, entry.run_model, entry.task, *versions, differs)


def _counts(runs: Sequence[Record], agents: int, excluded: int, unreadable: int) -> Counts:
    return Counts(
        on_disk=len(runs) + excluded + unreadable,
        comparable=len(runs),
        agent=agents,
        harness=len(runs) - agents,
        quarantined=sum(run.quarantined for run in runs),
        not_comparable=excluded,
        unreadable=unreadable,
    )


def _environment(runs: Sequence[Record]) -> tuple[EnvironmentFact, ...]:
    """The reference environment: each trait of the machines that the figures come from (STANDARD 7)."""
    traits: dict[str, list[str | None]] = {
        "kicad-cli": [run.stamps.kicad_cli_version for run in runs],
        "platform": [run.stamps.platform for run in runs],
        "Python": [run.stamps.python_version for run in runs],
        "Node.js": [run.stamps.node_version for run in runs],
        "copperbench": [run.stamps.copperbench_version for run in runs],
    }
    return tuple(
        EnvironmentFact(
            name,
            tuple(
                EnvironmentValue(value, count)
                for value, count in sorted(Counter(values).items(), key=lambda item: (-item[1], item[0] or ""))
            ),
        )
        for name, values in traits.items()
    )


def _segment(run: Record) -> str:
    assert run.model is not None, "only agent runs have a segment"
    return run.model.segment


def _who(run: Record) -> Who:
    assert run.model is not None, "only agent runs stand in model rows"
    return Who(run.model.id, run.model.provider, run.model.segment, run.harness, run.ablations.label)


def _by_who(runs: Iterable[Record]) -> list[tuple[Who, tuple[Record, ...]]]:
    """Runs by row, segment by segment in the standard's order, then by name."""

    def order(item: tuple[Who, tuple[Record, ...]]) -> tuple[int, str, str, str, str]:
        who = item[0]
        return SEGMENTS.index(who.segment), who.model, who.provider, who.harness, who.ablations

    return sorted(statistics.group(runs, _who).items(), key=order)


def _tier(tier: str, runs: Sequence[Record], ranked: Sequence[Record]) -> TierTable:
    segments = []
    for segment in HEADLINE_SEGMENTS:
        members = [run for run in ranked if run.tier == tier and _segment(run) == segment]
        if members:
            segments.append(SegmentTable(segment, _rank([_row(who, each) for who, each in _by_who(members)])))
    harness = sum(run.tier == tier and run.run_mode != "agent" for run in runs)
    return TierTable(tier, harness, tuple(segments))


def _tier_rows(runs: Sequence[Record]) -> tuple[TierRow, ...]:
    """Rows outside the headline tables: by tier, unranked."""
    return tuple(
        TierRow(tier, _row(who, each))
        for tier in TIERS
        for who, each in _by_who(run for run in runs if run.tier == tier)
    )


def _best_first(rows: Sequence[TierRow]) -> tuple[TierRow, ...]:
    """The same rows by pass rate within each tier; they still have no rank."""
    return tuple(sorted(rows, key=lambda each: (TIERS.index(each.tier), -(each.row.strict_pass.rate or 0.0))))


def _row(who: Who, runs: Sequence[Record]) -> ModelRow:
    strict = statistics.strict_pass(runs)
    fewest, most = statistics.repeats_per_task(runs)
    versions = {run.harness_version + (f" ({run.harness_commit[:10]})" if run.harness_commit else "") for run in runs}
    return ModelRow(
        rank=None,
        who=who,
        strict_pass=strict,
        unscoreable=len(runs) - strict.of,
        provider_errors=statistics.provider_errors(runs),
        usd=statistics.total_usd(runs),
        usd_per_pass=statistics.cost_per_pass(runs),
        usd_per_reliable_task=statistics.cost_per_reliable_task(runs),
        tokens_in=_tokens([run.stats.tokens_in if run.stats else None for run in runs]),
        tokens_out=_tokens([run.stats.tokens_out if run.stats else None for run in runs]),
        fewest_repeats=fewest,
        most_repeats=most,
        records=len(runs),
        harness_versions=tuple(sorted(versions)),
        date=max(run.started_at[:10] for run in runs),
    )


def _rubrics(runs: Sequence[Record], rubrics: Mapping[str, Rubric]) -> tuple[RubricRow, ...]:
    judged = [run for run in runs if run.path in rubrics]
    return tuple(
        row
        for tier in TIERS
        for who, each in _by_who(run for run in judged if run.tier == tier)
        for row in rubric_rows(tier, who, [rubrics[run.path] for run in each])
    )


def _tokens(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _rank(rows: Sequence[ModelRow]) -> tuple[ModelRow, ...]:
    """Best first: by strict pass rate, then by cost; equal figures share a rank, a single repeat has none."""

    def figures(row: ModelRow) -> tuple[float, float]:
        rate, usd = row.strict_pass.rate, row.usd_per_pass
        return (1.0 if rate is None else -rate), (float("inf") if usd is None else usd)

    ordered = sorted(rows, key=figures)
    repeated = [figures(row) for row in ordered if _is_ranked(row)]
    return tuple(replace(row, rank=1 + repeated.index(figures(row)) if _is_ranked(row) else None) for row in ordered)


def _is_ranked(row: ModelRow) -> bool:
    return not row.single_repeat and row.strict_pass.of > 0


def _reliability(who: Who, runs: Sequence[Record]) -> ReliabilityRow:
    return ReliabilityRow(
        who=who,
        tasks=len({run.task for run in statistics.scoreable(runs)}),
        pass_at_1=statistics.pass_at_1(runs),
        interval=pass_at_1_interval(runs),
        all_repeats=statistics.pass_all_k(runs),
        unbiased=pass_all_k_unbiased(runs),
        spread=statistics.spread(runs),
        single_repeat=_is_single(runs),
    )


def _work_queue(runs: Sequence[Record]) -> tuple[WorkQueue, ...]:
    queues = []
    for segment in SEGMENTS:
        groups = statistics.failure_groups(run for run in runs if _segment(run) == segment)
        if groups:
            queues.append(WorkQueue(segment, tuple(_work_item(each) for each in groups)))
    return tuple(queues)


def _work_item(found: statistics.FailureGroup) -> WorkItem:
    return WorkItem(
        category=found.category,
        runs=len(found.runs),
        mean_usd=found.mean_usd,
        weight=found.weight,
        tasks=tuple(sorted({run.task for run in found.runs})),
        models=tuple(sorted({run.run_model for run in found.runs})),
        records=tuple(run.path for run in found.runs),
    )


def _variant_gaps(runs: Sequence[Record]) -> tuple[VariantRow, ...]:
    gaps = ((who, each, statistics.variant_gap(each)) for who, each in _by_who(runs))
    return tuple(VariantRow(who, gap, variant_gap_interval(each)) for who, each, gap in gaps if gap is not None)


def _pairs(runs: Sequence[Record]) -> tuple[PairRow, ...]:
    """Every two rows of one segment and harness: a pair across harnesses would compare harnesses."""
    rows = []
    for (first, ours), (second, theirs) in combinations(_by_who(runs), 2):
        if (first.segment, first.harness) == (second.segment, second.harness) and (found := paired(ours, theirs)):
            rows.append(PairRow(first, second, found, _is_single(ours) or _is_single(theirs)))
    return tuple(rows)


def _is_single(runs: Sequence[Record]) -> bool:
    return statistics.repeats_per_task(runs)[1] < 2


def _task_rows(runs: Sequence[Record]) -> tuple[TaskRow, ...]:
    return tuple(
        TaskRow(task, tier, who, passed)
        for tier in TIERS
        for who, each in _by_who(run for run in runs if run.tier == tier)
        for task, passed in by_task(each).items()
    )
