"""The canonical tree hash: the documented bytes, whatever the tree; and no tree that is no frozen copy."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copperbench.errors import FixtureMismatch
from copperbench.suite import load_fixture, tree_hash, verify_tree

NAMES = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="/\0"), min_size=1, max_size=8).filter(
    lambda name: name not in (".", "..", ".git") and len(name.encode()) < 100
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


def naive_hash(files: dict[str, bytes]) -> str:
    """The definition, word for word, on a mapping instead of a folder."""
    text = b""
    for path in sorted(path.encode("utf-8") for path in files):
        data = files[path.decode("utf-8")]
        text += path + b"\x00" + b"%d" % len(data) + b"\x00" + data
    return hashlib.sha256(text).hexdigest()


def lay_out(folder: Path, files: dict[str, bytes]) -> dict[str, bytes]:
    """Write the files; those whose path another file's name already blocks are left out."""
    written = {}
    for path, data in files.items():
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError:
            continue
        written[path] = data
    return written


@settings(max_examples=150, deadline=None)
@given(files=st.dictionaries(PATHS, st.binary(max_size=40), max_size=8))
def test_the_hash_is_the_documented_one_on_any_tree(tmp_path_factory, files):
    tree = tmp_path_factory.mktemp("tree")
    written = lay_out(tree, files)
    assert tree_hash(tree) == naive_hash(written)


def test_files_are_ordered_by_the_bytes_of_the_whole_path_not_folder_by_folder(tmp_path):
    files = {"a/b": b"1", "a-b": b"2", "a.b": b"3", "é": b"4", "z": b"5", "A": b"6"}
    lay_out(tmp_path, files)
    assert tree_hash(tmp_path) == naive_hash(files)


def test_an_empty_folder_contributes_nothing(tmp_path):
    lay_out(tmp_path, {"a": b"1"})
    before = tree_hash(tmp_path)
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    assert tree_hash(tmp_path) == before


def test_a_dropping_of_a_tool_changes_the_hash(tmp_path):
    lay_out(tmp_path, {"a": b"1"})
    before = tree_hash(tmp_path)
    lay_out(tmp_path, {"board.kicad_prl": b"{}"})
    assert tree_hash(tmp_path) != before


def test_bytes_cannot_move_between_a_name_a_length_and_a_content(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    lay_out(one, {"a": b"1", "b": b""})
    lay_out(two, {"a": b"1b\x000\x00"})
    assert tree_hash(one) != tree_hash(two)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda tree: (tree / "link").symlink_to("a"), "is a link, and a frozen copy holds none"),
        (lambda tree: (tree / "loop").symlink_to("."), "is a link, and a frozen copy holds none"),
        (lambda tree: (tree / "gone").symlink_to("nowhere"), "is a link, and a frozen copy holds none"),
        (lambda tree: os.mkfifo(tree / "pipe"), "is neither a file nor a folder"),
        (lambda tree: (tree / ".git").mkdir(), "a frozen copy holds no .git"),
        (lambda tree: (tree / ".git").write_text("gitdir: x"), "a frozen copy holds no .git"),
        (lambda tree: (Path(os.fsdecode(bytes(tree) + b"/\xff"))).write_text(""), "has a name that is not UTF-8"),
    ],
    ids=["link", "loop", "dangling", "fifo", "git folder", "git file", "name"],
)
def test_what_is_no_frozen_copy_is_refused(tmp_path, spoil, what):
    lay_out(tmp_path, {"a": b"1"})
    spoil(tmp_path)
    with pytest.raises(FixtureMismatch) as caught:
        tree_hash(tmp_path)
    assert caught.value.what == what


def test_a_tree_that_is_itself_a_link_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "tree").symlink_to("real")
    with pytest.raises(FixtureMismatch, match="is a link"):
        tree_hash(tmp_path / "tree")


def test_a_missing_tree_is_refused_with_its_path(tmp_path):
    with pytest.raises(FixtureMismatch, match="nowhere: there is no such folder"):
        tree_hash(tmp_path / "nowhere")


def test_a_tree_three_hundred_folders_deep_is_hashed(tmp_path):
    path = "/".join(["d"] * 300) + "/f"
    lay_out(tmp_path, {path: b"x"})
    assert tree_hash(tmp_path) == naive_hash({path: b"x"})


def test_the_microphone_board_has_its_published_hash(shared):
    expected = "dad443ad059b7cd2ec57313967db7c511caa8bcfd1ba72dc2f02cd3560249529"
    assert tree_hash(shared / "fixtures/antmicro-microphone-board/tree") == expected


def run_script(root: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    script = root / "workflow/scripts/hash_fixture.py"
    command = [sys.executable, "-I", "-S", str(script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_script_needs_nothing_installed_and_agrees_with_the_library(root, tmp_path):
    lay_out(tmp_path, {"a/b": b"1", "c": b"2"})
    assert run_script(root, tmp_path).stdout == tree_hash(tmp_path) + "\n"


def test_the_script_says_when_a_fixture_differs_from_its_manifest(root, checkout):
    checkout.write("fixtures/own-board/tree/own.kicad_sch", "changed")
    result = run_script(root, "--check", checkout.root / "fixtures/own-board")
    assert (result.returncode, "expected" in result.stderr, result.stdout) == (1, True, "")


@pytest.mark.parametrize("manifest", ["", "[]", "{}", "{", "[" * 100_000])
def test_the_script_refuses_a_manifest_without_a_hash_in_one_line(root, tmp_path, manifest):
    (tmp_path / "fixture.json").write_text(manifest)
    result = run_script(root, "--check", tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)


def test_a_changed_tree_is_refused_with_both_hashes(checkout):
    folder = checkout.root / "fixtures/own-board"
    fixture = load_fixture(folder)
    checkout.write("fixtures/own-board/tree/own.kicad_sch", "changed")
    with pytest.raises(FixtureMismatch) as caught:
        verify_tree(fixture, folder / "tree")
    assert f"{tree_hash(folder / 'tree')}, expected {fixture.sha256}" in caught.value.what
