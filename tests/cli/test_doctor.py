"""`copperbench doctor` names what is missing, and what that would cost a grade."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def doctor(*arguments: str | Path, cwd: Path, **environment: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit code, and the checks by name."""
    command = [sys.executable, "-c", "from copperbench.cli import main; main()", "doctor", "--json"]
    done = subprocess.run(
        [*command, *map(str, arguments)],
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin"} | environment,
        capture_output=True,
        text=True,
    )
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)}


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with tasks and manifests, and the tree of one board."""
    folder = tmp_path / "checkout"
    for name in ("config", "tasks", "briefs"):
        shutil.copytree(root / name, folder / name)
    for path in (root / "fixtures").glob("*/fixture.json"):
        (folder / "fixtures" / path.parent.name).mkdir(parents=True)
        shutil.copy(path, folder / "fixtures" / path.parent.name)
        if (path.parent / "baseline").is_dir():
            shutil.copytree(path.parent / "baseline", folder / "fixtures" / path.parent.name / "baseline")
    name = "fixtures/copperbench-ldo-sensor/tree"
    shutil.copytree(root / name, folder / name)
    return folder


def test_a_missing_kicad_cli_is_named_with_what_it_costs(checkout: Path):
    code, checks = doctor(cwd=checkout, COPPERBENCH_KICAD_CLI="/nonexistent")
    assert (code, checks["kicad-cli"]["status"]) == (0, "missing")
    assert "unscoreable" in checks["kicad-cli"]["cost"]


def test_a_kicad_cli_of_another_major_version_is_wrong(checkout: Path, tmp_path: Path):
    old = tmp_path / "kicad-cli"
    old.write_text("#!/bin/sh\necho 9.0.8\n")
    old.chmod(0o755)
    code, checks = doctor(cwd=checkout, COPPERBENCH_KICAD_CLI=str(old))
    assert (code, checks["kicad-cli"]["status"]) == (1, "wrong")


def test_a_board_in_place_is_verified_and_one_that_is_not_costs_its_tasks(checkout: Path):
    _, checks = doctor(cwd=checkout)
    assert checks["fixture copperbench-ldo-sensor"]["detail"] == "in place, hash verified"
    assert "task(s) are skipped" in checks["fixture copperbench-sensor-hub"]["cost"]


def test_each_board_that_is_missing_comes_with_the_way_to_get_that_one(checkout: Path):
    _, checks = doctor(cwd=checkout)
    ways = {
        "copperbench-sensor-hub": "git checkout -- fixtures/copperbench-sensor-hub",
        "jetson-agx-thor-baseboard": "out of kicad-demos: `copperbench fixture get ",
        "zhiayang-mikoto": "`copperbench fixture get zhiayang-mikoto` fetches it",
    }
    assert [name for name, way in ways.items() if way not in checks[f"fixture {name}"]["cost"]] == []


def test_a_changed_board_is_wrong(checkout: Path):
    with (checkout / "fixtures/copperbench-ldo-sensor/tree/sym-lib-table").open("a") as table:
        table.write("\n")
    code, checks = doctor(cwd=checkout)
    assert (code, checks["fixture copperbench-ldo-sensor"]["status"]) == (1, "wrong")


def test_a_suite_that_changed_under_the_same_version_is_wrong(checkout: Path):
    task = next((checkout / "tasks").iterdir()) / "task.json"
    task.write_text(task.read_text() + "\n")
    code, checks = doctor(cwd=checkout)
    assert (code, checks["suite"]["status"]) == (1, "wrong")


def test_outside_of_a_checkout_it_says_so_and_still_looks_at_the_rest(tmp_path: Path):
    code, checks = doctor(cwd=tmp_path)
    assert (code, checks["suite"]["status"], checks["python"]["status"]) == (0, "missing", "ok")


def test_a_program_that_is_missing_costs_no_grade(checkout: Path):
    _, checks = doctor(cwd=checkout)
    assert (checks["copperhead"]["status"], "grading does not need it" in checks["copperhead"]["cost"]) == (
        "missing",
        True,
    )
