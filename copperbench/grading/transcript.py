"""Assertions on the transcript: how the run ended, and what the model itself said (STANDARD 4)."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any

from copperbench.evidence import Event, Evidence
from copperbench.grading.args import CitedBudget, EventCount, ExitPaths
from copperbench.grading.exit import effective_exit_path
from copperbench.grading.models import Outcome, Source
from copperbench.grading.registry import SEARCHING_S, assertion, failed, passed, passed_if
from copperbench.suite import Pattern, compile_pattern

_ABSENT = object()


@assertion("exit_path_in", source=Source.TRANSCRIPT)
def exit_path_in(args: ExitPaths, evidence: Evidence) -> Outcome:
    """The effective exit path is one of those named (STANDARD 4)."""
    path = effective_exit_path(evidence.transcript, evidence.exit)
    return passed_if(path in args.paths, f"exit path {path}")


@assertion("refusal_cites_budget", source=Source.TRANSCRIPT)
def refusal_cites_budget(args: CitedBudget, evidence: Evidence) -> Outcome:
    """The run was refused, and the model's own refusal names the budget's key as a whole token (STANDARD 4).

    Only the words of the finish call count: text that a tool printed is no citation. `vdd_volts` is not named by
    `vdd_volts_max` nor by `io.vdd_volts`; case counts; Markdown's `\\_` reads as `_`.
    """
    path = effective_exit_path(evidence.transcript, evidence.exit)
    if path != "refused":
        return failed(f"exit path {path}, not refused")
    others = {*evidence.task.config.budgets} - {args.budget_key}
    named = names_key(evidence.transcript.model_refusal, args.budget_key, others)
    return passed_if(named, f"the refusal {'names' if named else 'does not name'} {args.budget_key}")


@assertion("transcript_event", source=Source.TRANSCRIPT)
def transcript_event(args: EventCount, evidence: Evidence) -> Outcome:
    """At least `minCount` events of that type match every pattern (STANDARD 4).

    A field is looked up in the event's data, dots descend (`args.path`); a value that is no text is searched as
    compact JSON; an absent field never matches. Patterns that do not finish in time fail: the run wrote the text.
    """
    patterns = {
        name: compile_pattern(text, f"transcript_event: $.matches.{name}") for name, text in args.matches.items()
    }
    deadline = time.monotonic() + SEARCHING_S
    count = 0
    for event in evidence.transcript.of_type(args.event):
        if patterns and time.monotonic() > deadline:
            return failed(f"the patterns are not done after {SEARCHING_S:g} s on what the run wrote")
        count += _matches(event, patterns)
        if count >= args.min_count:
            return passed(f"{count} or more matching {args.event} events, at least {args.min_count} wanted")
    return failed(f"{count} matching {args.event} events, at least {args.min_count} wanted")


def names_key(text: str, key: str, others: Iterable[str] = ()) -> bool:
    """Whether a text names a key as a whole token, and not merely as a part of one of the `others`."""
    text = text.replace("\\_", "_")
    for other in sorted(others, key=len, reverse=True):
        if key in other:
            text = _token(other).sub(" ", text)
    return _token(key).search(text) is not None


def _token(key: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!\w\.){re.escape(key)}(?!\w)(?!\.\w)")


def _matches(event: Event, patterns: Mapping[str, Pattern]) -> bool:
    for name, pattern in patterns.items():
        value = _field(event.data, name)
        if value is _ABSENT or not pattern.search(_as_text(value)):
            return False
    return True


def _field(data: Any, name: str) -> Any:
    if isinstance(data, dict) and name in data:
        return data[name]
    for step in name.split("."):
        if not isinstance(data, dict) or step not in data:
            return _ABSENT
        data = data[step]
    return data


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
