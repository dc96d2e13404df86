"""The command line of `copperbench-agent`: the harness contract, and the settings that ablations vary.

Exit codes are the contract's: 0, 1, and 2 for `sync` alone. With --json, stdout carries one JSON object and progress
goes to stderr; a run that cannot start leaves stdout empty and says why in one line on stderr.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from copperbench import __version__
from copperbench.agent.completion import SHELLS, ShowCompletion

HARNESS_NAME = "copperbench-agent"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    """The options, the global ones before the command."""
    top = _Parser(prog=HARNESS_NAME, description="An agent harness for any OpenAI-compatible endpoint.")
    top.add_argument("--repo", default=".", help="the project's git repository")
    top.add_argument("--json", action="store_true", help="one JSON object on stdout, progress on stderr")
    top.add_argument("--plain", action="store_true", help="plain progress (it is always plain)")
    top.add_argument("-V", "--version", action="version", version=__version__)
    top.add_argument(
        "--show-completion", action=ShowCompletion, choices=SHELLS, help="print the shell's completion script"
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    init = commands.add_parser("init", help="write design documents and config")
    init.add_argument("--path", default=".", help="the folder of the design")
    init.add_argument("--force", action="store_true", help="overwrite documents that were changed by hand")
    init.add_argument("--no-hooks", action="store_true", help="install no git hook (none ever is)")
    do = commands.add_parser("do", help="carry out a request: do 'rename net DATA to PDM_DATA' --model compat:NAME")
    do.add_argument("request")
    do.add_argument("--allow-dirty", action="store_true", help="start from an unclean tree, and commit it along")
    sync = commands.add_parser("sync", help="bring documents in line with the schematic")
    sync.add_argument("request", nargs="?", help="what to go by where they disagree (default: the schematic is right)")
    create = commands.add_parser("create", help="make a project from a brief, as far as the schematic")
    create.add_argument("--brief", required=True, help="a Markdown file")
    for command in (do, sync):
        command.add_argument("--dry-run", action="store_true", help="show what would change, and change nothing")
    for command in (do, sync, create):
        _run_options(command)
    commands.add_parser("check", aliases=["verify"], help="ERC, DRC, drift and constraints, without a model")
    return top


def _run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", help="compat:<id> at COPPERHEAD_BASE_URL, or an OpenAI model id")
    command.add_argument("--max-turns", type=_positive, help="model turns at most")
    group = command.add_argument_group("ablations and limits")
    group.add_argument("--prompt-variant", default="standard", help="standard or terse")
    group.add_argument("--tools", help="comma-separated subset of the tools (finish is always there)")
    group.add_argument("--max-repair-cycles", type=_not_negative, help="failing checks before the run ends")
    group.add_argument("--max-tokens", type=_positive, default=8192, help="completion tokens a turn (8192)")
    group.add_argument("--turn-timeout", type=_seconds, help="seconds for one reply (the config's, else 600)")
    group.add_argument("--retries", type=_not_negative, default=4, help="after 429, 5xx or no connection (4)")
    group.add_argument("--timeout-retries", type=_not_negative, default=3, help="after a reply that took too long (3)")
    group.add_argument("--retry-delay", type=_seconds, default=1.0, help="seconds before the first, doubling (1)")


def _positive(text: str) -> int:
    return _count(text, 1)


def _not_negative(text: str) -> int:
    return _count(text, 0)


def _count(text: str, least: int) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e6:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _plainly(error: Exception) -> str:
    """An error as a line for people: of a file that cannot be opened, its name and why."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that the command line names, and end the process with its exit code."""
    options = parser().parse_args(argv)
    from copperbench.agent.commands import carry_out
    from copperbench.agent.redaction import Redactor
    from copperbench.agent.stopping import Interrupted, die_of
    from copperbench.errors import CopperbenchError

    secrets = [os.environ.get(name, "") for name in ("OPENAI_API_KEY", os.environ.get("COPPERHEAD_API_KEY_ENV", "-"))]
    try:
        sys.exit(carry_out(options, os.environ))
    except (CopperbenchError, OSError) as error:
        print(f"{HARNESS_NAME}: {Redactor(secrets)(_plainly(error))}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        die_of(signal.SIGINT)
    except Interrupted as stop:
        print(f"{HARNESS_NAME}: {stop}; the project is as it was", file=sys.stderr)
        sys.stderr.flush()
        die_of(stop.number)
