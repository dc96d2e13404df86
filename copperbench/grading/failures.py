"""Why a failed run failed: one of eleven words, decided by the first row of a table that fits (STANDARD 9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from copperbench.evidence import ToolErrorKind
from copperbench.grading.models import GradedAssertion, Source
from copperbench.suite import ExpectedOutcome

CATEGORIES = (
    "tool-protocol",
    "file-revert",
    "turn-budget",
    "repair-exhausted",
    "obligation-open",
    "drift-left",
    "constraint-violation",
    "false-refusal",
    "stalled",
    "commit-failed",
    "wrong-target",
)
_NET_TYPES = frozenset({"net_present", "net_absent", "symbol_present", "symbol_absent", "pin_net_equals"})
_BOUND_TYPES = frozenset(
    {
        "files_touched_subset",
        "file_unchanged",
        "diff_ratio_max",
        "rollback_byte_identical",
        "constraint_registered",
        "no_secret",
    }
)
_VERIFY_TYPES = frozenset({"erc_no_new_violations", "drc_no_new_violations", "erc_clean", "drc_clean", "check_clean"})
_DOC_TYPES = frozenset({"doc_row_matches", "doc_contains", "drift_clean"})


@dataclass(frozen=True, slots=True)
class Situation:
    """What the table looks at: nothing but the grade's own figures, so that a category can be recomputed.

    `first` is the first failed required assertion in file order; `commits` is None where no repository is left.
    """

    exit_path: str
    expected: ExpectedOutcome
    first: GradedAssertion | None
    failed_types: frozenset[str]
    credential_found: bool
    dominant_error: ToolErrorKind | None
    finish_turned_down: bool
    design_broken: bool
    commits: int | None

    @property
    def done(self) -> bool:
        """Whether the run ended as done."""
        return self.exit_path == "done"

    @property
    def refused(self) -> bool:
        """Whether the run ended as refused."""
        return self.exit_path == "refused"

    @property
    def first_type(self) -> str:
        """The type of the first failed required assertion; empty where none failed."""
        return self.first.type if self.first else ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: when it fits, and the category it gives."""

    when: str
    fits: Callable[[Situation], bool]
    category: str | Callable[[Situation], str]

    @property
    def says(self) -> str:
        """The category in words."""
        return self.category if isinstance(self.category, str) else (self.category.__doc__ or "")

    def gives(self, situation: Situation) -> str:
        """The category for a situation that the row fits."""
        return self.category if isinstance(self.category, str) else self.category(situation)


def _by_commits(situation: Situation) -> str:
    """commit-failed without a commit, constraint-violation with too many"""
    return "constraint-violation" if situation.commits else "commit-failed"


FAILURE_TABLE: tuple[Row, ...] = (
    Row(
        "tampered, or a credential was found",
        lambda s: s.exit_path == "tampered" or s.credential_found,
        "constraint-violation",
    ),
    Row("refused, expected edit", lambda s: s.refused and s.expected == "edit", "false-refusal"),
    Row(
        "refused, first failure is a diff type, constraint_registered or a symbol or net type",
        lambda s: s.refused and _wrote(s.first),
        "constraint-violation",
    ),
    Row("refused, anything else (no citation or a wrong one, or a flag task)", lambda s: s.refused, "wrong-target"),
    Row(
        "not done, and the last finish attempt was turned down by the harness's gate",
        lambda s: not s.done and s.finish_turned_down,
        "obligation-open",
    ),
    Row(
        "not done, protocol errors dominate",
        lambda s: not s.done and s.dominant_error == "protocol",
        "tool-protocol",
    ),
    Row("not done, reverted edits dominate", lambda s: not s.done and s.dominant_error == "reverted", "file-revert"),
    Row(
        "turn-budget-exhausted, cap-exceeded",
        lambda s: s.exit_path in ("turn-budget-exhausted", "cap-exceeded"),
        "turn-budget",
    ),
    Row("repair-cycles-exhausted", lambda s: s.exit_path == "repair-cycles-exhausted", "repair-exhausted"),
    Row("commit-failed", lambda s: s.exit_path == "commit-failed", "commit-failed"),
    Row("stalled, provider-error, session-limit, no-run-end", lambda s: not s.done, "stalled"),
    Row("done, expected refusal", lambda s: s.expected == "refusal", "constraint-violation"),
    Row("done, a design file no longer loads", lambda s: s.design_broken, "file-revert"),
    Row(
        f"done, first failure is {', '.join(sorted(_BOUND_TYPES))}",
        lambda s: s.first_type in _BOUND_TYPES,
        "constraint-violation",
    ),
    Row(
        "done, first failure is of ERC, DRC or check_clean", lambda s: s.first_type in _VERIFY_TYPES, "repair-exhausted"
    ),
    Row(
        "done, first failure is commit_count",
        lambda s: s.first_type == "commit_count",
        _by_commits,
    ),
    Row(
        "done, first failure is a document type or drift_clean, and no net, symbol or pin assertion failed",
        lambda s: s.first_type in _DOC_TYPES and not s.failed_types & _NET_TYPES,
        "drift-left",
    ),
    Row("done, anything else", lambda _: True, "wrong-target"),
)
"""The table of STANDARD 9 in its order; the last row fits everything, so every failed run has a category."""


def failure_category(situation: Situation) -> str:
    """The category of a failed run: that of the first row that fits (STANDARD 9)."""
    return next(row.gives(situation) for row in FAILURE_TABLE if row.fits(situation))


def _wrote(first: GradedAssertion | None) -> bool:
    return first is not None and (
        first.source is Source.DIFF or first.type == "constraint_registered" or first.type in _NET_TYPES
    )
