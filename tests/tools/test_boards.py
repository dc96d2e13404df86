"""The promise of the board generator: the committed boards are what it writes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from copperbench.suite import load_fixture, tree_hash


def build(root: Path, board: str, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "tools" / "boards" / "build.py"), board, str(out)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.mark.kicad
def test_the_one_sheet_board_is_written_again_byte_for_byte(root: Path, tmp_path: Path) -> None:
    build(root, "copperbench-ldo-sensor", tmp_path)
    manifest = load_fixture(root / "fixtures" / "copperbench-ldo-sensor")
    assert tree_hash(tmp_path / manifest.id) == manifest.sha256


@pytest.mark.parametrize("board", ["copperbench-ldo-sensor", "copperbench-sensor-hub"])
def test_a_committed_tree_has_its_manifests_hash(root: Path, board: str) -> None:
    manifest = load_fixture(root / "fixtures" / board)
    assert tree_hash(root / "fixtures" / board / "tree") == manifest.sha256


def test_an_existing_folder_is_not_written_over(root: Path, tmp_path: Path) -> None:
    (tmp_path / "copperbench-ldo-sensor").mkdir()
    assert "exists: name a folder without it" in build(root, "copperbench-ldo-sensor", tmp_path).stderr
