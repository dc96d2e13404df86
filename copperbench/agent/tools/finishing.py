"""Ending a run: done, once everything is verified, or refused."""

from __future__ import annotations

from copperbench.agent.session import Finish, Session
from copperbench.agent.tools.tool import TEXT, Arguments, Tool, told
from copperbench.agent.workspace import ToolError

_OUTCOMES = ("done", "refuse")


def _finish(session: Session, args: Arguments) -> str:
    outcome, summary = args.text("outcome"), args.text("summary")
    if outcome not in _OUTCOMES:
        raise ToolError('arg "outcome" must be "done" or "refuse"')
    if outcome == "done" and (blockers := session.gates.blockers()):
        return blockers
    session.finish = Finish(outcome, summary)
    return "all gates satisfied; run will commit" if outcome == "done" else "refusal recorded; run will end"


TOOLS = (
    Tool(
        "finish",
        'End the run. Outcome "done" commits your changes, once they are verified; "refuse" undoes them all. The '
        "summary of a refusal names the budget or constraint by its key, the file that states it, and the arithmetic.",
        _finish,
        {
            "outcome": {"type": "string", "enum": list(_OUTCOMES)},
            "summary": told(TEXT, "what was changed, or why nothing can be"),
        },
    ),
)
