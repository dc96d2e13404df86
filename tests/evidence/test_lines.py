"""Changed lines are a property of two texts, equal to what git finds when it is told to look closely."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.evidence import LineChange, changed_lines, lines

_TEXTS = st.builds(
    lambda rows, last: b"".join(row + b"\n" for row in rows) + last,
    st.lists(st.sampled_from([b"a", b"b", b"c", b"", b"\r", b"(wire)", b"\t(x 1)"]), max_size=40),
    st.sampled_from([b"", b"a", b"end"]),
)


_ROWS = st.lists(st.sampled_from([b"(wire)", b"\t(x 1)", b"", b"a b", b"\0", b"\xff\xfe", b"\x0c"]), max_size=30)
_ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])


@st.composite
def _edited(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A text and an edit of it: lines replaced, removed, added; ends of line flipped; the last one taken away."""
    rows = draw(_ROWS)
    after = list(rows)
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(after)))
        after[place : place + draw(st.integers(0, 2))] = draw(
            st.lists(st.sampled_from([b"new", b"(wire)"]), max_size=2)
        )
    texts = [draw(_ENDS).join(each) + draw(st.sampled_from([b"", b"\n", b"\r\n"])) for each in (rows, after)]
    return texts[0], texts[1]


def numstat(folder: Path, before: bytes, after: bytes, *options: str) -> tuple[int, int]:
    (folder / "before").write_bytes(before)
    (folder / "after").write_bytes(after)
    command = ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--no-renames", "--numstat", *options]
    done = subprocess.run([*command, "before", "after"], cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout:
        return 0, 0
    added, deleted, _ = done.stdout.split("\t")
    return int(added), int(deleted)


def plain_common(a: list[bytes], b: list[bytes]) -> int:
    row = [0] * (len(b) + 1)
    for left in a:
        before = 0
        for place, right in enumerate(b, start=1):
            above = row[place]
            row[place] = before + 1 if left == right else max(above, row[place - 1])
            before = above
    return row[-1]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=_TEXTS, after=_TEXTS)
def test_counts_equal_git_with_a_minimal_diff(tmp_path: Path, before: bytes, after: bytes) -> None:
    change = changed_lines(before, after)
    assert (change.added, change.deleted) == numstat(tmp_path, before, after, "--minimal")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=_edited())
def test_an_edit_counts_as_git_counts_it_whatever_the_line_ends_and_bytes(
    tmp_path: Path, texts: tuple[bytes, bytes]
) -> None:
    before, after = texts
    change = changed_lines(before, after)
    said = () if before == after else ("binary",) if change.binary else (change.added, change.deleted)
    (tmp_path / "before").write_bytes(before)
    (tmp_path / "after").write_bytes(after)
    command = ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--minimal", "--numstat", "before", "after"]
    counts = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout.split()[:2]
    assert said == (() if not counts else ("binary",) if "-" in counts else tuple(map(int, counts)))


def test_an_ordinary_edit_of_a_schematic_counts_as_plain_git_counts_it(tmp_path: Path, root: Path) -> None:
    before = (root / "fixtures/copperbench-ldo-sensor/tree/copperbench-ldo-sensor.kicad_sch").read_bytes()
    after = before.replace(b'(label "SDA"', b'(label "I2C_SDA"').replace(b"\t\t(at", b"\t\t(at ", 3)
    change = changed_lines(before, after)
    assert (change.added, change.deleted) == numstat(tmp_path, before, after)


@given(
    a=st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=40),
    b=st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=40),
    block=st.sampled_from([1, 2, 7, 64]),
)
def test_the_search_by_bits_finds_the_longest_common_subsequence(a: list[int], b: list[int], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        expected = plain_common([str(x).encode() for x in a], [str(x).encode() for x in b])
        assert lines._longest_by_bits(a, b) == expected


def test_both_searches_agree_on_a_long_shuffled_text() -> None:
    a = [place * 7919 % 1009 for place in range(1000)]
    b = [place * 104729 % 1009 for place in range(1000)]
    assert lines._longest_by_bits(a, b) == lines._longest_by_differences(a, b)


def test_a_file_rewritten_with_other_white_space_counts_whole() -> None:
    before = b"".join(b"\t(pin %d)\n" % number for number in range(85_000))
    change = changed_lines(before, before.replace(b"\t", b"  "))
    assert change == LineChange(85_000, 85_000, 85_000)


def test_a_shuffled_file_of_85000_lines_is_still_counted_exactly() -> None:
    rows = [b"%d\n" % (number * 7919 % 85_009) for number in range(85_000)]
    change = changed_lines(b"".join(sorted(rows)), b"".join(rows))
    assert change.exact
    assert change.added == change.deleted > 0


def test_two_monsters_are_bounded_from_above_and_not_compared_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_FREE_STEPS", 0)
    monkeypatch.setattr(lines, "_MOST_CELLS", 0)
    before = b"".join(b"%d\n" % (number % 50) for number in range(3000))
    after = b"".join(b"%d\n" % (number * 7 % 50) for number in range(3000))
    change = changed_lines(before, after)
    assert not change.exact
    assert change.touched > 3000


def test_a_file_of_more_lines_than_any_board_has_is_not_compared() -> None:
    assert changed_lines(b"a\n", b"\n" * 10_000_001) == LineChange(10_000_001, 1, 1, exact=False)


def test_a_missing_last_line_end_is_a_changed_line() -> None:
    assert changed_lines(b"a\nb\n", b"a\nb") == LineChange(1, 1, 2)


def test_a_zero_byte_makes_a_file_binary() -> None:
    assert changed_lines(b"a\nb\n", b"a\0\nb\n").binary


def test_an_unchanged_binary_file_has_no_changed_line() -> None:
    assert changed_lines(b"\0a\n", b"\0a\n").touched == 0
