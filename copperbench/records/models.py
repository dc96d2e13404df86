"""What a published record says, as frozen values; built once from its JSON (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from copperbench.records.stats import AgentStats
from copperbench.suite import ExpectedOutcome, RunMode, Tier

Verdict = Literal["pass", "fail", "unscoreable"]
Segment = Literal[
    "api-frontier", "api-cheap", "open-weight-hosted", "open-weight-self-hosted", "saved-login", "scripted"
]


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """One assertion of a record with its outcome."""

    id: str
    type: str
    status: str
    required: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Ablations:
    """The run settings that depart from the task's own; all None when nothing does (STANDARD 2)."""

    prompt_variant: str | None = None
    max_turns: int | None = None
    max_repair_cycles: int | None = None
    tool_subset: tuple[str, ...] | None = None

    @property
    def label(self) -> str:
        """The settings in words, empty when the run has none."""
        parts = (
            ("prompt", self.prompt_variant),
            ("turns", self.max_turns),
            ("repairs", self.max_repair_cycles),
            ("tools", ",".join(self.tool_subset) if self.tool_subset is not None else None),
        )
        return " ".join(f"{name}={value}" for name, value in parts if value is not None)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The model of an agent run."""

    id: str
    provider: str
    segment: Segment
    pinning: str
    served: str | None


@dataclass(frozen=True, slots=True)
class Stamps:
    """Under what a record was graded; the first five decide whether it may be compared (STANDARD 7)."""

    schema_version: str
    suite_version: str
    task_manifest_hash: str
    fixture_sha256: str
    kicad_cli_version: str | None
    node_version: str
    python_version: str
    platform: str
    copperbench_version: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the current schema. `path` is relative to the checkout; `usd` is None when unknown.

    `lines_changed` counts added and deleted lines of all changed files; None where that was not recorded.
    """

    path: str
    task: str
    tier: Tier
    expected: ExpectedOutcome
    variant_of: str | None
    fixture: str
    run_model: str
    run_mode: RunMode
    repeat: int
    campaign: str
    started_at: str
    duration_ms: int
    ablations: Ablations
    harness: str
    harness_version: str
    harness_commit: str | None
    model: ModelFacts | None
    usd: float | None
    stats: AgentStats | None
    verdict: Verdict
    partial_credit: float
    failure_category: str | None
    first_failed_required: str | None
    assertions: tuple[AssertionResult, ...]
    stamps: Stamps
    quarantined: bool
    lines_changed: int | None = None

    @property
    def failed_required(self) -> tuple[str, ...]:
        """The required assertions that failed, in file order."""
        return tuple(entry.id for entry in self.assertions if entry.required and entry.status == "fail")

    @property
    def unevaluable_required(self) -> tuple[str, ...]:
        """The required assertions that could not be judged, in file order."""
        return tuple(entry.id for entry in self.assertions if entry.required and entry.status == "unevaluable")


@dataclass(frozen=True, slots=True)
class LegacyRecord:
    """A record of schema 1.0.0, in either of its forms: readable, and never comparable with ours."""

    path: str
    schema_version: str
    suite_version: str
    task: str
    model: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file where a record should be that cannot be understood, with the first thing wrong in it."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class TaskStamp:
    """What the checked-out suite says a comparable record of a task must carry."""

    manifest_hash: str
    fixture_sha256: str
    kicad_major: str


@dataclass(frozen=True, slots=True)
class SuiteStamps:
    """The comparability keys of the checked-out suite, task by task (STANDARD 7)."""

    schema_version: str
    suite_version: str
    tasks: Mapping[str, TaskStamp]
