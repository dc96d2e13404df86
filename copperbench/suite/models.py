"""What a suite is made of: frozen values built once from schema-checked JSON (STANDARD 1, 13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Tier = Literal["simple", "medium", "hard"]
Mode = Literal["do", "create", "sync", "check"]
ExpectedOutcome = Literal["edit", "refusal", "flag"]
Availability = Literal["committed", "obtainable", "published-only"]
RunMode = Literal["noop", "gold", "trap", "agent"]

TIERS: tuple[Tier, ...] = ("simple", "medium", "hard")


@dataclass(frozen=True, slots=True)
class AssertionSpec:
    """One entry of `assertions.json` (STANDARD 1.2): `type` names a handler, `args` fit its schema."""

    id: str
    type: str
    args: Mapping[str, Any]
    weight: float
    required: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One declared change to a tree (STANDARD 1.1 seeds, 11 solutions): `kind` and its own arguments."""

    kind: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """The harness settings of a task; budgets are name to number (STANDARD 1.1)."""

    budgets: Mapping[str, float]
    max_turns: int
    max_repair_cycles: int
    stage_max_turns: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Caps:
    """What the runner enforces from outside: model turns and wall-clock seconds (STANDARD 2)."""

    turns: int
    wall_clock_s: float


@dataclass(frozen=True, slots=True)
class Task:
    """A task with its assertions and the exact bytes it was read from (STANDARD 1).

    `manifests` maps `task.json`, `assertions.json` and, where named, the brief's and the rubric's path to
    their bytes, in that order: what the manifest hash covers and what a seal carries.
    """

    id: str
    tier: Tier
    mode: Mode
    fixture_id: str
    fixture_sha256: str
    setup_commands: tuple[str, ...]
    seed: tuple[Operation, ...]
    prompt: str | None
    brief_path: str | None
    expected_outcome: ExpectedOutcome
    config: TaskConfig
    caps: Caps
    repeats: int
    tags: tuple[str, ...]
    variant_of: str | None
    rubric: str | None
    assertions: tuple[AssertionSpec, ...]
    manifests: Mapping[str, bytes]
    manifest_hash: str
    run_relevant_hash: str

    @property
    def required(self) -> tuple[AssertionSpec, ...]:
        """The assertions that the verdict rests on, in file order."""
        return tuple(spec for spec in self.assertions if spec.required)


@dataclass(frozen=True, slots=True)
class Solution:
    """A known-right or known-wrong answer as data: `gold` or `trap-<name>` (STANDARD 12, discrimination).

    `steps` are operations, commits and transcript events in order; `exit_path` is what its transcript ends
    with, `summary` what its finish call says. `caught_by` names the assertions that must fail (traps).
    `implied_by` maps an assertion to the one that implies it (gold only).
    """

    task_id: str
    name: str
    summary: str
    exit_path: str
    steps: tuple[Operation, ...]
    caught_by: tuple[str, ...]
    implied_by: Mapping[str, str]
    sha256: str


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution's package as a board's source: its name and exact version, and the board's folder in it."""

    name: str
    version: str
    path: str


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where a third-party board comes from and under what terms (STANDARD 13).

    `commit` is empty where the board is taken from a `package` and the commit behind it is not known.
    """

    name: str
    url: str
    commit: str
    retrieved: str
    license: str
    license_file: str
    copyright: str
    modifications: str
    package: Package | None = None


@dataclass(frozen=True, slots=True)
class ReportCounts:
    """What a recorded report of a fixture is said to hold: counts by type, errors and warnings apart."""

    report: str
    errors: int
    error_types: Mapping[str, int]
    warnings: int
    warning_types: Mapping[str, int]
    unconnected_items: int = 0
    schematic_parity: int = 0
    schematic_parity_types: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class FixtureFile:
    """One design file: its path under `tree/`, upstream's path, and its line ends (`lf`, `crlf`, `binary`)."""

    path: str
    upstream_path: str
    eol: str


@dataclass(frozen=True, slots=True)
class FixtureVariant:
    """Which board a varied one was made from, and by which seed (STANDARD 10)."""

    of: str
    seed: int


@dataclass(frozen=True, slots=True)
class Fixture:
    """`fixtures/<id>/fixture.json` (STANDARD 13); paths are relative to `tree/`."""

    id: str
    sha256: str
    complexity: Tier
    upstream: Upstream | None
    authored_version: str
    file_format_version: str
    verified_with_kicad_cli: str
    schematic: str
    board: str | None
    project: str | None
    signal_nets: tuple[str, ...]
    power_nets: tuple[str, ...]
    scale: Mapping[str, int]
    erc: ReportCounts
    drc: ReportCounts | None
    baseline_note: str
    files: tuple[FixtureFile, ...]
    availability: Availability
    manifest: bytes
    variant: FixtureVariant | None = None
