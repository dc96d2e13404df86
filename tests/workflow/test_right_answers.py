"""The reference harness lets the right answer through: known solutions, played turn by turn, pass in every mode it has.

A task that its gates, its prompts or its command line made impossible would be held against the model.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from given.modules import module

pytestmark = [pytest.mark.slow, pytest.mark.kicad, pytest.mark.xdist_group("right-answers")]
workflow = module(Path(__file__).with_name("conftest.py"))
ANSWERS = {
    "do-rename-lamp-line": "done",
    "do-rename-main-rail": "done",
    "do-stiffen-sensor-pullups": "done",
    "do-budget-refusal-lamps": "refused",
    "do-flag-bus-pullups": "done",
    "sync-drifted-docs": "done",
    "sync-hub-both-ways": "done",
}


@pytest.fixture(scope="module")
def scholar(tmp_path_factory):
    """A campaign whose model is the endpoint that plays reference solutions."""
    project = workflow.make_project(tmp_path_factory.mktemp("scholar"))
    script = project.folder / "workflow/scripts/scripted_players.py"
    server = subprocess.Popen(
        [sys.executable, script, "0"], cwd=project.folder, env=project.environment, stdout=subprocess.PIPE, text=True
    )
    url = server.stdout.readline().strip()
    entry = {"id": "compat:scholar", "provider": "scripted", "segment": "scripted", "pinning": "strong"}
    entry |= {"harness": "reference", "endpoint": url}
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": {"scholar": entry}}))
    project.configure(models=["scholar"], harnesses=[], suite=list(ANSWERS), repeats=1)
    project.snakemake("matrix")
    yield project
    server.terminate()
    server.wait()


@pytest.mark.parametrize("task", ANSWERS)
def test_the_right_answer_passes_through_the_reference_harness(scholar, task):
    record = json.loads((scholar.folder / f"results/{workflow.DATE}/scholar/{task}/run-1.json").read_text())
    assert (record["verdict"], record["stats"]["exitPath"]) == ("pass", ANSWERS[task])
