"""The arguments of the vocabulary, one small class per type that takes any (STANDARD 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class NoArgs:
    """For the types that need nothing."""


@dataclass(frozen=True, slots=True)
class NewViolations:
    """`erc_no_new_violations`, `drc_no_new_violations`."""

    severity: Literal["error", "warning"] = "error"


@dataclass(frozen=True, slots=True)
class NetName:
    """`net_present`, `net_absent`: a net's name, a leading `/` optional."""

    net: str


@dataclass(frozen=True, slots=True)
class SymbolPresent:
    """`symbol_present`; value and footprint are compared exactly where they are given."""

    refdes: str
    value: str | None = None
    footprint: str | None = None


@dataclass(frozen=True, slots=True)
class SymbolAbsent:
    """`symbol_absent`."""

    refdes: str


@dataclass(frozen=True, slots=True)
class PinNet:
    """`pin_net_equals`."""

    refdes: str
    pin: str
    net: str


@dataclass(frozen=True, slots=True)
class DocRow:
    """`doc_row_matches`: the rows of `key`, searched for `pattern` in one column."""

    doc: str
    key: str
    column: str
    pattern: str


@dataclass(frozen=True, slots=True)
class DocContains:
    """`doc_contains`."""

    doc: str
    pattern: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class ConstraintRegistered:
    """`constraint_registered`; `affects` lists what the entry must affect at least."""

    key: str
    source: str | None = None
    affects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FilesTouched:
    """`files_touched_subset`: paths and globs."""

    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FilePath:
    """`file_unchanged`."""

    path: str


@dataclass(frozen=True, slots=True)
class DiffRatio:
    """`diff_ratio_max`; `ratio` is a share in (0, 1]."""

    path: str
    ratio: float


@dataclass(frozen=True, slots=True)
class CommitCount:
    """`commit_count`: exactly one of the two is given."""

    equals: int | None = None
    max: int | None = None


@dataclass(frozen=True, slots=True)
class ExitPaths:
    """`exit_path_in`."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitedBudget:
    """`refusal_cites_budget`."""

    budget_key: str


@dataclass(frozen=True, slots=True)
class EventCount:
    """`transcript_event`; `matches` maps a field of the event's data (dots descend) to a pattern."""

    event: str
    min_count: int = 1
    matches: Mapping[str, str] = field(default_factory=dict)
