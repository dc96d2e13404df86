"""The command line: one thin verb per capability, which the workflow's rules call (STANDARD 14).

A verb lives in the module of its name and is loaded when it is called, so that each starts quickly. This
module alone turns errors into one line on stderr and an exit code: 0 ok, 1 a finding, 2 bad usage or
unreadable input, 3 an outside program missing where it is the verb's whole point.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command as build_command

from copperbench import __version__
from copperbench.errors import CopperbenchError

VERBS: dict[str, str] = {
    "hash": "copperbench.cli.hash",
    "validate": "copperbench.cli.validate",
    "fixture": "copperbench.cli.fixture",
    "baseline": "copperbench.cli.baseline",
    "symbols": "copperbench.cli.symbols",
    "netlist": "copperbench.cli.netlist",
    "drift": "copperbench.cli.drift",
    "check": "copperbench.cli.check",
    "sandbox": "copperbench.cli.sandbox",
    "plan": "copperbench.cli.plan",
    "run": "copperbench.cli.run",
    "score": "copperbench.cli.score",
    "unseal": "copperbench.cli.unseal",
    "aggregate": "copperbench.cli.aggregate",
    "leaderboard": "copperbench.cli.leaderboard",
    "reproduce": "copperbench.cli.reproduce",
    "discriminate": "copperbench.cli.discriminate",
    "profile": "copperbench.cli.profile",
    "task": "copperbench.cli.task",
    "variant": "copperbench.cli.variant",
    "compare": "copperbench.cli.compare",
    "export": "copperbench.cli.export",
    "plots": "copperbench.cli.plots",
    "site": "copperbench.cli.site",
    "rubric": "copperbench.cli.rubric",
    "paper": "copperbench.cli.paper",
    "redo": "copperbench.cli.redo",
    "standard": "copperbench.cli.standard",
    "du": "copperbench.cli.du",
    "gc": "copperbench.cli.gc",
    "doctor": "copperbench.cli.doctor",
}
"""Every verb and the module that holds it: `command` (one function) or `app` (a verb with sub-verbs)."""

_INTERRUPTED = "copperbench: interrupted; nothing half-written is left, repeat the command to go on"


class Verbs(TyperGroup):
    """The group of verbs; a verb's module is imported when the verb is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs in the order of the table above."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb as a command, or None where there is none of that name."""
        if cmd_name not in VERBS:
            return None
        module = import_module(VERBS[cmd_name])
        if hasattr(module, "app"):
            return build_command(module.app)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name, no_args_is_help=False)(module.command)
        command = build_command(single)
        command.name = cmd_name
        return command

    def invoke(self, ctx: Any) -> Any:
        """Run the verb; the command-line library has ways of its own with an interrupt and a reader that went away."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print(_INTERRUPTED, file=sys.stderr)
            raise typer.Exit(130) from None
        except BrokenPipeError:  # stdout must not complain again at interpreter exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None


app = typer.Typer(
    cls=Verbs,
    name="copperbench",
    help="Can a language-model agent edit real KiCad hardware projects? Offline, deterministic grading.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    pass


def main() -> None:
    """Run the verb that the command line names; the process ends with the exit code of STANDARD 14."""
    # The library would guess the shell from the processes above, and fall over where there is none: it is named.
    os.environ.setdefault("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    try:
        app(prog_name="copperbench")
    except CopperbenchError as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
