"""Counting changed lines: the smallest number that turns one file into the other (STANDARD 4, surgicality)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

_SNIFFED = 8000
_BLOCK = 8192
_CHUNK = 1 << 16
_FREE_STEPS = 5_000_000
_MOST_LINES = 10_000_000
_MOST_CELLS = 40_000_000_000
_L = TypeVar("_L", bytes, int)


@dataclass(frozen=True, slots=True)
class LineChange:
    """Added and deleted lines of one file, and the lines that its baseline has.

    `exact` is False only where two huge texts differ so much that the smallest difference is not worth its cost:
    the counts are then upper bounds. `binary` as git sees it: a zero byte among the first 8,000 on either side;
    such a file counts as deleted and added whole.
    """

    added: int
    deleted: int
    baseline: int
    exact: bool = True
    binary: bool = False

    @property
    def touched(self) -> int:
        """Added and deleted lines together: a rewritten line counts twice."""
        return self.added + self.deleted


def changed_lines(before: bytes, after: bytes) -> LineChange:
    """Count lines as `git diff --minimal --numstat` does (STANDARD 4, `diff_ratio_max`).

    The number is a property of the two files: the length of their longest common subsequence of lines. Plain
    `git diff` searches with heuristics and may print more on repetitive text, never less. Lines end at a line
    feed alone; a last line without one differs from the same line with one. Work is bounded for any input.
    """
    length, other = _length(before), _length(after)
    if before == after:
        return LineChange(0, 0, length)
    if b"\0" in before[:_SNIFFED] or b"\0" in after[:_SNIFFED]:
        return LineChange(other, length, length, binary=True)
    if max(length, other) > _MOST_LINES:
        return LineChange(other, length, length, exact=False)
    head, tail = _common_ends(before, after)
    ends = before.count(b"\n", 0, head) + before.count(b"\n", len(before) - tail)
    ends += tail > 0 and not before.endswith(b"\n")
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    common, exact = _common_lines(_split(old), _split(new))
    return LineChange(other - common - ends, length - common - ends, length, exact)


def _length(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _common_ends(a: bytes, b: bytes) -> tuple[int, int]:
    """How many bytes of whole lines two texts begin with in common, and end with behind those.

    An edit of a board of 20 MB leaves nearly all of it alone: that need not become a million lines first.
    """
    same = _common_bytes(a, b, min(len(a), len(b)), 1)
    head = a.rfind(b"\n", 0, same) + 1
    same = _common_bytes(a, b, min(len(a), len(b)) - head, -1)
    first = a.find(b"\n", len(a) - same)
    return head, 0 if first < 0 else len(a) - first - 1


def _common_bytes(a: bytes, b: bytes, most: int, direction: int) -> int:
    """How many bytes are the same from the start on (1) or from the end backwards (-1), of `most` at most."""
    same, step = 0, _CHUNK
    while same < most and step:
        end = min(same + step, most)
        one, other = (
            (a[same:end], b[same:end])
            if direction > 0
            else (a[len(a) - end : len(a) - same], b[len(b) - end : len(b) - same])
        )
        if one == other:
            same = end
        else:
            step //= 2
    return same


def _split(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    if last:
        lines.append(last + b"\n")  # no other line holds a line feed: unterminated differs from terminated
    return lines


def _common_lines(old: list[bytes], new: list[bytes]) -> tuple[int, bool]:
    old, new, ends = _without_common_ends(old, new)
    numbers: dict[bytes, int] = {}
    a = [numbers.setdefault(line, len(numbers)) for line in old]
    b = [numbers.setdefault(line, len(numbers)) for line in new]
    in_a, in_b = set(a), set(b)
    # A line that the other side lacks is in no common subsequence: leaving it out changes nothing.
    a, b = [line for line in a if line in in_b], [line for line in b if line in in_a]
    a, b, more = _without_common_ends(a, b)
    if not a or not b:
        return ends + more, True
    found = _longest_by_differences(a, b)
    if found is None and len(a) * len(b) <= _MOST_CELLS:
        found = _longest_by_bits(a, b)
    return ends + more + (found or 0), found is not None


def _without_common_ends(a: list[_L], b: list[_L]) -> tuple[list[_L], list[_L], int]:
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < shorter - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return a[head : len(a) - tail], b[head : len(b) - tail], head + tail


def _longest_by_differences(a: Sequence[int], b: Sequence[int]) -> int | None:
    """The longest common subsequence by growing the number of differences: quick for few (Myers 1986).

    None once the work exceeds a few passes over the texts.
    """
    n, m = len(a), len(b)
    steps = _FREE_STEPS + 4 * (n + m)
    reach = {1: 0}
    for differences in range(n + m + 1):
        first = differences if differences <= m else 2 * m - differences
        last = differences if differences <= n else 2 * n - differences
        for diagonal in range(-first, last + 1, 2):
            left, right = reach.get(diagonal - 1, -1), reach.get(diagonal + 1, -1)
            x = start = right if left < right else left + 1
            y = x - diagonal
            while x < n and y < m and a[x] == b[y]:
                x += 1
                y += 1
            reach[diagonal] = x
            steps -= 1 + x - start
            if x >= n and y >= m:
                return (n + m - differences) // 2
        if steps < 0:
            return None
    raise AssertionError("deleting all of one text and adding all of the other always turns it into the other")


def _longest_by_bits(a: Sequence[int], b: Sequence[int]) -> int:
    """The same length by bit-parallel rows (Hyyro 2004), `_BLOCK` columns at a time: cost does not depend on texts."""
    carries = bytearray(len(b))
    common = 0
    for start in range(0, len(a), _BLOCK):
        columns = a[start : start + _BLOCK]
        width = len(columns)
        full = (1 << width) - 1
        matches: dict[int, int] = {}
        for column, line in enumerate(columns):
            matches[line] = matches.get(line, 0) | 1 << column
        row = full
        for place, line in enumerate(b):
            match = matches.get(line, 0)
            if match or carries[place]:
                total = row + (row & match) + carries[place]
                carries[place] = total >> width
                row = (total | (row & ~match)) & full
        common += width - row.bit_count()
    return common
