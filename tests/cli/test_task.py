"""`copperbench task`: what an author starts from is valid and proven, whichever part of the board it is about."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COPPERBENCH = Path(sys.executable).with_name("copperbench")
BOARD = "copperbench-ldo-sensor"
LED = ("--fixture", BOARD, "--part", "R2", "--value", "3k3", "--wrong", "2k7")
REFUSAL = ("--fixture", BOARD, "--part", "R2", "--value", "470", "--wrong", "47", "--budget", "led_current_ua=1500")
FLAG = ("--fixture", BOARD, "--part", "R2", "--value", "3k3", "--budget", "led_current_ua=500")
OUTCOMES = {"edit": LED, "refusal": REFUSAL, "flag": FLAG}
KINDS = [
    pytest.param((*options, "--mode", mode, "--outcome", outcome), id=f"{mode} {outcome}")
    for mode in ("do", "sync", "create")
    for outcome, options in OUTCOMES.items()
    if outcome != "flag" or mode == "do"
] + [pytest.param((*LED, "--budget", "led_current_ua=400"), id="do edit within a budget")]


@pytest.fixture
def checkout(root, tmp_path):
    """A checkout with one board and no task."""
    for path in ("config/suite.yaml", f"fixtures/{BOARD}"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (root / path).is_dir() else shutil.copy
        copy(root / path, tmp_path / path)
    for folder in ("tasks", "solutions"):
        (tmp_path / folder).mkdir()
    return tmp_path


@pytest.fixture
def copperbench(checkout):
    def run(*arguments):
        command = [COPPERBENCH, *map(str, arguments), "--root", checkout]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("options", KINDS)
def test_a_new_task_is_valid_as_it_is_written(copperbench, checkout, options):
    assert copperbench("task", "new", "do-new", *options).returncode == 0
    done = copperbench("validate", checkout / "tasks/do-new")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


@pytest.mark.kicad
@pytest.mark.parametrize("options", KINDS)
def test_a_new_task_discriminates_as_it_is_written(copperbench, options):
    copperbench("task", "new", "do-new", *options)
    done = copperbench("task", "prove", "do-new")
    assert (done.returncode, "discriminates: yes" in done.stdout, "UNPROVEN" in done.stdout) == (0, True, False)


def test_a_proof_leaves_no_record_and_says_what_is_unproven(copperbench, checkout):
    copperbench("task", "new", "do-new", *REFUSAL, "--outcome", "refusal")
    (checkout / "solutions/do-new/trap-two-commits.json").unlink()
    done = copperbench("task", "prove", "do-new")
    assert (done.returncode, "no trap is caught by no-design-commit alone" in done.stdout) == (1, True)
    assert not (checkout / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("new", "do-new", *LED[:2], "--part", "R99", "--value", "1"), "has no R99"),
        (("new", "Do-New", *LED), "'Do-New' is no id"),
        (("new", "do-new", *LED[:4], "--value", "1k"), "three different values are needed"),
        (("new", "do-new", *LED, "--budget", "led", "--outcome", "flag"), "write --budget KEY=NUMBER"),
        (("new", "do-new", *LED, "--outcome", "refusal"), "a refusal rests on a budget"),
        (("new", "do-new", *FLAG, "--mode", "sync"), "rests on no budget"),
        (("new", "do-new", *LED, "--outcome", "pass"), "--outcome is one of edit, refusal, flag"),
        (("new", "do-new", *FLAG, "--mode", "sync", "--outcome", "flag"), "a flag is a task of mode do"),
        (("new", "do-new", *LED, "--mode", "check"), "--mode is one of do, sync, create"),
        (("prove", "do-gone"), "tasks/do-gone: is no task of the suite"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_nothing(copperbench, checkout, arguments, said):
    done = copperbench("task", *arguments)
    assert (done.returncode, said in " ".join(done.stderr.split()), "Traceback" in done.stderr) == (2, True, False)
    assert list((checkout / "tasks").iterdir()) == []


def test_a_task_that_exists_is_not_written_over(copperbench, checkout):
    copperbench("task", "new", "do-new", *LED)
    before = (checkout / "tasks/do-new/task.json").read_bytes()
    done = copperbench("task", "new", "do-new", *REFUSAL, "--outcome", "refusal")
    assert (done.returncode, (checkout / "tasks/do-new/task.json").read_bytes()) == (2, before)
