"""A harness version that finishes only where checks start silent, on a board with 44 standing warnings."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from given.modules import module

from copperbench.sandbox import unpack_sandbox

workflow = module(Path(__file__).with_name("conftest.py"))
pytestmark = [pytest.mark.slow, pytest.mark.kicad, pytest.mark.xdist_group("quirks")]
TASK = "do-rename-net"
QUIRK = "silence-standing-violations"
PROJECT = "hardware/microphone-board.kicad_pro"


@pytest.fixture(scope="module")
def runs(shared, tmp_path_factory):
    """The same harness as version 0.9.3, which has the quirk, and as 0.10.0, which is taken to have none."""
    project = workflow.make_project(tmp_path_factory.mktemp("quirks"))
    call = {"do": {"arguments": ["--json", "do", "{request}", "--model", "{model}"]}}
    script = str(Path(__file__).with_name("quirky_harness.py"))
    names = {"older": "0.9.3", "newer": "0.10.0"}
    harnesses = {
        name: {
            "command": [sys.executable, script, version],
            "modes": dict(call),
            "quirks": [{"name": QUIRK, "versions": ["0.9.*"]}],
        }
        for name, version in names.items()
    }
    models = {
        name: {"id": "m", "provider": "p", "segment": "saved-login", "pinning": "weak", "harness": name}
        for name in names
    }
    dump = yaml.SafeDumper
    dump.ignore_aliases = lambda *_: True
    (project.folder / "config/harnesses.yaml").write_text(yaml.dump({"harnesses": harnesses}, Dumper=dump))
    (project.folder / "config/models.yaml").write_text(yaml.dump({"models": models}, Dumper=dump))
    store = str(shared / "fixtures")
    project.configure(suite=[TASK], harnesses=[], models=list(names), repeats=1, fixture_store=store)
    project.snakemake("matrix")
    return project


def record(runs, name):
    return json.loads((runs.folder / f"results/{workflow.DATE}/{name}/{TASK}/run-1.json").read_text())


def test_the_version_with_the_quirk_finishes_and_passes(runs):
    found = record(runs, "older")
    assert (found["stats"]["exitPath"], found["verdict"]) == ("done", "pass")


def test_the_quirk_is_recorded_with_the_run(runs):
    assert [record(runs, name)["run"]["harness"]["quirks"] for name in ("older", "newer")] == [[QUIRK], []]


def test_without_the_quirk_the_boards_own_warnings_keep_it_from_finishing(runs):
    found = record(runs, "newer")
    assert (found["stats"]["exitPath"], found["verdict"]) == ("repair-cycles-exhausted", "fail")


def test_the_sandbox_is_silenced_for_the_harness_that_needs_it_alone(runs, tmp_path):
    silent = {}
    for name in ("older", "newer"):
        (archive,) = (runs.folder / "build/sandboxes").glob(f"{name}*/{TASK}.tar.zst")
        unpack_sandbox(archive, tmp_path / name)
        severities = json.loads((tmp_path / name / PROJECT).read_text())["erc"]["rule_severities"]
        silent[name] = severities.get("lib_symbol_issues")
    assert (silent["older"], silent["newer"] == "ignore") == ("ignore", False)


def test_what_the_quirk_changed_is_no_change_of_the_run(runs):
    assert PROJECT not in record(runs, "older")["stats"]["filesTouched"]


def test_grading_hears_the_warnings_that_the_sandbox_was_silent_about(runs):
    sealed = runs.folder / f"results/{workflow.DATE}/older/{TASK}/run-1/verify.json"
    assert "lib_symbol_issues" in sealed.read_text()
