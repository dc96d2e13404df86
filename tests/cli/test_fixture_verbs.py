"""The promises of `copperbench fixture get` and `copperbench baseline` as a user meets them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def copperbench(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from copperbench.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with our one-sheet board, to be spoiled."""
    folder = tmp_path / "checkout"
    shutil.copytree(root / "config", folder / "config")
    shutil.copytree(root / "fixtures" / "copperbench-ldo-sensor", folder / "fixtures" / "copperbench-ldo-sensor")
    return folder


def test_get_prints_the_hash_alone(checkout: Path) -> None:
    said = copperbench("fixture", "get", "copperbench-ldo-sensor", cwd=checkout).stdout
    assert said == "bc3cff4dda5d81301500888ab3de74ee1fcd516b7f69924bb923a3a3763190f8\n"


def test_a_changed_tree_is_one_line_and_exit_code_2(checkout: Path) -> None:
    (checkout / "fixtures/copperbench-ldo-sensor/tree/sym-lib-table").write_text("(sym_lib_table)\n")
    done = copperbench("fixture", "get", "copperbench-ldo-sensor", cwd=checkout)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_an_unknown_fixture_is_met_with_the_nearest(checkout: Path) -> None:
    done = copperbench("fixture", "get", "copperbench-ldo-sensors", cwd=checkout)
    assert "the nearest is 'copperbench-ldo-sensor'" in done.stderr


def test_getting_all_lists_what_was_skipped_and_why(checkout: Path, root: Path) -> None:
    orin = "antmicro-jetson-orin-baseboard"
    (checkout / "fixtures" / orin).mkdir()
    shutil.copy(root / "fixtures" / orin / "fixture.json", checkout / "fixtures" / orin)
    done = copperbench("fixture", "get", "--all", cwd=checkout)
    assert done.returncode == 0
    assert done.stderr.startswith(f"skipped {orin}: ")


@pytest.mark.kicad
def test_an_unchanged_baseline_checks(checkout: Path) -> None:
    done = copperbench("baseline", "copperbench-ldo-sensor", "--check", cwd=checkout)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.kicad
def test_a_baseline_that_is_not_what_kicad_finds_is_exit_code_1_and_named(checkout: Path) -> None:
    recorded = checkout / "fixtures/copperbench-ldo-sensor/baseline/erc.json"
    report = json.loads(recorded.read_text())
    report["violations"] = [{"type": "pin_not_connected", "severity": "error", "where": "/", "description": "Pin 1"}]
    recorded.write_text(json.dumps(report))
    done = copperbench("baseline", "copperbench-ldo-sensor", "--check", cwd=checkout)
    assert done.returncode == 1
    assert re.search(r"violations: pin_not_connected 0 measured with 10\.\S+, 1 recorded", done.stderr)


def test_a_baseline_without_kicad_cli_is_exit_code_3(checkout: Path) -> None:
    done = copperbench("baseline", "copperbench-ldo-sensor", "--kicad-cli", "/nowhere/kicad-cli", cwd=checkout)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
