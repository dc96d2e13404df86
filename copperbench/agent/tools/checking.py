"""Verifying: ERC, DRC and drift, each beyond what stood before the run."""

from __future__ import annotations

from typing import Literal

from copperbench.agent.session import Session
from copperbench.agent.tools.tool import Arguments, Tool

_MOST_MISMATCHES = 60


def _run_erc(session: Session, _args: Arguments) -> str:
    return _run(session, "erc")


def _run_drc(session: Session, _args: Arguments) -> str:
    return _run(session, "drc")


def _run(session: Session, kind: Literal["erc", "drc"]) -> str:
    if session.checks.cli is None:
        return f"{kind.upper()}: not run, there is no kicad-cli on this machine; finish does not ask for it"
    found = session.checks.run(kind)
    session.gates.checked(kind, passed=found.passed)
    return found.text


def _check_drift(session: Session, _args: Arguments) -> str:
    configured = session.design.settings.schematic
    if configured is None or (configured not in session.design.start.files and not session.design.has_schematic):
        session.gates.met("drift")
        return "no schematic configured; drift vacuously clean"
    found = session.design.drift()
    standing = session.design.standing_drift() if session.command == "do" else frozenset()
    new = [mismatch for mismatch in found if mismatch.key not in standing]
    if new:
        lines = [str(mismatch) for mismatch in new[:_MOST_MISMATCHES]]
        left = len(new) - _MOST_MISMATCHES
        return "\n".join([*lines, *([f"... and {left} more"] if left > 0 else [])])
    session.gates.met("drift")
    note = f" ({len(found)} mismatch(es) from before this run, which are not yours)" if found else ""
    return f"drift: clean{note}"


TOOLS = (
    Tool(
        "run_erc",
        "Run KiCad's electrical rules check on the schematic. It passes when there is no error that was not there "
        "before your changes.",
        _run_erc,
        {},
    ),
    Tool(
        "run_drc",
        "Run KiCad's design rules check on the board, with parity against the schematic. It passes when there is no "
        "error that was not there before your changes.",
        _run_drc,
        {},
    ),
    Tool(
        "check_drift",
        "Compare BOM.md and PINOUT.md with the schematic; lists what disagrees.",
        _check_drift,
        {},
    ),
)
