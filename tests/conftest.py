"""What every test may ask for: the checkout, the shared boards, and kicad-cli where it is there."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a duration, not even by a default of its library: a busy machine is no fault.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout that is under test."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with third-party boards and recorded transcripts that a checkout may have beside it."""
    folder = Path(os.environ.get("COPPERBENCH_SHARED") or ROOT.parent / "shared")
    if not (folder / "fixtures").is_dir():
        pytest.skip(f"no third-party boards at {folder} (COPPERBENCH_SHARED names their folder)")
    return folder


@cache
def _kicad_major() -> int | None:
    named = os.environ.get("COPPERBENCH_KICAD_CLI")
    found = shutil.which(named or "kicad-cli")
    if found is None:
        return None
    try:
        said = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=60, check=True)
        return int(said.stdout.strip().split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs kicad-cli where there is none of the reference major version."""
    if item.get_closest_marker("kicad") and _kicad_major() != 10:
        pytest.skip("needs kicad-cli 10 (COPPERBENCH_KICAD_CLI or PATH)")
