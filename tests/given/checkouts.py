"""Copies of this checkout, with what is new in it and not yet committed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LEFT_OUT = ("tests/", "results/")


def copy_project(target: Path) -> None:
    """Copy what git tracks or would track, but for tests and published results."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith(_LEFT_OUT):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)
