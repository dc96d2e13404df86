"""KiCad's texts: escapes in names, text variables, natural order."""

from __future__ import annotations

import re
from collections.abc import Callable

_ESCAPED = {
    "slash": "/",
    "backslash": "\\",
    "dblquote": '"',
    "quote": "'",
    "lt": "<",
    "gt": ">",
    "bar": "|",
    "comma": ",",
    "colon": ":",
    "space": " ",
    "dollar": "$",
    "tab": "\t",
    "return": "\n",
    "brace": "{",
}
_ESCAPE = re.compile(r"(?<![$~^_])\{(" + "|".join(_ESCAPED) + r")\}")
_VARIABLE = re.compile(r"\$\{([^{}$]*)\}")
_NUMBER = re.compile(r"(\d+)")
_DEEPEST_VARIABLE = 8
_LONGEST_EXPANSION = 10_000


def unescape(text: str) -> str:
    """The text that KiCad shows for a stored name: `A{slash}B` is `A/B`; markup such as `~{RST}` stays."""
    return _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text) if "{" in text else text


def net_name(shown: str) -> str:
    """The form that a shown text takes inside a net name: `/` becomes `{slash}`, line ends go."""
    return shown.replace("/", "{slash}").replace("\n", "").replace("\r", "")


def expand(text: str, resolve: Callable[[str], str | None]) -> str:
    """Replace `${NAME}` by what `resolve` says; an unknown variable stays as it is written.

    Values may hold variables themselves; replacing stops after a few rounds or when the text grows absurd, so
    that variables that name each other end.
    """
    for _ in range(_DEEPEST_VARIABLE):
        if "${" not in text:
            break
        room = _LONGEST_EXPANSION

        def replaced(match: re.Match[str]) -> str:
            nonlocal room
            found = resolve(match[1])
            if found is None or len(found) > room:
                return match[0]
            room -= len(found)
            return found

        expanded = _VARIABLE.sub(replaced, text)
        if expanded == text:
            break
        text = expanded
    return text


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key under which `R2` comes before `R10`."""
    return tuple(
        (0, int(part[:4000]), part) if part.isascii() and part.isdigit() else (1, 0, part)
        for part in _NUMBER.split(text)
        if part
    )
