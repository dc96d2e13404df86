"""What a run cost in USD, computed once when it is sealed; null with the reason where nobody can know (STANDARD 8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from copperbench.evidence import Event, Transcript
from copperbench.sandbox import CostStamp
from copperbench.suite import ModelEntry, Price

_NO_USD = {
    "open-weight-self-hosted": "self-hosted: no price per token",
    "saved-login": "saved login: a subscription, no price per token",
    "scripted": "simulated agent: nothing was bought",
}
_MILLION = 1_000_000
_DECIMALS = 8


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a whole run; `tokens_in` counts cached input too. The cached shares are 0 where nobody says."""

    tokens_in: int
    tokens_out: int
    cache_read: int = 0
    cache_write: int = 0


def cost_of(model: ModelEntry, price: Price | None, transcript: Transcript, *, tampered: bool = False) -> CostStamp:
    """The cost stamp of a run (STANDARD 8).

    Input read from or written to a cache has its own price where the usage tells it apart and the table has one;
    without that it costs what other input does.
    """
    if model.segment in _NO_USD:
        return CostStamp(None, None, _NO_USD[model.segment])
    if price is None:
        return CostStamp(None, None, f"no price for {model.id} in the table")
    usage = None if tampered else usage_of(transcript)
    if isinstance(usage, Usage):
        return CostStamp(usd(usage, price), price.table_version, None)
    return CostStamp(None, price.table_version, usage or "the transcript contradicts what was seen of it")


def usd(usage: Usage, price: Price) -> float:
    """USD of these tokens at this price."""
    plain = max(usage.tokens_in - usage.cache_read - usage.cache_write, 0)
    parts = (
        plain * price.input,
        usage.cache_read * (price.input if price.cache_read is None else price.cache_read),
        usage.cache_write * (price.input if price.cache_write is None else price.cache_write),
        usage.tokens_out * price.output,
    )
    return round(sum(parts) / _MILLION, _DECIMALS)


def usage_of(transcript: Transcript) -> Usage | str:
    """The tokens that a transcript accounts for, or why it does not."""
    ends = transcript.of_type("run-end")
    if not ends or len(ends) < len(transcript.of_type("run-start")):
        return "the run ended before its usage was written down"
    if transcript.of_type("provider-failover"):
        return "another provider answered some of the turns"
    if any(map(_is_diagnosed, transcript.of_type("run-start"))) and any(end.text("exitPath") != "done" for end in ends):
        return "a failed stage was judged by a call that no transcript holds"
    turns = [turn for end in ends for turn in _turns(end.data.get("perTurn"))]
    silent = sum(1 for turn in turns if not _count(turn.get("in")))
    if silent:
        return f"the endpoint reported no usage for {silent} of {len(turns)} turns"
    sums = [
        _total(end.data.get(name) for end in ends)
        for name in ("tokensIn", "tokensOut", "tokensCached", "tokensCacheWrite")
    ]
    tokens_in, tokens_out, read, write = sums
    if tokens_in is None or tokens_out is None:
        return "the run's token counts are missing"
    if tokens_in == 0 and transcript.of_type("assistant"):
        return "the endpoint reported no usage"
    return Usage(tokens_in, tokens_out, read or 0, write or 0)


def _is_diagnosed(start: Event) -> bool:
    """Whether this is a stage of copperhead's `create`, which asks the model once more about a stage that failed."""
    versions = start.data.get("versions")
    ours = not isinstance(versions, dict) or versions.get("copperhead") is None
    return not ours and start.data.get("command") == "create"


def _turns(value: object) -> list[dict[str, Any]]:
    return [turn for turn in value if isinstance(turn, dict)] if isinstance(value, list) else []


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 50 else None


def _total(values: Iterable[object]) -> int | None:
    counts = [_count(value) for value in values]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
