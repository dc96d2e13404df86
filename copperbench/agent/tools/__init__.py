"""What a model can do: one `Tool` per name, with the schema that it is offered and the function that carries it out."""

from __future__ import annotations

from copperbench.agent.session import Session
from copperbench.agent.tools import checking, editing, finishing, memory, proposing, reading
from copperbench.agent.tools.tool import Arguments, Tool
from copperbench.agent.workspace import ToolError
from copperbench.errors import CopperbenchError, HarnessUnavailable

ALL_TOOLS: tuple[Tool, ...] = (
    *reading.TOOLS,
    *proposing.TOOLS,
    *editing.TOOLS,
    *checking.TOOLS,
    *memory.TOOLS,
    *finishing.TOOLS,
)
ALWAYS = frozenset({"finish"})

__all__ = ["ALL_TOOLS", "Tool", "call", "choose_tools"]


def choose_tools(names: tuple[str, ...] | None) -> tuple[Tool, ...]:
    """The tools of a run: all, or an ablation's subset; `finish` is always there.

    Raises HarnessUnavailable for a name that is no tool.
    """
    if names is None:
        return ALL_TOOLS
    unknown = sorted(set(names) - {tool.name for tool in ALL_TOOLS})
    if unknown:
        known = ", ".join(tool.name for tool in ALL_TOOLS)
        raise HarnessUnavailable("--tools", f"there is no tool {unknown[0]!r}", f"choose from {known}")
    return tuple(tool for tool in ALL_TOOLS if tool.name in ALWAYS.union(names))


def call(tools: tuple[Tool, ...], session: Session, name: str, args: Arguments) -> str:
    """Carry out one call and return what the model reads; a call that cannot be carried out is an answer too."""
    tool = next((tool for tool in tools if tool.name == name), None)
    if tool is None:
        there = ", ".join(tool.name for tool in tools)
        return f'tool "{name}" is not available (there is no such tool in this run; there are {there})'
    if tool.locked and not session.gates.unlocked:
        return (
            f'tool "{name}" is not available (edit tools unlock after the proposal validates: call propose_change, '
            "then validate_change)"
        )
    try:
        args.demand_readable()
        return tool.function(session, args)
    except ToolError as error:
        return f"error: {name}: {error}"
    except CopperbenchError as error:
        return f"error: {name}: {session.relative(str(error))}"
    except OSError as error:
        return f"error: {name}: {error.strerror or type(error).__name__}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"error: {name}: {type(error).__name__}: {session.relative(str(error))[:300]}"
