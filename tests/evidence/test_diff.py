"""The two trees and what lies between them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copperbench.evidence import Diff, FolderTree, tree_digest
from copperbench.sandbox import FileState, Seal

_STATES = st.builds(
    FileState,
    st.text(alphabet="ab/", min_size=1, max_size=4),
    st.sampled_from(["file", "symlink"]),
    st.sampled_from([0o644, 0o755]),
    st.sampled_from(["0" * 64, "1" * 64]),
    st.integers(0, 3),
)


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders with the same three files."""
    folders = tmp_path / "before", tmp_path / "after"
    for folder in folders:
        (folder / "docs").mkdir(parents=True)
        for name in ("a.md", "docs/b.md", "c.md"):
            (folder / name).write_text("one\ntwo\n")
    return folders


def diff(two: tuple[Path, Path]) -> Diff:
    return Diff(FolderTree(two[0]), FolderTree(two[1]), ())


def test_every_kind_of_change_is_told_apart(two: tuple[Path, Path]) -> None:
    _, after = two
    (after / "a.md").write_text("one\n")
    (after / "docs/b.md").unlink()
    (after / "c.md").chmod(0o755)
    (after / "d.md").write_text("x")
    assert {path: change.kind for path, change in diff(two).changes.items()} == {
        "a.md": "modified",
        "c.md": "mode",
        "d.md": "added",
        "docs/b.md": "deleted",
    }


def test_a_link_to_the_same_text_is_another_type_and_has_no_lines(two: tuple[Path, Path]) -> None:
    _, after = two
    (after / "a.md").unlink()
    (after / "a.md").symlink_to("c.md")
    found = diff(two)
    assert (found.changes["a.md"].kind, found.lines("a.md").deleted) == ("type", 2)


def test_a_folder_in_place_of_a_file_is_a_deletion_and_an_addition(two: tuple[Path, Path]) -> None:
    _, after = two
    (after / "a.md").unlink()
    (after / "a.md").mkdir()
    (after / "a.md/x").write_text("x")
    assert {path: change.kind for path, change in diff(two).changes.items()} == {"a.md": "deleted", "a.md/x": "added"}


def test_an_unchanged_file_has_its_baseline_lines_and_no_change(two: tuple[Path, Path]) -> None:
    change = diff(two).lines("a.md")
    assert (change.touched, change.baseline) == (0, 2)


def test_a_file_of_neither_tree_has_no_lines(two: tuple[Path, Path]) -> None:
    assert diff(two).lines("nowhere.md").baseline == 0


def test_a_folder_is_read_as_the_seal_reads_it(sealed: Callable[..., Seal], tmp_path: Path) -> None:
    def edit(sandbox: Path) -> None:
        (sandbox / "link").symlink_to("/etc/passwd")
        (sandbox / "loop").symlink_to(".")
        (sandbox / "tool").write_text("x")
        (sandbox / "tool").chmod(0o700)
        (sandbox / os.fsdecode(b"\xff")).write_text("x")

    seal = sealed(edit)
    assert FolderTree(tmp_path / "sandbox").states == seal.end


@given(
    states=st.lists(_STATES, unique_by=lambda state: state.path, min_size=1),
    change=st.sampled_from([{"kind": "special"}, {"mode": 0o600}, {"sha256": "2" * 64}, {"path": "zz"}]),
)
def test_a_digest_of_a_tree_notices_every_change(states: list[FileState], change: dict[str, object]) -> None:
    tree = {state.path: state for state in states}
    changed = replace(states[0], **change)
    other = {state.path: state for state in [changed, *states[1:]]}
    assert tree_digest(tree) == tree_digest(dict(reversed(tree.items())))
    assert tree_digest(tree) != tree_digest(other)


_FILES = st.dictionaries(
    st.sampled_from(["a.md", "A.md", "docs/b.md", "docs/c", "x.kicad_sch"]),
    st.builds(
        lambda rows, end, last: end.join(rows) + last,
        st.lists(st.sampled_from([b"(wire)", b"one", b"\t(x 1)", b"\0"]), max_size=8),
        st.sampled_from([b"\n", b"\r\n"]),
        st.sampled_from([b"", b"\n", b"end"]),
    ),
)


@settings(max_examples=60, deadline=None)
@given(before=_FILES, after=_FILES)
def test_the_lines_of_two_trees_are_those_that_git_counts_between_them(
    before: dict[str, bytes], after: dict[str, bytes]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folders = Path(place) / "before", Path(place) / "after"
        for folder, files in zip(folders, (before, after), strict=True):
            folder.mkdir()
            for path, data in files.items():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_bytes(data)
        found = diff(folders)
        lines = {path: found.lines(path) for path, change in found.changes.items() if change.kind != "mode"}
        ours = {path: None if each.binary else (each.added, each.deleted) for path, each in lines.items()}
        command = ["git", "-c", "core.autocrlf=false", "diff", "--no-index", "--no-renames", "--minimal", "--numstat"]
        said = subprocess.run([*command, "-z", *map(str, folders)], capture_output=True, check=False).stdout
    assert ours == _counts(said.decode().split("\0"), folders)


def _counts(words: list[str], folders: tuple[Path, Path]) -> dict[str, tuple[int, int] | None]:
    """What git says of each path: `added deleted ""`, then the names in both trees (/dev/null where it is in one)."""
    counts: dict[str, tuple[int, int] | None] = {}
    for place in range(0, len(words) - 1, 3):
        added, deleted, _ = words[place].split("\t")
        name = next(each for each in words[place + 1 : place + 3] if each != "/dev/null")
        path = Path(name).relative_to(next(each for each in folders if Path(name).is_relative_to(each)))
        counts[path.as_posix()] = None if added == "-" else (int(added), int(deleted))
    return counts
