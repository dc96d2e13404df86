"""The globs of files_touched_subset: what an author writes is what an agent may touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.grading import glob_match


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/*.md", "docs/BOM.md"),
        ("docs/**", "docs/a/b/c.md"),
        (".copperhead/**", ".copperhead/constraints.json"),
        ("openspec/changes/**", "openspec/changes/x/proposal.md"),
        ("**/*.md", "README.md"),
        ("**/*.md", "a/b/README.md"),
        ("a/**/z", "a/z"),
        ("a/**/z", "a/b/c/z"),
        ("hardware/?.kicad_sch", "hardware/x.kicad_sch"),
        ("[id].md", "[id].md"),
        ("**", "any/thing"),
    ],
)
def test_a_path_inside_the_pattern_is_allowed(pattern: str, path: str) -> None:
    assert glob_match(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("docs/*.md", "docs/sub/BOM.md"),
        ("docs/*.md", "docs/evil.md/payload.bin"),
        ("docs", "docs/BOM.md"),
        ("README.md", "docs/README.md"),
        ("docs/**", "docs"),
        ("docs/**", "docsx/a"),
        ("a/**/z", "a/bz"),
        ("*.md", "a/x.md"),
        ("?.md", "/.md"),
        ("[ab].md", "a.md"),
        ("docs/BOM.md", "docs/BOM.md\n"),
        ("docs/BOM.md", "docs/bom.md"),
    ],
)
def test_a_path_outside_the_pattern_is_not(pattern: str, path: str) -> None:
    assert not glob_match(pattern, path)


def test_many_stars_on_a_long_hostile_path_end_at_once() -> None:
    assert not glob_match("*a" * 60 + "b", "a" * 4000)


@given(st.text(alphabet="ab/.[]", max_size=12))
def test_a_pattern_without_stars_matches_itself_alone(path: str) -> None:
    assert glob_match(path, path)
    assert not glob_match(path, path + "x")
