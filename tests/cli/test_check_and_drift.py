"""`drift` and `check` as a user calls them on a project folder."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COPPERBENCH = Path(sys.executable).with_name("copperbench")


def copperbench(*args, **environment):
    import os

    return subprocess.run(
        [COPPERBENCH, *map(str, args)], capture_output=True, text=True, check=False, env=os.environ | environment
    )


@pytest.fixture
def project(root, tmp_path):
    folder = tmp_path / "board"
    shutil.copytree(root / "fixtures/copperbench-ldo-sensor/tree", folder)
    (folder / "docs").mkdir()
    return folder


def write_bom(project, value):
    from copperbench.kicad import load_schematic

    symbols = load_schematic(project / "copperbench-ldo-sensor.kicad_sch").symbols
    rows = [f"| {s.refdes} | {value if s.refdes == 'R2' else s.value} | {s.footprint} |" for s in symbols]
    text = "| Refdes | Value | Footprint |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    (project / "docs/BOM.md").write_text(text)


def test_a_bom_that_is_right_is_no_drift(project):
    write_bom(project, "1k")
    assert copperbench("drift", project).returncode == 0


def test_a_wrong_value_in_the_bom_is_named_with_both_sides(project):
    write_bom(project, "3k3")
    result = copperbench("drift", project)
    assert result.returncode == 1
    assert "R2 Value '3k3'" in result.stdout
    assert "'1k'" in result.stdout


def test_a_folder_without_a_project_is_one_clear_line(tmp_path):
    result = copperbench("drift", tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith(f"{tmp_path}: holds no .kicad_pro")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.kicad
def test_a_clean_board_inside_a_repository_checks_clean_and_is_left_as_it_was(project):
    write_bom(project, "1k")
    subprocess.run(["git", "init", "-q", project], check=True)
    before = sorted(path.name for path in project.iterdir())
    result = copperbench("check", project, "--json")
    assert json.loads(result.stdout) == {"erc": [], "drc": [], "drift": [], "forbidden-pins": []}
    assert sorted(path.name for path in project.iterdir()) == before


def test_a_check_without_kicad_says_that_it_is_missing(project):
    result = copperbench("check", project, COPPERBENCH_KICAD_CLI="/nonexistent")
    assert result.returncode == 3
    assert result.stdout == ""
