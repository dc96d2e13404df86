"""Patterns of tasks: multiline, case-sensitive, bounded in time."""

from __future__ import annotations

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import PatternTimeout, compile_pattern


def test_anchors_match_at_every_line():
    assert compile_pattern("^b$", "f").search("a\nb\nc")


def test_letters_are_case_sensitive():
    assert not compile_pattern("data", "f").search("DATA")


@pytest.mark.parametrize("text", ["(", "[", "a{2,1}", "(?P<x>", "\\", "*", "(?P=nope)", "(" * 500])
def test_what_is_no_pattern_is_refused_with_its_place(text):
    with pytest.raises(SuiteError, match=r"^tasks/x/assertions.json: \$\[0\].args.pattern: "):
        compile_pattern(text, "tasks/x/assertions.json: $[0].args.pattern")


@pytest.mark.parametrize("text", ["", "a" * 1001])
def test_a_pattern_has_a_length(text):
    with pytest.raises(SuiteError, match="a pattern has 1 to 1000 characters"):
        compile_pattern(text, "f")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 5_000 + "!"),
        ("(a|a)*[bc]$", "a" * 5_000 + "b!"),
        ("(a|aa)+$", "a" * 5_000 + "!"),
        ("(.*)*(.*)*x$", "a" * 5_000 + "x!"),
        ("a*[bc]", "a" * 2_000_000),
        ("\\s+$", " " * 2_000_000 + "x"),
    ],
)
def test_a_pattern_that_backtracks_for_ever_is_stopped_and_named(pattern, text):
    with pytest.raises(PatternTimeout, match=r"is not done after 0\.2 s"):
        compile_pattern(pattern, "f").search(text, limit_s=0.2)


def test_a_document_of_50_megabytes_is_searched():
    assert compile_pattern("^needle$", "f").search("hay\n" * 12_500_000 + "needle\n", limit_s=60)
