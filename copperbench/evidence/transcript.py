"""The transcript as evidence: what the harness wrote down while it ran, read without trust (STANDARD 3)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

EXIT_PATHS = (
    "done",
    "refused",
    "turn-budget-exhausted",
    "repair-cycles-exhausted",
    "commit-failed",
    "provider-error",
    "session-limit",
    "stalled",
)
"""How a harness says that a run ended; the runner adds `cap-exceeded`, `no-run-end`, `tampered` (STANDARD 4)."""

ToolErrorKind = Literal["protocol", "reverted", "gate"]

LONGEST_LINE = 32 * 1024 * 1024
"""Bytes; a longer line is noted as a problem and not parsed."""

MOST_EVENTS = 200_000
"""Lines; a run of a thousand turns has some ten thousand. What is longer was blown up, and its end is not believed."""

_LINE = re.compile(rb"[^\n]+")
_TURNED_DOWN = "cannot finish yet:"
_TOOL_ERRORS: tuple[tuple[re.Pattern[str], ToolErrorKind], ...] = (
    (re.compile(r"edit REVERTED: "), "reverted"),
    (re.compile(re.escape(_TURNED_DOWN)), "gate"),
    (re.compile(r"error: |rejected: |refused: "), "protocol"),
    (re.compile(r'tool "[^"\n]{0,200}" is not available'), "protocol"),
    (re.compile(r"validation FAILED:|no proposal yet:|intent_json is not valid JSON"), "protocol"),
)
_FAILED_CHECK = re.compile(r"(?:ERC|DRC): [1-9]\d* violation")
_FIGURES = (
    "turnsUsed",
    "maxTurns",
    "repairCyclesUsed",
    "maxRepairCycles",
    "tokensIn",
    "tokensOut",
    "tokensCached",
    "tokensCacheWrite",
)
_GOES_ON = frozenset({"run-start", "deferred-affects-reopened", "assistant", "tool"})


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the transcript: its number in the file (from 1), its type and its data."""

    line: int
    type: str
    data: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A field of the data as text; empty where it is absent or no text."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class FinishAttempt:
    """One call of the finish tool; `turned_down` when the harness's own gate refused it."""

    outcome: str
    summary: str
    turned_down: bool


@dataclass(frozen=True, slots=True)
class RunStats:
    """The figures of a run as its transcript gives them; None where it does not (STANDARD 12).

    Sums over the stages of a `create` run. Without a run-end, turns are counted from the assistant's events and
    repair cycles from failing ERC and DRC results; tokens are then unknown. Cached tokens, read from the cache or
    written to it, are a part of `tokens_in`; None where the provider does not tell them apart.
    """

    turns_used: int | None
    max_turns: int | None
    repair_cycles_used: int | None
    max_repair_cycles: int | None
    tokens_in: int | None
    tokens_out: int | None
    tokens_cached: int | None = None
    tokens_cache_write: int | None = None


@dataclass(frozen=True)
class Transcript:
    """All events of a run in order, and `problems`: what in the file could not be read, one line each.

    `raw` are the bytes of the file, for the scan for credentials.
    """

    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()
    raw: bytes = field(default=b"", repr=False)

    def of_type(self, kind: str) -> tuple[Event, ...]:
        """The events of one type, in order."""
        return tuple(event for event in self.events if event.type == kind)

    @cached_property
    def exit_path(self) -> str | None:
        """What the last run-end says, or None where there is none or the run went on after it (STANDARD 4).

        A run that ended twice is not believed either: a harness writes one end, so another hand wrote the other. A
        word outside the closed list of exit paths is no ending.
        """
        starts = [place for place, event in enumerate(self.events) if event.type == "run-start"]
        last = self.events[starts[-1] if starts else 0 :]
        ends = [place for place, event in enumerate(last) if event.type == "run-end"]
        if len(ends) != 1 or any(event.type in _GOES_ON for event in last[ends[0] + 1 :]):
            return None
        path = last[ends[0]].text("exitPath")
        return path if path in EXIT_PATHS else None

    @cached_property
    def finish_attempts(self) -> tuple[FinishAttempt, ...]:
        """Every executed call of the finish tool, in order."""
        return tuple(
            FinishAttempt(
                _text(_arguments(event).get("outcome")),
                _text(_arguments(event).get("summary")),
                event.text("result").startswith(_TURNED_DOWN),
            )
            for event in self.of_type("tool")
            if event.data.get("name") == "finish"
        )

    @cached_property
    def model_refusal(self) -> str:
        """The model's own words of refusal: its last refusing finish call and what the harness kept of it.

        Never what a tool answered: a model that merely read the budget has not cited it (STANDARD 4).
        """
        refusals = [attempt.summary for attempt in self.finish_attempts if attempt.outcome == "refuse"]
        kept = [event.text("summary") for event in self.of_type("run-refused")]
        return "\n".join(dict.fromkeys(filter(None, refusals[-1:] + kept[-1:])))

    @cached_property
    def tool_calls(self) -> int:
        """How many tool calls were executed."""
        return len(self.of_type("tool"))

    @cached_property
    def tool_errors(self) -> Mapping[ToolErrorKind, int]:
        """Tool errors by kind: `protocol` (bad call), `reverted` (edit undone), `gate` (finish turned down)."""
        return Counter(kind for event in self.of_type("tool") if (kind := tool_error_kind(event.text("result"))))

    @cached_property
    def dominant_tool_error(self) -> ToolErrorKind | None:
        """The kind with at least 3 errors and more than half of the run's tool calls, if any (STANDARD 9)."""
        for kind, count in self.tool_errors.items():
            if count >= 3 and 2 * count > self.tool_calls:
                return kind
        return None

    @cached_property
    def finish_was_turned_down(self) -> bool:
        """Whether the harness's gate turned down the last attempt to finish (STANDARD 9, obligation-open)."""
        return bool(self.finish_attempts) and self.finish_attempts[-1].turned_down

    @cached_property
    def stats(self) -> RunStats:
        """The figures that a record publishes."""
        ends, starts = self.of_type("run-end"), self.of_type("run-start")
        if ends and len(ends) >= len(starts):
            return RunStats(*(_total(event.data.get(name) for event in ends) for name in _FIGURES))
        configs = [_mapping(event.data.get("config")) for event in starts]
        return RunStats(
            len(self.of_type("assistant")),
            _total(config.get("maxTurns") for config in configs),
            self._failed_checks(),
            _total(config.get("maxRepairCycles") for config in configs),
            None,
            None,
        )

    def _failed_checks(self) -> int:
        checks = (event for event in self.of_type("tool") if event.data.get("name") in ("run_erc", "run_drc"))
        return sum(1 for event in checks if _FAILED_CHECK.match(event.text("result")))


def read_transcript(data: bytes) -> Transcript:
    """Read `transcript.jsonl`; anything that is no event becomes a problem and never an error (STANDARD 3)."""
    events: list[Event] = []
    problems: list[str] = []
    number, read = 1, 0
    for match in _LINE.finditer(data):
        number += data.count(b"\n", read, match.start())
        read = match.start()
        if len(events) + len(problems) >= MOST_EVENTS:
            problems.append(f"transcript.jsonl:{number}: more than {MOST_EVENTS} lines; the rest was not read")
            break
        line = match.group()
        if not line.strip():
            continue
        event = _event(number, line)
        if isinstance(event, Event):
            events.append(event)
        else:
            problems.append(f"transcript.jsonl:{number}: {event}")
    return Transcript(tuple(events), tuple(problems), data)


def tool_error_kind(result: str) -> ToolErrorKind | None:
    """Classify a tool result by how the harness words its errors; None for a result that is no error."""
    for prefix, kind in _TOOL_ERRORS:
        if prefix.match(result):
            return kind
    return None


def _event(number: int, line: bytes) -> Event | str:
    if len(line) > LONGEST_LINE:
        return f"a line of {len(line)} bytes"
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "not UTF-8"
    except (ValueError, RecursionError):
        return "not JSON (cut short or damaged)"
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return "not an event: an object with a type"
    data = value.get("data", {})
    if not isinstance(data, dict):
        return f"event {value['type'][:40]!r} has data that is no object"
    return Event(number, value["type"], data)


def _arguments(event: Event) -> Mapping[str, Any]:
    return _mapping(event.data.get("args"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _total(values: Iterable[object]) -> int | None:
    """The sum of counts, or None where one of them is no plain whole number that is not negative."""
    counts = list(values)
    whole = [value for value in counts if isinstance(value, int) and not isinstance(value, bool) and value >= 0]
    return sum(whole) if whole and len(whole) == len(counts) else None
