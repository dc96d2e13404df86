"""The kill matrix: which trap shows that a required assertion is needed (STANDARD 12, discrimination).

An assertion that never stands alone against a wrong answer may be dead weight, or may never have worked. So each
required assertion either is the only one that catches some trap, or is declared to follow from another. What is
declared to follow adds nothing to a verdict and is left aside when one asks which assertion stood alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kill:
    """One required assertion: the traps that only it catches, and the assertion that implies it, if any."""

    assertion: str
    traps: tuple[str, ...]
    implied_by: str | None

    @property
    def proven(self) -> bool:
        """Whether something shows that the assertion is needed or says why it need not be."""
        return bool(self.traps) or self.implied_by is not None


@dataclass(frozen=True, slots=True)
class BrokenImplication:
    """A run that failed the implied assertion and not the one that is said to imply it."""

    run: str
    implied: str
    by: str


def kill_matrix(
    required: Sequence[str], caught: Mapping[str, Collection[str]], implied_by: Mapping[str, str]
) -> tuple[Kill, ...]:
    """One row per required assertion, in the order given (STANDARD 12).

    `caught` maps a trap to the required assertions that fail on it: declared or measured.
    """
    alone: dict[str, list[str]] = {}
    for trap, failed in caught.items():
        told = [name for name in failed if name not in implied_by]
        if len(told) == 1:
            alone.setdefault(told[0], []).append(trap)
    return tuple(Kill(name, tuple(alone.get(name, ())), implied_by.get(name)) for name in required)


def broken_implications(
    failed: Mapping[str, Collection[str]], implied_by: Mapping[str, str]
) -> tuple[BrokenImplication, ...]:
    """Every run of `failed` (run to its failed assertions) that disproves a declared implication."""
    return tuple(
        BrokenImplication(run, implied, by)
        for run, names in failed.items()
        for implied, by in implied_by.items()
        if implied in names and by not in names
    )
