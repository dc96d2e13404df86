"""A campaign of agents that cheat, leak and flood, run by Snakemake: each is recorded as failed, and it goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from given.modules import module

from copperbench.harness.isolation import working_bwrap
from copperbench.publish import self_sealed

workflow = module(Path(__file__).with_name("conftest.py"))
hostile = module(Path(__file__).with_name("hostile_harness.py"))
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hostile")]
TASK, DATE = workflow.EDIT_TASK, workflow.DATE
PLANTED = "a-planted-value-0123456789"
LEAKS = {
    "leaks-document": ("sk-key", "docs/NOTE.md"),
    "leaks-message": ("sk-key", None),
    "leaks-blob": ("sk-key", None),
    "leaks-name": ("sk-key", "the name of a file"),
    "leaks-transcript": ("sk-key", ".copperhead/runs/1/transcript.jsonl"),
    "leaks-its-own": ("handed-secret", "docs/NOTE.md"),
}
TAMPERED = {
    "fills": "left more than can be sealed",
    "appends": "after its run-end",
    "two-folders": "a run folder more",
}
MODELS = ("honest", "monster", *TAMPERED, *LEAKS)


@dataclass
class Campaign:
    project: Any
    said: str = ""

    def snakemake(self, *arguments: str, ok: bool = True, **environment: str) -> str:
        done = self.project.snakemake(*arguments, ok=ok, PLANTED_KEY=PLANTED, **environment)
        return done.stdout + done.stderr

    def record(self, model: str) -> dict[str, Any]:
        return json.loads(self.place(model).read_text())

    def place(self, model: str) -> Path:
        return self.project.folder / f"results/{DATE}/{model}/{TASK}/run-1.json"

    def seal(self, model: str) -> Path:
        return self.place(model).with_suffix("")


def make(folder: Path, models: tuple[str, ...], **settings: object) -> Campaign:
    """A campaign of these models, whose harness is installed in a folder of its own beside the project."""
    project = workflow.make_project(folder)
    program = folder / "harness/bin/hostile"
    program.parent.mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("hostile_harness.py"), program)
    program.chmod(0o755)
    call = {"arguments": ["do", "{request}", "--model", "{model}"], "options": {"maxTurns": "--max-turns"}}
    harness = {"command": [str(program)], "environment": {"SPIED": str(project.folder)}, "modes": {"do": call}}
    config = project.folder / "config"
    (config / "harnesses.yaml").write_text(yaml.safe_dump({"harnesses": {"hostile": harness}}))
    entry = {"provider": "fake", "segment": "scripted", "pinning": "weak", "harness": "hostile"}
    entries = {name: entry | {"id": name, "keyEnv": "PLANTED_KEY"} for name in models}
    (config / "models.yaml").write_text(yaml.safe_dump({"models": entries}))
    project.configure(models=list(models), harnesses=[], repeats=1, kicad_cli="/nonexistent", **settings)
    return Campaign(project)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory) -> Campaign:
    made = make(tmp_path_factory.mktemp("hostile"), MODELS, seal_limits={"paths": 500})
    subprocess.run(["git", "init", "-q"], cwd=made.project.folder, check=True)
    made.said = made.snakemake("--cores", "2", "matrix")
    made.said += made.snakemake("leaderboard")
    return made


@pytest.mark.parametrize("model", TAMPERED)
def test_a_run_that_cheats_is_recorded_and_says_why(campaign, model):
    record = campaign.record(model)
    assert (record["verdict"] != "pass", record["stats"]["exitPath"]) == (True, "tampered")
    assert TAMPERED[model] in json.dumps([each for each in record["assertions"] if each["status"] == "fail"])


def test_the_honest_twin_is_not_tampered(campaign):
    assert campaign.record("honest")["stats"]["exitPath"] == "done"


def test_a_document_of_fifty_megabytes_is_graded(campaign):
    record = campaign.record("monster")
    assert (record["verdict"] == "pass", record["stats"]["exitPath"]) == (False, "done")


@pytest.mark.parametrize("model", LEAKS)
def test_a_leak_is_a_failed_run_with_the_least_of_a_record(campaign, model):
    record = campaign.record(model)
    kind, place = LEAKS[model]
    assert (record["verdict"], record["quarantine"]["kind"]) == ("fail", kind)
    assert place in (None, record["quarantine"]["file"])
    assert [path.name for path in campaign.seal(model).iterdir()] == ["run.json"]


@pytest.mark.parametrize("model", LEAKS)
def test_the_evidence_of_a_leak_lies_aside_for_its_owner_alone_and_out_of_git(campaign, model):
    folder = campaign.project.folder
    place = folder / "quarantine" / campaign.record(model)["quarantine"]["id"]
    assert place.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} - {0o600, 0o644} == set()
    inside = place.relative_to(folder) / "end-state.tar.zst"
    assert subprocess.run(["git", "check-ignore", "-q", str(inside)], cwd=folder, check=False).returncode == 0


@pytest.mark.parametrize("model", LEAKS)
def test_the_operator_is_told_on_the_terminal_and_in_the_log(campaign, model):
    found = campaign.record(model)["quarantine"]
    notice = f"quarantine/{found['id']}: the run left a credential ({found['kind']}) in {found['file']!r}"
    log = campaign.project.folder / f"build/logs/run/{DATE}/{model}/{TASK}/1.log"
    assert (notice in campaign.said, notice in log.read_text()) == (True, True)
    assert "revoke the credential, then remove this folder" in campaign.said


@pytest.mark.parametrize("secret", [hostile.KEY, PLANTED], ids=["a key", "what was handed to it"])
def test_what_leaked_is_nowhere_but_in_quarantine(campaign, secret):
    assert secret not in campaign.said
    folder = campaign.project.folder
    names = [path for path in folder.rglob("*") if "quarantine" not in path.relative_to(folder).parts]
    assert [str(path) for path in names if secret in path.name] == []
    holding = [path for path in names if path.is_file() and secret.encode() in path.read_bytes()]
    assert [str(path) for path in holding] == []


def test_the_campaign_is_over_and_counts_every_run(campaign):
    assert "Nothing to be done" in campaign.snakemake("leaderboard", "-n")
    assert {model for model in MODELS if not campaign.place(model).exists()} == set()


@pytest.mark.parametrize("model", ["leaks-document", "two-folders", "fills"])
def test_a_regrading_changes_nothing(campaign, model):
    before = campaign.place(model).read_bytes()
    name = str(campaign.place(model).relative_to(campaign.project.folder))
    said = campaign.project.call("copperbench", "score", name, "--kicad-cli", "/nonexistent").stdout
    assert (said, campaign.place(model).read_bytes()) == (f"{name}: kept, {json.loads(before)['verdict']}\n", before)


@pytest.mark.kicad
@pytest.mark.parametrize("model", TAMPERED)
def test_a_run_that_cheats_fails_once_kicad_has_judged_it(campaign, model):
    campaign.project.call("copperbench", "score", str(campaign.place(model).relative_to(campaign.project.folder)))
    record = campaign.record(model)
    assert (record["verdict"], record["failureCategory"]) == ("fail", "constraint-violation")


@pytest.mark.kicad
def test_reports_that_kicad_did_not_write_are_found_by_a_recheck(campaign):
    name = str(campaign.place("honest").relative_to(campaign.project.folder))
    campaign.project.call("copperbench", "score", name)
    campaign.project.call("copperbench", "score", name, "--recheck")
    reports = campaign.seal("honest") / "verify.json"
    forged = json.loads(reports.read_bytes())
    forged["erc"]["violations"] = []
    forged["drc"]["violations"] = [{"type": "clearance", "severity": "error", "where": "/", "description": "forged"}]
    del forged["seal"]
    reports.write_bytes(self_sealed(forged))
    campaign.place("honest").unlink()
    found = campaign.project.call("copperbench", "score", name, "--recheck", ok=False)
    assert (found.returncode, "reports otherwise than the sealed" in found.stderr) == (1, True)


@pytest.mark.parametrize(("isolation", "seen"), [("none", True), ("bwrap", False)])
def test_an_agent_spies_on_the_benchmark_unless_it_is_confined_and_the_record_says_which(tmp_path, isolation, seen):
    if isolation == "bwrap" and working_bwrap()[0] is None:
        pytest.skip("needs bubblewrap (workflow/scripts/install_bwrap.sh) and the right to make namespaces")
    campaign = make(tmp_path, ("spy",), isolation=isolation)
    campaign.snakemake(f"results/{DATE}/spy/{TASK}/run-1.json")
    events = [json.loads(line) for line in (campaign.seal("spy") / "transcript.jsonl").read_text().splitlines()]
    assert json.loads(events[2]["data"]["text"]) == dict.fromkeys(("solutions", "tasks", "results"), seen)
    assert campaign.record("spy")["run"]["isolation"] == isolation


def test_confinement_that_cannot_be_had_is_said_before_a_sandbox_is_made(tmp_path):
    campaign = make(tmp_path / "campaign", ("honest",), isolation="bwrap")
    bare = tmp_path / "bin"
    bare.mkdir()
    for name in ("sh", "bash", "env", "git", "python3", "which"):
        (bare / name).symlink_to(shutil.which(name))
    said = campaign.snakemake("matrix", ok=False, PATH=f"{Path(sys.executable).parent}{os.pathsep}{bare}")
    assert "isolation: bwrap: bwrap is not on PATH; install bubblewrap, or set isolation to auto or none" in said
    assert "Traceback" not in said
    assert not (campaign.project.folder / "build/sandboxes").exists()
