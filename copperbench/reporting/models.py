"""The aggregate: everything that leaderboard, site and paper say, as frozen values (STANDARD 6 to 12)."""

from __future__ import annotations

from dataclasses import dataclass

from copperbench.reporting.effort import Effort
from copperbench.reporting.intervals import AllOfK, Interval, Paired
from copperbench.reporting.statistics import AllRepeats, Refusals, Share, Spread, VariantGap

AGGREGATE_VERSION = "1.2.0"


@dataclass(frozen=True, slots=True)
class Who:
    """What no row ever mixes: model, provider, segment, harness name and ablation set (STANDARD 7)."""

    model: str
    provider: str
    segment: str
    harness: str
    ablations: str


@dataclass(frozen=True, slots=True)
class ModelRow:
    """The figures of one `Who` in one tier. Money in USD; `rank` is None for a single-repeat row.

    `fewest_repeats` and `most_repeats` are runs per task; token sums are None where a run did not record them.
    """

    rank: int | None
    who: Who
    strict_pass: Share
    unscoreable: int
    provider_errors: int
    usd: float | None
    usd_per_pass: float | None
    usd_per_reliable_task: float | None
    tokens_in: int | None
    tokens_out: int | None
    fewest_repeats: int
    most_repeats: int
    records: int
    harness_versions: tuple[str, ...]
    date: str

    @property
    def single_repeat(self) -> bool:
        """Whether no task was run twice: a label, and no comparison (STANDARD 6)."""
        return self.most_repeats < 2


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """The rows of one segment in one tier, best first: segments never share a cost column (STANDARD 8)."""

    segment: str
    rows: tuple[ModelRow, ...]


@dataclass(frozen=True, slots=True)
class TierTable:
    """The headline tables of one tier; `harness_records` counts its noop, gold and trap records."""

    tier: str
    harness_records: int
    segments: tuple[SegmentTable, ...]


@dataclass(frozen=True, slots=True)
class TierRow:
    """A row outside the headline tables, which names its tier itself."""

    tier: str
    row: ModelRow


@dataclass(frozen=True, slots=True)
class RefusalRow:
    """Refusal rates of one `Who` over all tiers."""

    who: Who
    refusals: Refusals


@dataclass(frozen=True, slots=True)
class ReliabilityRow:
    """Reliability of one `Who` over all tiers, every task weighing the same; `pass_at_1` in [0, 1].

    `interval` is that of pass@1; `unbiased` is empty where all tasks have the same number of repeats.
    """

    who: Who
    tasks: int
    pass_at_1: float | None
    interval: Interval | None
    all_repeats: tuple[AllRepeats, ...]
    unbiased: tuple[AllOfK, ...]
    spread: Spread | None
    single_repeat: bool


@dataclass(frozen=True, slots=True)
class WorkItem:
    """One failure category of the work queue, with the records to look at."""

    category: str
    runs: int
    mean_usd: float | None
    weight: float | None
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    records: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """What to fix next in one segment, by frequency x mean run cost (STANDARD 9)."""

    segment: str
    items: tuple[WorkItem, ...]


@dataclass(frozen=True, slots=True)
class VariantRow:
    """The variant gap of one `Who`."""

    who: Who
    gap: VariantGap
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class EffortRow:
    """What the runs of one `Who` took, over all tiers."""

    who: Who
    effort: Effort


@dataclass(frozen=True, slots=True)
class TaskRow:
    """Passing over scoreable runs of one `Who` on one task."""

    task: str
    tier: str
    who: Who
    strict_pass: Share


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two rows of one segment and harness on their common tasks; `single_repeat` when either had one repeat only."""

    first: Who
    second: Who
    paired: Paired
    single_repeat: bool


@dataclass(frozen=True, slots=True)
class HarnessCell:
    """How the no-op or the reference solution fared: `verdict` None when it was not run; `at` names what stopped it."""

    verdict: str | None
    at: str | None
    record: str | None


@dataclass(frozen=True, slots=True)
class TrapCell:
    """How a trap fared: `state` is `caught`, `missed`, `unscoreable` or `not run`; assertion ids in file order."""

    name: str
    state: str
    expected: tuple[str, ...]
    failed: tuple[str, ...]
    record: str | None


@dataclass(frozen=True, slots=True)
class KillCell:
    """A required assertion in the kill matrix, as measured: the traps that failed it and nothing else that counts.

    `implied_by` names the assertion that it follows from; `state` is `proven`, `implied`, `unproven` or `not run`
    (traps are missing or could not be scored, so that nothing can be said yet).
    """

    assertion: str
    traps: tuple[str, ...]
    implied_by: str | None
    state: str


@dataclass(frozen=True, slots=True)
class DiscriminationRow:
    """Whether a task tells right from wrong (STANDARD 12): `yes`, `no`, `unproven`, `not run` or `skipped`."""

    task: str
    tier: str
    expected: str
    noop: HarnessCell
    gold: HarnessCell
    traps: tuple[TrapCell, ...]
    kills: tuple[KillCell, ...]
    date: str | None
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class NotComparable:
    """A readable record that enters no table, with the keys that differ (STANDARD 7)."""

    path: str
    model: str
    task: str
    schema_version: str
    suite_version: str
    differs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """A file in a record's place that cannot be understood, with the first thing wrong in it."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class EnvironmentFact:
    """One trait of the machines behind the tables and each value it takes, with how many records have it."""

    name: str
    values: tuple[EnvironmentValue, ...]


@dataclass(frozen=True, slots=True)
class EnvironmentValue:
    """A value of an environment trait; None where a record has none (graded without KiCad)."""

    value: str | None
    records: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many files lie where records lie, and what became of them; `agent` and `harness` add up to `comparable`."""

    on_disk: int
    comparable: int
    agent: int
    harness: int
    quarantined: int
    not_comparable: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class RubricRow:
    """What one judge makes of one `Who` in a tier: the mean of its scores in [0, 1], in no figure (STANDARD 11)."""

    tier: str
    who: Who
    judge: str
    judged: int
    mean_score: float


@dataclass(frozen=True, slots=True)
class Aggregate:
    """results/aggregate.json. `snapshot` is the day of the newest run start, never today (STANDARD 12)."""

    aggregate_version: str
    schema_version: str
    suite_version: str
    snapshot: str | None
    counts: Counts
    environment: tuple[EnvironmentFact, ...]
    tiers: tuple[TierTable, ...]
    saved_login: tuple[TierRow, ...]
    simulated: tuple[TierRow, ...]
    ablated: tuple[TierRow, ...]
    refusals: tuple[RefusalRow, ...]
    reliability: tuple[ReliabilityRow, ...]
    effort: tuple[EffortRow, ...]
    pairs: tuple[PairRow, ...]
    tasks: tuple[TaskRow, ...]
    work_queue: tuple[WorkQueue, ...]
    variant_gaps: tuple[VariantRow, ...]
    discrimination: tuple[DiscriminationRow, ...]
    not_comparable: tuple[NotComparable, ...]
    unreadable: tuple[UnreadableRecord, ...]
    rubrics: tuple[RubricRow, ...]
