"""Small s-expression files through sexpdata, its typing of atoms turned off and its errors made ours."""

from __future__ import annotations

import re
from typing import Any, cast

import sexpdata

from copperbench.kicad.sexpr import (
    BARE,
    CLOSE,
    OPEN,
    PLAIN,
    STARTED,
    STARTED_WITH_TEXT,
    TEXT,
    UNENDED,
    Node,
    fault_at,
    token_start,
    without_comments,
)

_LARGEST = 16 * 1024 * 1024
_DEEPEST = 100
_QUOTE_OR_STRING = re.compile(r"'|\"[^\"\\]*+(?>(?:\\.[^\"\\]*+)*)\"", re.DOTALL)
_QUOTE = "\ue000"


class _Plain(sexpdata.Parser):  # type: ignore[misc]
    """sexpdata's parser with round brackets only, no comments, and every atom left as text."""

    def __init__(self, text: str) -> None:
        super().__init__(text, nil=None, true=None, line_comment="\0")
        self.brackets = {"(": ")"}
        self.closing_brackets = {")"}
        self.atom_end = set('()" \t\r\n\0')
        self.atom_end_or_escape_re = re.compile(r'[()"\s]')

    def atom(self, token: str) -> Any:
        """The token itself: numbers, `t` and `nil` are names in KiCad's files."""
        return token.replace(_QUOTE, "'")


def read(text: str, name: str) -> Node:
    """Read the lists of a small file: the list itself where there is one, else a list of them.

    Raises KicadFileError with line and column for unbalanced brackets, an unended string, or more than 100 levels.
    """
    if len(text) > _LARGEST:
        raise fault_at(name, text, 0, "larger than 16 MiB")
    text = without_comments(text)
    _check(text, name)
    try:
        tops = cast(Node, _Plain(_QUOTE_OR_STRING.sub(_hidden, text)).parse())
    except (AssertionError, AttributeError, IndexError, ValueError, sexpdata.ExpectSExp) as error:
        raise fault_at(name, text, 0, f"cannot be read ({type(error).__name__})") from None
    only = tops[0] if len(tops) == 1 else tops
    return only if isinstance(only, list) else tops


def _hidden(match: re.Match[str]) -> str:
    """A quote outside of strings, which sexpdata would take for Lisp's, as another character."""
    return _QUOTE if match[0] == "'" else match[0]


def _check(text: str, name: str) -> None:
    depth = 0
    for match in PLAIN.finditer(text):
        kind = match.lastindex
        if kind in (OPEN, STARTED, STARTED_WITH_TEXT):
            depth += 1
        elif kind == CLOSE:
            depth -= 1
        if depth < 0:
            raise fault_at(name, text, token_start(match), "a closing bracket that closes nothing")
        if depth > _DEEPEST:
            raise fault_at(name, text, token_start(match), f"lists are nested more than {_DEEPEST} deep")
        if kind == UNENDED:
            raise fault_at(name, text, token_start(match), "a string that does not end")
        if depth == 0 and kind in (BARE, TEXT):
            raise fault_at(name, text, token_start(match), "text outside of any list")
    if depth:
        raise fault_at(name, text, len(text), f"the file ends inside {depth} open list(s)")
