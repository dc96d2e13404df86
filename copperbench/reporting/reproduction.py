"""The leaderboard that gradings made anew give, held against the page that was published (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from copperbench.records import LegacyRecord, Record, Unreadable, parse_record, read_records, suite_stamps
from copperbench.reporting.aggregate import aggregate
from copperbench.reporting.discrimination import expectations
from copperbench.reporting.leaderboard import HandEdit, check_leaderboard
from copperbench.reporting.rubric import read_rubrics
from copperbench.suite import Suite


def check_page(page: str, root: Path, suite: Suite, graded: Mapping[str, bytes]) -> HandEdit | None:
    """The first line at which the text `page` is not what the records give; None where it is.

    `graded` are records as made anew, by path; every other record counts as it lies on disk.
    """
    made = aggregate(_entries(root, graded), suite_stamps(suite), expectations(suite), read_rubrics(root))
    return check_leaderboard(page, made)


def _entries(root: Path, graded: Mapping[str, bytes]) -> Iterator[Record | LegacyRecord | Unreadable]:
    for entry in read_records(root):
        yield parse_record(graded[entry.path], entry.path) if entry.path in graded else entry
