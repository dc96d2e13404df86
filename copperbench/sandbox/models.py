"""What crosses from the sandbox room to the rooms that read a sealed run (STANDARD 2, 3; DESIGN 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from copperbench.suite import RunMode


@dataclass(frozen=True, slots=True)
class FileState:
    """One path of a tree: `kind` is `file`, `symlink` or `special`, `mode` is 0o644 or 0o755.

    A link's bytes are its target. A special file (device, FIFO, socket, or one beyond the seal's limits) has no bytes
    in the seal: its digest is that of what it is.
    """

    path: str
    kind: str
    mode: int
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that the run made, as read from the objects: never by running git."""

    sha: str
    parents: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class HarnessStamp:
    """Who performed a run. `solution_sha256` is set for the in-process harnesses that follow a solution."""

    name: str
    version: str
    commit: str | None = None
    quirks: tuple[str, ...] = ()
    solution_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class ModelStamp:
    """The model of an agent run; `served` is what the endpoint said it was (STANDARD 7, 8)."""

    id: str
    provider: str
    selection_source: str
    segment: str
    pinning: str
    served: str | None = None


@dataclass(frozen=True, slots=True)
class ExitFacts:
    """What the runner saw: exit code, signal number, the cap that ended the run (`turns`, `wallClock`), tampering."""

    code: int | None
    signal: int | None
    cap: str | None
    tampered: str | None


@dataclass(frozen=True, slots=True)
class CostStamp:
    """USD of a run, computed once at sealing; null with a reason where it is unknown or undefined (STANDARD 8)."""

    usd: float | None
    table_version: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class RunFacts:
    """`run.json`: everything about a sealed run but its tree and transcript (schema/run.schema.json)."""

    model_slug: str
    run_mode: RunMode
    repeat: int
    repeats_planned: int
    campaign: str
    harness: HarnessStamp
    model: ModelStamp | None
    started_at: str
    duration_ms: int
    exit: ExitFacts
    caps: Mapping[str, float]
    ablations: Mapping[str, Any]
    baseline_sha: str
    setup_skipped: tuple[Mapping[str, str], ...]
    environment: Mapping[str, str | None]
    cost: CostStamp | None
    isolation: str
    suite_version: str
    run_relevant_hash: str
    task_manifests: Mapping[str, bytes]
    fixture_manifest: bytes
    files: Mapping[str, str]
    quarantine: Mapping[str, str] | None = None
