"""Writing down what was decided and what limits there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from copperbench.agent.session import Session
from copperbench.agent.tools.tool import NUMBER, TEXT, TEXTS, Arguments, Tool, told
from copperbench.agent.workspace import ToolError
from copperbench.publish import json_bytes
from copperbench.scaffold import CONSTRAINTS_PATH
from copperbench.suite import parse_json


def _record_constraint(session: Session, args: Arguments) -> str:
    key, source, affects = args.text("key"), args.text("source"), args.texts("affects")
    limits: dict[str, Any] = {
        name: value for name in ("min", "max") if (value := args.optional_number(name)) is not None
    }
    if (stated := args.value("value")) is not None:
        limits["value"] = stated
    if forbidden := args.texts("forbidden"):
        limits["forbidden"] = list(forbidden)
    if not limits:
        raise ToolError("a constraint needs at least one of min, max, value, forbidden")
    entries = _entries(session)
    entries[key] = {**limits, "source": source, "affects": list(affects)}
    session.workspace.write(CONSTRAINTS_PATH, json_bytes(entries).decode("ascii"))
    for item in affects:
        session.gates.owe("affects-revisit", f"{key} affects {item}")
    return f"constraint {key} recorded; revisit obligations opened for: {', '.join(affects) or '(none)'}"


def _resolve_affected(session: Session, args: Arguments) -> str:
    key, item, resolution = args.text("constraint_key"), args.text("item"), args.text("resolution")
    if not session.gates.met("affects-revisit", f"{key} affects {item}"):
        raise ToolError(f"nothing is open for {key} affects {item}")
    session.decisions.append(f"[affects] {key} affects {item}: {resolution}")
    return f"resolved: {key} affects {item}"


def _record_decision(session: Session, args: Arguments) -> str:
    decision, rationale = _line(args.text("decision")), _line(args.text("rationale"))
    affects = args.optional_text("affects")
    path = f"{session.design.settings.docs}/DECISIONS.md"
    text = session.workspace.read(path) if session.workspace.place(path).is_file() else "# Decisions\n"
    joint = "" if text.endswith("\n") else "\n"
    tail = f" | affects: {_line(affects)}" if affects else ""
    line = f"- {datetime.now(UTC):%Y-%m-%d} [run {session.run_id}] {decision} | why: {rationale}{tail}\n"
    session.workspace.write(path, text + joint + line)
    session.decisions.append(decision)
    return "decision recorded"


def _entries(session: Session) -> dict[str, Any]:
    place = session.workspace.place(CONSTRAINTS_PATH)
    if not place.is_file():
        return {}
    found = parse_json(place.read_bytes(), CONSTRAINTS_PATH)
    if not isinstance(found, dict):
        raise ToolError(f"{CONSTRAINTS_PATH} is no object")
    return found


def _line(text: str) -> str:
    return " ".join(text.split())


_VALUE = {"type": ["string", "number"]}

TOOLS = (
    Tool(
        "record_constraint",
        "Register a limit that the design must keep, with at least one of min, max, value and forbidden.",
        _record_constraint,
        {
            "key": told(TEXT, "what the limit is called from now on, with its unit: led_current_ua"),
            "min": NUMBER,
            "max": NUMBER,
            "value": _VALUE,
            "forbidden": told(TEXTS, "names of pins that must not be used"),
            "source": told(TEXT, "who or what says so"),
            "affects": told(TEXTS, "what has to be looked at again because of it"),
        },
        optional=("min", "max", "value", "forbidden", "affects"),
        locked=True,
    ),
    Tool(
        "resolve_affected",
        "Say how something that a recorded constraint affects was dealt with.",
        _resolve_affected,
        {
            "constraint_key": told(TEXT, "the key that record_constraint was given"),
            "item": told(TEXT, "one entry of its `affects`, word for word"),
            "resolution": told(TEXT, "what was looked at and what came of it"),
        },
        locked=True,
    ),
    Tool(
        "record_decision",
        "Add a decision with its reason to DECISIONS.md.",
        _record_decision,
        {
            "decision": told(TEXT, "what was decided or found, in one sentence"),
            "rationale": told(TEXT, "why, with numbers and the keys of the limits that govern"),
            "affects": told(TEXT, "what it bears on"),
        },
        optional=("affects",),
        locked=True,
    ),
)
