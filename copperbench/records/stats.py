"""The figures and versions that grading writes into a record, apart from what only readers of records need."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA_VERSION = "2.0.0"


def kicad_major(version: str) -> str:
    """The major version in a version text such as `10.0.6`."""
    return version.split(".")[0]


@dataclass(frozen=True, slots=True)
class AgentStats:
    """What an agent run used; counts are None where nothing recorded them (STANDARD 12)."""

    exit_path: str | None
    turns_used: int | None
    max_turns: int | None
    repair_cycles_used: int | None
    max_repair_cycles: int | None
    tokens_in: int | None
    tokens_out: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    files_touched: tuple[str, ...]
    cap_exceeded: str | None


@dataclass(frozen=True, slots=True)
class LinesChanged:
    """Lines that a run added and deleted in all files that tools do not own (STANDARD 6, surgicality)."""

    added: int
    deleted: int
