"""Shell completion of `copperbench-agent`, made from its own parser."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any

SHELLS = ("bash", "zsh")
_SCRIPT = """\
_copperbench_agent() {{
    local word words="{top}" choice=""
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in
{commands}        esac
    done
    case $choice in
{options}    esac
    COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _copperbench_agent copperbench-agent
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


class ShowCompletion(argparse.Action):
    """`--show-completion bash`: print the script and end; `eval "$(...)"` puts it to use."""

    def __call__(self, parser: argparse.ArgumentParser, _namespace: Any, values: Any, _option: Any = None) -> None:
        """Print the completion script for the named shell."""
        sys.stdout.write(completion_script(parser, str(values)))
        parser.exit(0)


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script that completes commands and options in `shell` (bash, or zsh through its bash compatibility)."""
    commands = _commands(parser)
    script = _SCRIPT.format(
        top=" ".join([*_options(parser), *commands]),
        commands=f"            {'|'.join(commands)}) choice=$word ;;\n",
        options="".join(f'        {name}) words="{" ".join(_options(each))}" ;;\n' for name, each in commands.items()),
    )
    return _ZSH + script if shell == "zsh" else script


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [each for action in parser._actions for each in action.option_strings]
