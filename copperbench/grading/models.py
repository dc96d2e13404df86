"""What grading says: one outcome per assertion, and the verdict they add up to (STANDARD 4, 6, 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

Status = Literal["pass", "fail", "unevaluable"]
Verdict = Literal["pass", "fail", "unscoreable"]


class Source(Enum):
    """The three kinds of evidence (STANDARD 3)."""

    END_STATE = "end-state"
    DIFF = "diff"
    TRANSCRIPT = "transcript"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one handler found; `detail` is the observed value, for reading a failure without the sandbox."""

    status: Status
    detail: str


@dataclass(frozen=True, slots=True)
class GradedAssertion:
    """An assertion of the task with its outcome."""

    id: str
    type: str
    args: Mapping[str, Any]
    weight: float
    required: bool
    source: Source
    status: Status
    detail: str


@dataclass(frozen=True, slots=True)
class Grade:
    """The whole grade of a run: what a record publishes (STANDARD 6, 9)."""

    verdict: Verdict
    partial_credit: float
    failure_category: str | None
    first_failed_required: str | None
    exit_path: str
    assertions: tuple[GradedAssertion, ...]
