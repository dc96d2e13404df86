"""Schematics drawn for a test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def draw(tmp_path: Path) -> Callable[..., Path]:
    """Draws a schematic from lines of the drawing language; returns its root sheet."""
    from drawing_language import read_design

    def drawn(lines: str, name: str = "case") -> Path:
        return read_design(name, lines).write(tmp_path / name)

    return drawn
