"""Spec before edit: a proposal is written down and validated before anything can be changed."""

from __future__ import annotations

import re

from copperbench.agent.session import Session
from copperbench.agent.tools.tool import TEXT, Arguments, Tool, mangled, told
from copperbench.agent.workspace import ToolError

_FOLDER = "openspec/changes"
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 20_000


def _propose_change(session: Session, args: Arguments) -> str:
    change = args.text("id")
    if not _ID.fullmatch(change) or len(change) > 60:
        raise ToolError('arg "id" must be kebab-case, for example rename-data-net')
    why, what, tasks = (args.text(name)[:_LONGEST] for name in ("why", "what_changes", "tasks"))
    if any(map(mangled, (why, what, tasks))):
        return "rejected: the text holds U+FFFD; a special character was lost on the way, send it again"
    folder = f"{_FOLDER}/{change}"
    touched = list(session.workspace.touched)
    proposal = f"# {change}\n\nAUTO: written by an agent run, not approved by a person.\n\n## Why\n\n{why}\n\n"
    session.workspace.write(f"{folder}/proposal.md", f"{proposal}## What changes\n\n{what}\n")
    session.workspace.write(f"{folder}/tasks.md", f"# Tasks\n\n{tasks}\n")
    session.workspace.touched[:] = touched
    session.gates.proposed = change
    return f"proposal written to {folder}/: now call validate_change"


def _validate_change(session: Session, _args: Arguments) -> str:
    change = session.gates.proposed
    if change is None:
        return "no proposal yet: call propose_change first"
    missing = [
        name for name in ("proposal.md", "tasks.md") if not (session.workspace.root / _FOLDER / change / name).is_file()
    ]
    if missing:
        return f"validation FAILED: {', '.join(missing)} of {change} is gone"
    session.gates.unlocked = True
    session.note("edit-tools-unlocked", changeId=change)
    return "validation passed; edit tools are now unlocked"


TOOLS = (
    Tool(
        "propose_change",
        "Write down what you are going to change and why, before you change it.",
        _propose_change,
        {
            "id": told(TEXT, "a short kebab-case name, for example rename-data-net"),
            "why": told(TEXT, "what the change is for, and how it keeps the limits, with numbers"),
            "what_changes": told(TEXT, "every file and place that will change"),
            "tasks": told(TEXT, "a Markdown list of the steps, documents and checks included"),
        },
    ),
    Tool("validate_change", "Check the proposal; the edit tools work once it has passed.", _validate_change, {}),
)
