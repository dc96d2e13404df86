"""Our verbs, called in this process and in another folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from copperbench.cli import main

Call = Callable[..., tuple[int, str, str]]
"""Takes the words of a command line; gives exit code, stdout and stderr."""


def caller(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Run `copperbench` in a folder, and without a kicad-cli."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COPPERBENCH_KICAD_CLI", "/nonexistent")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["copperbench", *arguments])
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
