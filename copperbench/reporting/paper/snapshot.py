"""The records that a paper speaks of: those of one campaign, with a digest over their bytes (STANDARD 12)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.records import Record, comparable, read_records, suite_stamps
from copperbench.reporting.aggregate import aggregate
from copperbench.reporting.discrimination import expectations
from copperbench.reporting.models import Aggregate
from copperbench.suite import Fixture, Suite, Task


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One campaign as a paper cites it.

    `digest` is the SHA-256 over one line `<sha256 of the record> <path>` per record, in byte order of the paths.
    `runs` are the comparable records; `figures` is what they say together.
    """

    campaign: str
    digest: str
    runs: tuple[Record, ...]
    figures: Aggregate
    tasks: tuple[Task, ...]
    fixtures: tuple[Fixture, ...]
    traps: int


def take_snapshot(root: Path, suite: Suite, campaign: str) -> Snapshot:
    """Read the records of `results/<campaign>` and hold them against the checked-out suite (STANDARD 7, 12).

    Raises CopperbenchError where the campaign has no record: a paper cannot be made of nothing.
    """
    entries = tuple(read_records(root, f"{campaign}/*/*"))
    if not entries:
        raise CopperbenchError(
            root / "results" / campaign, "holds no record", "name a campaign that has been run (paper_snapshot)"
        )
    stamps = suite_stamps(suite)
    runs = tuple(entry for entry in entries if isinstance(entry, Record) and not comparable(entry, stamps))
    tasks = tuple(suite.task(name) for name in suite.task_ids())
    return Snapshot(
        campaign=campaign,
        digest=_digest(root, sorted(entry.path for entry in entries)),
        runs=runs,
        figures=aggregate(entries, stamps, expectations(suite)),
        tasks=tasks,
        fixtures=tuple(suite.fixture(name) for name in sorted({task.fixture_id for task in tasks})),
        traps=sum(len(suite.solutions(task.id)) - 1 for task in tasks),
    )


def _digest(root: Path, paths: list[str]) -> str:
    lines = (f"{hashlib.sha256((root / path).read_bytes()).hexdigest()} {path}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()
