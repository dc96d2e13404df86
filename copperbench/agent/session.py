"""What the tools of one run share: files, design, checks, gates, and what was decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from copperbench.agent.checks import Checks
from copperbench.agent.design import Design
from copperbench.agent.gates import Gates
from copperbench.agent.settings import Command
from copperbench.agent.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Finish:
    """The model's accepted wish to end the run: `done` or `refuse`, and its own summary."""

    outcome: str
    summary: str


@dataclass(slots=True)
class Session:
    """The state of one run between its turns; `note` writes an event into the transcript."""

    command: Command
    run_id: str
    workspace: Workspace
    design: Design
    checks: Checks
    gates: Gates
    note: Callable[..., None]
    decisions: list[str] = field(default_factory=list)
    finish: Finish | None = None

    def edited(self, path: str) -> None:
        """A file was changed by a tool: what has to be verified again is opened."""
        self.gates.edited(path)
        if self.checks.cli is None:
            for kind in ("erc", "drc"):
                self.gates.met(kind)

    def relative(self, text: str) -> str:
        """A message without the place of the project on this machine."""
        root = str(self.workspace.root)
        return text.replace(f"{root}/", "").replace(root, ".")
