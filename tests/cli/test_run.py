"""`copperbench run` as the workflow calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COPPERBENCH = Path(sys.executable).with_name("copperbench")
TASK = "do-flag-alert-pullup"


def copperbench(*args):
    return subprocess.run([COPPERBENCH, *map(str, args)], capture_output=True, text=True, check=False, env=os.environ)


@pytest.fixture
def checkout(root, tmp_path):
    """A checkout with the real suite in which results may be made."""
    for name in ("config", "fixtures", "schema", "solutions", "tasks"):
        (tmp_path / name).symlink_to(root / name)
    built = copperbench("sandbox", TASK, "--root", root, "--out", tmp_path / "sandbox.tar.zst")
    assert built.returncode == 0, built.stderr
    return tmp_path


def run(checkout, model, *more, suite=None):
    from copperbench.suite import load_suite

    place = f"results/2026-01-02/{model}/{TASK}/run-1/run.json"
    version = suite or load_suite(checkout).version
    settings = ["--sandbox", checkout / "sandbox.tar.zst", "--suite", version, "--root", checkout]
    return copperbench("run", place, *settings, *more)


def test_a_run_says_nothing_and_leaves_sealed_evidence(checkout):
    result = run(checkout, "harness-gold")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    folder = checkout / f"results/2026-01-02/harness-gold/{TASK}/run-1"
    assert sorted(path.name for path in folder.iterdir()) == ["end-state.tar.zst", "run.json", "transcript.jsonl"]


def test_a_second_call_keeps_the_run_and_says_so_to_machines(checkout):
    run(checkout, "harness-noop")
    result = run(checkout, "harness-noop", "--json")
    assert json.loads(result.stdout)["result"] == "kept"


def test_the_command_line_decides_what_the_seal_says_of_the_plan(checkout):
    run(checkout, "harness-noop", "--repeats-planned", "3", "--isolation", "auto")
    facts = json.loads((checkout / f"results/2026-01-02/harness-noop/{TASK}/run-1/run.json").read_text())
    assert (facts["repeatsPlanned"], facts["isolation"]) == (3, "none")


@pytest.mark.parametrize(
    ("model", "suite", "said"),
    [
        ("harness-trap-nonesuch", None, "there is no 'trap-nonesuch'"),
        ("some-model", None, "is no model of config/models.yaml"),
        ("harness-gold", "9.9.9", "9.9.9 is not this suite"),
    ],
)
def test_a_run_that_cannot_start_is_one_clear_line_and_leaves_nothing(checkout, model, suite, said):
    result = run(checkout, model, suite=suite)
    assert result.returncode == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (checkout / "results").exists()


def test_one_of_several_runs_that_cannot_be_performed_keeps_none_of_the_others_from_it(checkout):
    places = {name: f"results/2026-01-02/harness-{name}/{TASK}/run-1/run.json" for name in ("trap-nonesuch", "noop")}
    result = run(checkout, "harness-gold", places["trap-nonesuch"], places["noop"])
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1)
    assert "there is no 'trap-nonesuch'" in result.stderr
    assert [(checkout / place).exists() for place in places.values()] == [False, True]
