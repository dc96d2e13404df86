"""A candidate as a stranger would publish it: a project in a folder of its own, with what does not belong to it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from given.repositories import git

BOARD = "copperbench-ldo-sensor"
MIT = """MIT License

Copyright (c) 2026 Somebody Else

Permission is hereby granted, free of charge, to any person obtaining a copy of this design.
"""


@pytest.fixture
def candidate(root: Path, tmp_path: Path) -> Path:
    """Our one-sheet board in `hardware/` of a repository, beside droppings, pictures and a licence."""
    folder = tmp_path / "candidate"
    shutil.copytree(root / "fixtures" / BOARD / "tree", folder / "hardware")
    (folder / "LICENSE").write_text(MIT)
    (folder / "hardware" / "photo.png").write_bytes(b"png")
    (folder / "hardware" / f"{BOARD}.kicad_prl").write_text("{}")
    (folder / "hardware" / "fp-info-cache").write_text("")
    return folder


@pytest.fixture
def clone(candidate: Path) -> tuple[Path, str]:
    """The candidate as a repository whose working tree has moved on; and the commit that has the board."""
    git(candidate, "init", "--quiet")
    git(candidate, "add", "--all")
    git(candidate, "commit", "--quiet", "-m", "a board")
    commit = git(candidate, "rev-parse", "HEAD")
    (candidate / "hardware" / f"{BOARD}.kicad_sch").write_text("(kicad_sch broken")
    return candidate, commit


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with a configuration and no fixture yet."""
    folder = tmp_path / "checkout"
    shutil.copytree(root / "config", folder / "config")
    (folder / "fixtures").mkdir()
    return folder


@pytest.fixture
def copperbench(checkout: Path):
    """Run `copperbench` in the checkout."""

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from copperbench.cli import main; main()", *map(str, arguments)]
        return subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=300)

    return run
