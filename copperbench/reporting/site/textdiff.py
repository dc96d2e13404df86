"""The text of a change, for reading: hunks with context, in bounded time for any two files (STANDARD 3)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

CONTEXT = 3
MOST_SHOWN = 1500
UNENDED = " (no newline at the end)"
_MOST_LINES = 400_000
_LONGEST_LINE = 600
_DEEPEST = 12
_SEARCHED = 40_000

LineKind = Literal["same", "added", "deleted", "gap"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk with its numbers in both files (from 1); a `gap` stands for lines that are left out."""

    kind: LineKind
    text: str
    before: int | None = None
    after: int | None = None


def text_diff(before: bytes, after: bytes) -> tuple[DiffLine, ...]:
    """The lines to show, at most `MOST_SHOWN`; a gap says what is not shown. Binary files give one gap."""
    if b"\0" in before[:8000] or b"\0" in after[:8000]:
        return (DiffLine("gap", f"binary: {len(before)} bytes before, {len(after)} after"),)
    old, new = _lines(before), _lines(after)
    if max(len(old), len(new)) > _MOST_LINES:
        return (DiffLine("gap", f"too long to show: {len(old)} lines before, {len(new)} after"),)
    lines = list(_hunks(old, new, _matches(old, new)))
    if len(lines) <= MOST_SHOWN:
        return tuple(lines)
    return (*lines[:MOST_SHOWN], DiffLine("gap", f"{len(lines) - MOST_SHOWN} more lines are not shown"))


def _lines(data: bytes) -> list[str]:
    """A file's lines; the last one says so where it does not end, since that is a difference that nobody sees."""
    if not data:
        return []
    lines = data.decode("utf-8", "replace").split("\n")
    if not lines[-1]:
        return lines[:-1]
    return [*lines[:-1], lines[-1] + UNENDED]


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines, ascending in both files: lines that occur once on either side anchor what lies between.

    Unlike a search for the longest common subsequence this takes about as long as the files are, whoever wrote them.
    """
    found: list[tuple[int, int]] = []
    work = [(0, len(old), 0, len(new), 0)]
    while work:
        a, a_end, b, b_end, depth = work.pop()
        while a < a_end and b < b_end and old[a] == new[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found.append((a_end, b_end))
        if a == a_end or b == b_end or depth > _DEEPEST:
            continue
        anchors = _anchors(old, new, a, a_end, b, b_end)
        if not anchors:
            found += _without_anchors(old, new, (a, a_end), (b, b_end))
            continue
        found += anchors
        edges = [(a - 1, b - 1), *anchors, (a_end, b_end)]
        for (left_a, left_b), (right_a, right_b) in pairwise(edges):
            if right_a - left_a > 1 and right_b - left_b > 1:
                work.append((left_a + 1, right_a, left_b + 1, right_b, depth + 1))
    return sorted(found)


def _anchors(old: Sequence[str], new: Sequence[str], a: int, a_end: int, b: int, b_end: int) -> list[tuple[int, int]]:
    """Lines that occur exactly once on both sides, the longest run of them that is in the same order."""
    once_old, once_new = Counter(old[a:a_end]), Counter(new[b:b_end])
    place = {new[n]: n for n in range(b, b_end) if once_new[new[n]] == 1}
    pairs = [(n, place[old[n]]) for n in range(a, a_end) if once_old[old[n]] == 1 and old[n] in place]
    tails: list[int] = []
    ends: list[int] = []
    back = [-1] * len(pairs)
    for n, (_, at) in enumerate(pairs):
        length = bisect_left(tails, at)
        back[n] = ends[length - 1] if length else -1
        tails[length : length + 1] = [at]
        ends[length : length + 1] = [n]
    chain = []
    n = ends[-1] if ends else -1
    while n >= 0:
        chain.append(pairs[n])
        n = back[n]
    return chain[::-1]


def _without_anchors(
    old: Sequence[str], new: Sequence[str], ours: tuple[int, int], theirs: tuple[int, int]
) -> list[tuple[int, int]]:
    """Matches where nothing occurs just once: by search in small stretches, by position in ones of equal length."""
    (a, a_end), (b, b_end) = ours, theirs
    if (a_end - a) * (b_end - b) <= _SEARCHED:
        matcher = SequenceMatcher(None, old[a:a_end], new[b:b_end], autojunk=False)
        blocks = matcher.get_matching_blocks()
        return [(a + block.a + n, b + block.b + n) for block in blocks for n in range(block.size)]
    if a_end - a != b_end - b:
        return []
    return [(a + n, b + n) for n in range(a_end - a) if old[a + n] == new[b + n]]


def _hunks(old: Sequence[str], new: Sequence[str], matches: Sequence[tuple[int, int]]) -> Iterator[DiffLine]:
    changed: list[tuple[int, int, int, int]] = []
    a = b = 0
    for next_a, next_b in [*matches, (len(old), len(new))]:
        if next_a > a or next_b > b:
            changed.append((a, next_a, b, next_b))
        a, b = next_a + 1, next_b + 1
    shown = 0
    for place, (a, a_end, b, b_end) in enumerate(changed):
        lead = max(shown, a - CONTEXT)
        if lead > shown:
            yield DiffLine("gap", f"{lead - shown} lines")
        for n in range(lead, a):
            yield _line("same", old[n], n, n + b - a)
        for n in range(a, a_end):
            yield _line("deleted", old[n], n, None)
        for n in range(b, b_end):
            yield _line("added", new[n], None, n)
        limit = changed[place + 1][0] if place + 1 < len(changed) else len(old)
        shown = min(a_end + CONTEXT, limit)
        for n in range(a_end, shown):
            yield _line("same", old[n], n, n + b_end - a_end)
    if changed and shown < len(old):
        yield DiffLine("gap", f"{len(old) - shown} lines")


def _line(kind: LineKind, text: str, before: int | None, after: int | None) -> DiffLine:
    short = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
    return DiffLine(kind, short, None if before is None else before + 1, None if after is None else after + 1)
