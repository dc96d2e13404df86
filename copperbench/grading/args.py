"""The arguments of the vocabulary, one small class per type that takes any (STANDARD 4).

They never leave this room, so they are named tuples: every grade defines all of them, and a dataclass takes five times
as long to define.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple


class NoArgs(NamedTuple):
    """For the types that need nothing."""


class NewViolations(NamedTuple):
    """`erc_no_new_violations`, `drc_no_new_violations`."""

    severity: Literal["error", "warning"] = "error"


class NetName(NamedTuple):
    """`net_present`, `net_absent`: a net's name, a leading `/` optional."""

    net: str


class SymbolPresent(NamedTuple):
    """`symbol_present`; value and footprint are compared exactly where they are given."""

    refdes: str
    value: str | None = None
    footprint: str | None = None


class SymbolAbsent(NamedTuple):
    """`symbol_absent`."""

    refdes: str


class PinNet(NamedTuple):
    """`pin_net_equals`."""

    refdes: str
    pin: str
    net: str


class DocRow(NamedTuple):
    """`doc_row_matches`: the rows of `key`, searched for `pattern` in one column."""

    doc: str
    key: str
    column: str
    pattern: str


class DocContains(NamedTuple):
    """`doc_contains`."""

    doc: str
    pattern: str
    absent: bool = False


class ConstraintRegistered(NamedTuple):
    """`constraint_registered`; `affects` lists what the entry must affect at least."""

    key: str
    source: str | None = None
    affects: tuple[str, ...] | None = None


class FilesTouched(NamedTuple):
    """`files_touched_subset`: paths and globs."""

    allowed: tuple[str, ...]


class FilePath(NamedTuple):
    """`file_unchanged`."""

    path: str


class DiffRatio(NamedTuple):
    """`diff_ratio_max`; `ratio` is a share in (0, 1]."""

    path: str
    ratio: float


class CommitCount(NamedTuple):
    """`commit_count`: exactly one of the two is given."""

    equals: int | None = None
    max: int | None = None


class ExitPaths(NamedTuple):
    """`exit_path_in`."""

    paths: tuple[str, ...]


class CitedBudget(NamedTuple):
    """`refusal_cites_budget`."""

    budget_key: str


class EventCount(NamedTuple):
    """`transcript_event`; `matches` maps a field of the event's data (dots descend) to a pattern."""

    event: str
    min_count: int = 1
    matches: Mapping[str, str] = MappingProxyType({})
