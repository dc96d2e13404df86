"""The diff that a page shows: right for any two files, and short work for hostile ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from copperbench.reporting.site.textdiff import MOST_SHOWN, UNENDED, text_diff

texts = st.lists(st.sampled_from(["a", "b", "c", "", "long line"]), max_size=25).map("\n".join)


def lines_of(text: str) -> list[str]:
    ended = text.endswith("\n") or not text
    lines = text.removesuffix("\n").split("\n") if text else []
    return lines if ended else [*lines[:-1], lines[-1] + UNENDED]


@given(before=texts, after=texts)
def test_the_shown_lines_turn_one_file_into_the_other(before: str, after: str) -> None:
    old, new = lines_of(before), lines_of(after)
    lines = text_diff(before.encode(), after.encode())
    deleted = {line.before for line in lines if line.kind == "deleted"}
    added = {line.after for line in lines if line.kind == "added"}
    kept_old = [text for n, text in enumerate(old, 1) if n not in deleted]
    kept_new = [text for n, text in enumerate(new, 1) if n not in added]
    assert kept_old == kept_new


@given(before=texts, after=texts)
def test_each_line_stands_with_its_own_number(before: str, after: str) -> None:
    old, new = lines_of(before), lines_of(after)
    for line in text_diff(before.encode(), after.encode()):
        assert line.before is None or old[line.before - 1] == line.text
        assert line.after is None or new[line.after - 1] == line.text


def test_a_new_file_is_added_lines_and_nothing_else() -> None:
    assert [(line.kind, line.text) for line in text_diff(b"", b"one\ntwo\n")] == [("added", "one"), ("added", "two")]


def test_a_newline_lost_at_the_end_is_seen() -> None:
    assert [line.kind for line in text_diff(b"one\n", b"one")] == ["deleted", "added"]


def test_two_far_edits_of_a_long_file_show_as_two_hunks() -> None:
    old = [f"(pin {n % 7})" for n in range(9000)]
    new = list(old)
    new[10], new[8000] = "first", "second"
    lines = text_diff("\n".join(old).encode(), "\n".join(new).encode())
    assert [line.text for line in lines if line.kind == "added"] == ["first", "second"]
    assert len(lines) < 30


def test_a_rewritten_file_says_how_much_is_not_shown() -> None:
    lines = text_diff(b"\n".join(b"%d" % n for n in range(9000)), b"\n".join(b"x%d" % n for n in range(9000)))
    assert len(lines) == MOST_SHOWN + 1
    assert lines[-1].text.endswith("more lines are not shown")


def test_shuffled_lines_end_in_short_order() -> None:
    old = [str(n) for n in range(60_000)]
    new = old[30_000:] + old[:30_000]
    assert len(text_diff("\n".join(old).encode(), "\n".join(new).encode())) == MOST_SHOWN + 1


def test_a_binary_file_is_named_as_one() -> None:
    assert text_diff(b"a\0", b"b")[0].text == "binary: 2 bytes before, 1 after"
