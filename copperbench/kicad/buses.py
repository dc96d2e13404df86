"""Bus names: `D[0..7]` is a vector, `USB{DP DM}` a group; what nets they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice, starmap
from typing import NamedTuple

from copperbench.kicad.text import net_name, unescape

MOST_BUS_MEMBERS = 100_000
"""Nets that all buses of a design may stand for together; a real one has some thousand."""

_MARKUP = "~_^$"
_MOST_MEMBERS = 10_000
_INDEXES = re.compile(r"\[(\d{1,9})\.\.(\d{1,9})\]")
_AFTER_INDEXES = frozenset("}~+-PN")


class Member(NamedTuple):
    """A net of a bus: `key` is its place in a vector or its own name in a group, `name` its name on the sheet."""

    key: int | str
    name: str


class Bus(NamedTuple):
    """What a bus name stands for. `vector` buses match member by place, group buses by the member's own name."""

    vector: bool
    prefix: str
    members: tuple[Member, ...]


def parse_bus(name: str, aliases: Callable[[str], tuple[str, ...] | None]) -> Bus | None:
    """The bus that a net name (in its escaped form) stands for, or None where it is an ordinary name."""
    if "[" not in name and "{" not in name:
        return None
    shown = unescape(name)
    vector = _vector(shown)
    if vector is not None:
        prefix, names = vector
        return Bus(vector=True, prefix=prefix, members=tuple(starmap(Member, enumerate(names))))
    group = _group(shown)
    if group is None:
        return None
    prefix, names = group
    dotted = f"{net_name(prefix)}." if prefix else ""
    # one more than the cap is enough for the caller to see that there are too many
    leaves = islice(_leaves(names, aliases), MOST_BUS_MEMBERS + 1)
    members = {text: Member(text, dotted + text) for text in leaves}
    return Bus(vector=False, prefix=prefix, members=tuple(members.values()))


def _leaves(names: list[str], aliases: Callable[[str], tuple[str, ...] | None]) -> Iterator[str]:
    """The nets of a group's members: aliases stand for their members, vectors for their nets."""
    waiting = [(name, 0) for name in reversed(names)]
    budget = _MOST_MEMBERS
    while waiting and budget:
        name, depth = waiting.pop()
        budget -= 1
        known = aliases(name) if depth == 0 else None
        if known is not None:
            waiting += [(member, 1) for member in reversed(known)]
            continue
        vector = _vector(name)
        inner = _group(name) if depth == 1 and vector is None else None
        if vector is not None:
            yield from vector[1]
        elif inner is not None:
            waiting += [(f"{inner[0]}.{member}" if inner[0] else member, 2) for member in reversed(inner[1])]
        else:
            yield net_name(name)


def _vector(text: str) -> tuple[str, list[str]] | None:
    """Prefix and net names of `PREFIX[m..n]`, counted upward."""
    start = text.find("[")
    match = _INDEXES.match(text, start) if start >= 0 else None
    if match is None:
        return None
    prefix, suffix = text[:start], text[match.end() :]
    if " " in prefix or "]" in prefix or not set(suffix) <= _AFTER_INDEXES:
        return None
    if not _markup_only(prefix) or prefix.count("{") != (prefix + suffix).count("}"):
        return None
    low, high = sorted((int(match[1]), int(match[2])))
    if low == high or high - low > _MOST_MEMBERS:
        return None
    return prefix, [f"{prefix}{place}{suffix}" for place in range(low, high + 1)]


def _group(text: str) -> tuple[str, list[str]] | None:
    """Prefix and member texts of `PREFIX{A B C}`; braces after markup (`~{X}`) open no group."""
    start = next((at for at, char in enumerate(text) if char == "{" and not _is_markup(text, at)), -1)
    if start < 0 or set(text[:start]) & set(" []"):
        return None
    if text[:start].count("{") != text[:start].count("}"):
        return None
    members: list[str] = []
    current, depth = "", 0
    for at in range(start + 1, len(text)):
        char = text[at]
        if char == "{":
            if not _is_markup(text, at):
                return None
            depth += 1
        elif char == "}":
            if depth == 0:
                return text[:start], [member for member in [*members, current] if member]
            depth -= 1
        if char in " ,":
            members.append(current)
            current = ""
        else:
            current += char
    return None


def _markup_only(text: str) -> bool:
    return all(_is_markup(text, at) for at, char in enumerate(text) if char == "{")


def _is_markup(text: str, at: int) -> bool:
    return at > 0 and text[at - 1] in _MARKUP
