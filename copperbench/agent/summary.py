"""The report of a run for people: `summary.md` beside the transcript, and the project's changelog entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from copperbench.agent.loop import Ending
from copperbench.agent.session import Session
from copperbench.agent.settings import Order
from copperbench.agent.workspace import Workspace

_OUTCOMES = {"done": "success", "refused": "aborted"}
CHANGELOG = "CHANGELOG.md"


def write_summary(
    order: Order, session: Session, ending: Ending | None, stats: Mapping[str, Any], plan: str, files: Sequence[str]
) -> str:
    """The summary's text; `ending` is None for a run that a signal ended, `files` are those it had changed."""
    outcome = "interrupted" if ending is None else _OUTCOMES.get(ending.exit_path, "failure")
    tokens = f"{_known(stats['tokensIn'])} in, {_known(stats['tokensOut'])} out"
    lines = [
        "# Run summary",
        "",
        f"- Request: {_line(order.request)}",
        f"- Outcome: {outcome}",
        f"- Change: {session.gates.proposed or 'n/a'}",
        f"- Tokens: {tokens}",
        "",
        "## Run stats",
        "",
        *(f"- {name}: {stats[name]}" for name in ("exitPath", "turnsUsed", "maxTurns", "repairCyclesUsed")),
        f"- model {stats['modelMs']} ms, KiCad {stats['kicadMs']} ms of {stats['durationMs']} ms",
        *_section("Plan", [plan] if plan else []),
        *_section("Files touched", [f"- {path}" for path in files]),
        *_section("Verification", [session.gates.verification()]),
        *_section("Decisions", [f"- {_line(text)}" for text in session.decisions]),
    ]
    if outcome not in ("success", "aborted"):
        lines += _section("Open sync obligations", [f"- {item}" for item in session.gates.open])
    if ending is not None and outcome != "success":
        lines += _section("Detail", [("REFUSED: " if outcome == "aborted" else "") + ending.text])
    return "\n".join(lines) + "\n"


def append_changelog(workspace: Workspace, docs: str, order: Order, session: Session) -> None:
    """Add the run's entry to the project's changelog, newest first, making the file where there is none.

    Raises ToolError, OSError.
    """
    path = f"{docs}/{CHANGELOG}"
    place = workspace.place(path)
    text = workspace.read(path) if place.is_file() else "# Changelog\n"
    entry = (
        f"## {datetime.now(UTC):%Y-%m-%d} — {_line(order.request)}\n\n"
        f"- Change: {session.gates.proposed or 'n/a'}\n"
        f"- Files: {', '.join(workspace.touched) or '(none)'}\n"
        f"- Verification: {session.gates.verification()}\n"
    )
    at = 0 if text.startswith("## ") else text.find("\n## ") + 1
    if at > 0 or text.startswith("## "):
        whole = f"{text[:at]}{entry}\n{text[at:]}"
    else:
        whole = f"{text.rstrip()}\n\n{entry}" if text.strip() else entry
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(whole.encode("utf-8"))


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return ["", f"## {title}", "", *(lines or ["(none)"])]


def _line(text: str) -> str:
    return " ".join(text.split())


def _known(count: int | None) -> str:
    return "unknown" if count is None else str(count)
