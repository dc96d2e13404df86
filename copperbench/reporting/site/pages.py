"""What each page shows, as frozen values that the templates print."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from copperbench.records import Record
from copperbench.reporting.site.conversation import Part
from copperbench.reporting.site.drawings import SchematicChange
from copperbench.reporting.site.textdiff import DiffLine


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The change of one path: what became of it, lines added and deleted, and the lines to show."""

    path: str
    kind: str
    added: int
    deleted: int
    lines: tuple[DiffLine, ...]


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """What a run left, for its page. `missing` says why there is nothing to show."""

    missing: str
    parts: tuple[Part, ...] = ()
    files: tuple[FileDiff, ...] = ()
    files_left_out: int = 0
    commits: tuple[str, ...] = ()
    schematic: SchematicChange | None = None


def run_address(run: Record) -> str:
    """A run's page: where its record lies, under runs/ instead of results/."""
    return f"runs/{run.path.removeprefix('results/').removesuffix('.json')}.html"


def model_address(name: str) -> str:
    """A model's page: its name as far as a file can carry it, and a digest where that is not all of it."""
    return f"models/{_slug(name)}.html"


def task_address(task: str) -> str:
    """A task's page."""
    return f"tasks/{_slug(task)}.html"


def fixture_address(fixture: str) -> str:
    """A fixture's page."""
    return f"fixtures/{_slug(fixture)}.html"


def addresses() -> Mapping[str, object]:
    """The functions above under the names that templates use."""
    return {
        "run_address": run_address,
        "model_address": model_address,
        "task_address": task_address,
        "fixture_address": fixture_address,
    }


def _slug(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60]
    if slug == name:
        return slug
    return f"{slug}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}".lstrip("-")
