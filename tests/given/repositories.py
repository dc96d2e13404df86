"""Git repositories, whatever the configuration of the machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

_PLAIN = ("user.name=A", "user.email=a@b.c", "commit.gpgsign=false", "core.autocrlf=false")


def git(repository: Path, *arguments: str) -> str:
    """Run git in a repository; what it printed."""
    settings = [word for setting in _PLAIN for word in ("-c", setting)]
    command = ["git", "-C", str(repository), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
