"""What `validate` says: findings, and what it could not look at."""

from __future__ import annotations

from dataclasses import dataclass

from copperbench.errors import CopperbenchError
from copperbench.suite.schemas import schema_faults


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with the suite: place, the rule's short name, fault, remedy."""

    where: str
    rule: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return " ".join(f"{self.where}: {self.what}; {self.remedy} [{self.rule}]".split())


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that was not made, and why that is no fault of the suite."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Validation:
    """The outcome of `examine`: valid when there are no findings."""

    findings: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]


def from_error(error: CopperbenchError, rule: str) -> Finding:
    """A finding that says what an error says."""
    return Finding(error.where, rule, error.what, error.remedy or "correct it")


def schema_findings(kind: str, data: object, where: str) -> list[Finding]:
    """Every fault that the schema of `kind` finds in `data`."""
    return [Finding(f"{where}: {f.path}", "schema", f.what, f.remedy) for f in schema_faults(kind, data)]
