"""What the model is told: the system prompt with the project's limits and documents, the request, the nudges."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from copperbench.agent.design import Design
from copperbench.agent.provider import Message
from copperbench.errors import CopperbenchError, HarnessUnavailable
from copperbench.scaffold import CONSTRAINTS_PATH

SYSTEM_VARIANTS = ("standard", "terse")
_MOST_DOCUMENT = 120_000
TURNS_LEFT_WARNING = 5
HURRY = (
    f"{TURNS_LEFT_WARNING} turns are left. Converge: verify what is there, then finish with done, "
    "or with refuse if the request cannot be met."
)
GO_ON = "Nothing was carried out: a turn without a tool call changes nothing. Call a tool, or call finish."
CUT_OFF = "Your last answer was cut off at the token limit. Take a smaller step, as a tool call."


def prompt(name: str, **values: str) -> str:
    """A packaged prompt with its values filled in. Raises HarnessUnavailable for a name that there is none of."""
    place = files("copperbench.agent").joinpath("prompts", f"{name}.md")
    try:
        text = place.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        known = ", ".join(SYSTEM_VARIANTS)
        raise HarnessUnavailable("--prompt-variant", f"there is no {name!r}", f"choose from {known}") from error
    return Template(text).safe_substitute(values)


def opening(design: Design, variant: str, task: str) -> list[Message]:
    """The messages that a run starts with. Raises HarnessUnavailable for an unknown variant."""
    if variant not in SYSTEM_VARIANTS:
        raise HarnessUnavailable(
            "--prompt-variant", f"there is no {variant!r}", f"choose from {', '.join(SYSTEM_VARIANTS)}"
        )
    settings = design.settings
    system = prompt(
        variant,
        schematic=settings.schematic or "none yet",
        board=settings.board or "none yet",
        budgets="\n".join(f"- {name}: {value:g}" for name, value in settings.budgets.items()) or "none",
        constraints=_constraints(design),
        documents=_documents(design),
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": task}]


def _constraints(design: Design) -> str:
    place = design.workspace.root / CONSTRAINTS_PATH
    if not place.is_file():
        return "none"
    try:
        design.constraints()
    except CopperbenchError as error:
        return f"unreadable: {error.what}"
    return place.read_text("utf-8", "replace").strip()[:_MOST_DOCUMENT]


def _documents(design: Design) -> str:
    parts = []
    for path, text in design.workspace.documents(design.settings.docs).items():
        whole = text if len(text) <= _MOST_DOCUMENT else text[:_MOST_DOCUMENT] + "\n[cut; use read_file for the rest]\n"
        parts.append(f"=== {path}\n{whole.rstrip()}\n")
    return "\n".join(parts) or "none yet"
