"""A transcript as a conversation: what was asked, what the model said and called, what came back (STANDARD 3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from copperbench.evidence import Event, Transcript, tool_error_kind

_LONGEST_OUTPUT = 100_000
_FOLDED_FROM = 400
MOST_TURNS = 5_000


@dataclass(frozen=True, slots=True)
class Part:
    """One thing said. `kind` is `request`, `model`, `call`, `result` or `event`; `title` heads it, `text` is its body.

    `folded` when the body is long and shown on demand; `error` names the kind of tool error that a result is.
    """

    line: int
    kind: str
    title: str
    text: str
    folded: bool
    error: str


def conversation(transcript: Transcript) -> tuple[Part, ...]:
    """The parts in order, at most `MOST_TURNS`; a last part says how many are left out, another what was unreadable."""
    parts = [part for event in transcript.events for part in _parts(event)]
    more = len(parts) - MOST_TURNS
    if more > 0:
        parts = [*parts[:MOST_TURNS], _part(0, "event", "not shown", f"{more} more parts")]
    return (*parts, *(_part(0, "event", "unreadable", problem) for problem in transcript.problems[:20]))


def _parts(event: Event) -> Iterator[Part]:
    if event.type == "run-start":
        yield _part(event.line, "request", "Request", event.text("request"))
        others = {key: value for key, value in event.data.items() if key != "request"}
        yield _part(event.line, "event", "run-start", _json(others), folded=True)
    elif event.type == "assistant":
        if event.text("text"):
            yield _part(event.line, "model", "Model", event.text("text"))
        calls = event.data.get("toolCalls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                yield _part(event.line, "call", f"calls {str(call.get('name'))[:80]}", _arguments(call.get("args")))
    elif event.type == "tool":
        result = event.text("result")
        error = tool_error_kind(result) or ""
        yield _part(event.line, "result", f"{event.text('name')[:80]} answers", result, error=error)
    else:
        yield _part(event.line, "event", event.type[:80], _json(event.data))


def _arguments(args: Any) -> str:
    if not isinstance(args, dict):
        return _json(args)
    return "\n".join(f"{key}: {value if isinstance(value, str) else _json(value)}" for key, value in args.items())


def _part(line: int, kind: str, title: str, text: str, *, folded: bool = False, error: str = "") -> Part:
    more = len(text) - _LONGEST_OUTPUT
    shown = text if more <= 0 else f"{text[:_LONGEST_OUTPUT]}\n… {more} more characters stand in transcript.jsonl"
    long = len(shown) > _FOLDED_FROM or shown.count("\n") > 8
    return Part(line, kind, title, shown, folded or (long and kind in ("result", "call", "event")), error)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return "(not shown: nested too deeply)"
