"""`copperbench sandbox` as a user calls it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

COPPERBENCH = Path(sys.executable).with_name("copperbench")
TASK = "do-raise-led-resistor"


@pytest.fixture
def copperbench(root):
    def run(*arguments):
        command = [COPPERBENCH, "sandbox", *map(str, arguments), "--root", root]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


def test_a_starting_state_is_a_folder_with_documents_and_a_repository(copperbench, tmp_path):
    done = copperbench(TASK, "--out", tmp_path / "start")
    assert (done.returncode, len(done.stdout.strip()), done.stderr) == (0, 40, "")
    assert {"docs", ".copperhead", ".git", ".gitignore"} <= {path.name for path in (tmp_path / "start").iterdir()}


def test_the_archive_of_a_task_is_the_same_every_time(copperbench, tmp_path):
    shas = {
        json.loads(copperbench(TASK, "--out", tmp_path / f"{n}.tar.zst", "--json").stdout)["baselineSha"] for n in "ab"
    }
    assert (len(shas), (tmp_path / "a.tar.zst").read_bytes()) == (1, (tmp_path / "b.tar.zst").read_bytes())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("no-such-task",), "tasks/no-such-task: is no task of the suite"),
        ((TASK, "--harness", "other"), "other: is no harness of config/harnesses.yaml"),
        ((TASK, "--fixtures", "/nowhere"), "/nowhere/copperbench-ldo-sensor/tree"),
    ],
)
def test_what_cannot_be_built_is_one_line_and_leaves_nothing(copperbench, tmp_path, arguments, said):
    done = copperbench(*arguments, "--out", tmp_path / "start")
    assert (done.returncode, len(done.stderr.splitlines()), said in done.stderr) == (2, 1, True)
    assert list(tmp_path.iterdir()) == []


def test_a_used_folder_is_left_alone(copperbench, tmp_path):
    (tmp_path / "mine").write_text("x")
    done = copperbench(TASK, "--out", tmp_path)
    assert (done.returncode, [path.name for path in tmp_path.iterdir()]) == (2, ["mine"])
