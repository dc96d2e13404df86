"""From a bare configuration to the simulated-agents table: a scripted endpoint plays them, Snakemake runs all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from given.files import holding
from given.modules import module

_TESTS = Path(__file__).resolve().parents[1]


scripted = module(_TESTS / "agent/scripted.py")
workflow = module(Path(__file__).with_name("conftest.py"))
pytestmark = pytest.mark.xdist_group("models")
TASK = workflow.EDIT_TASK
DATE = workflow.DATE
EXPECTED = {
    # model: exit path, verdict, failure category
    "careful": ("done", "pass", None),
    "partial+turns-6": ("turn-budget-exhausted", "fail", "obligation-open"),
    "refuser": ("refused", "fail", "false-refusal"),
    "relaxer": ("done", "fail", "constraint-violation"),
    "looper+turns-6": ("turn-budget-exhausted", "fail", "turn-budget"),
    "staller": ("stalled", "fail", "stalled"),
    "broken-500": ("provider-error", "fail", "stalled"),
    "echo": ("provider-error", "fail", "stalled"),
}
WORST_USD = 40 * (200_000 * 1.0 + 8192 * 10.0) / 1e6
QUICK = ["--retries", "1", "--retry-delay", "0.01"]


@dataclass
class Matrix:
    project: Any
    environment: dict[str, str]

    def snakemake(self, *arguments: str, ok: bool = True):
        return self.project.snakemake(*arguments, ok=ok, **self.environment)

    def record(self, model: str, repeat: int = 1) -> dict[str, Any]:
        path = self.project.folder / f"results/{DATE}/{model}/{TASK}/run-{repeat}.json"
        return json.loads(path.read_text())

    def sealed(self, model: str, repeat: int = 1) -> Path:
        return self.project.folder / f"results/{DATE}/{model}/{TASK}/run-{repeat}/run.json"

    def files(self):
        return (path for path in self.project.folder.parent.rglob("*") if path.is_file())


def entry(server, script, **changes):
    return {
        "id": f"compat:{script}",
        "provider": "scripted",
        "segment": "scripted",
        "pinning": "strong",
        "harness": "reference",
        "endpoint": server.url,
        "keyEnv": "PLANTED_KEY",
        "arguments": list(QUICK),
    } | changes


@pytest.fixture(scope="module")
def server():
    running = scripted.Server()
    yield running
    running.close()


def make(folder, server, models, **settings):
    project = workflow.make_project(folder)
    entries = {name.split("+")[0]: entry(server, name.split("+")[0]) for name in models}
    entries["broken-500"] = entry(server, "500")
    entries["denied"] = entry(server, "401")
    entries["hang"] = entry(server, "hang")
    entries["leaker"] = entry(server, "leaker")
    entries["priced"] = entry(server, "careful", segment="api-cheap")
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": entries}))
    prices = {"input": 1.0, "output": 10.0, "cacheRead": 0.1}
    table = {"tableVersion": "t1", "effectiveDate": "2026-01-01", "models": {"careful": prices}}
    (project.folder / "config/pricing.json").write_text(json.dumps(table))
    project.configure(models=list(models), harnesses=[], repeats=1, **settings)
    return Matrix(project, {"PLANTED_KEY": scripted.KEY})


@pytest.fixture(scope="module")
def matrix(server, tmp_path_factory):
    """A campaign of all of them."""
    made = make(tmp_path_factory.mktemp("models"), server, EXPECTED)
    made.snakemake("matrix")
    made.snakemake("leaderboard")
    return made


@pytest.mark.kicad
@pytest.mark.parametrize("model", EXPECTED)
def test_each_model_gets_the_verdict_that_its_behaviour_deserves(matrix, model):
    record = matrix.record(model)
    found = (record["stats"]["exitPath"], record["verdict"], record["failureCategory"])
    assert found == EXPECTED[model]


@pytest.mark.kicad
def test_an_ablation_is_recorded_word_for_word_and_has_its_own_path(matrix):
    assert matrix.record("looper+turns-6")["run"]["ablations"]["maxTurns"] == 6
    assert not matrix.sealed("looper").exists()


@pytest.mark.kicad
def test_a_simulated_agent_has_no_cost_and_says_why(matrix):
    cost = matrix.record("careful")["cost"]
    assert (cost["usd"], cost["reason"]) == (None, "simulated agent: nothing was bought")


@pytest.mark.kicad
def test_the_simulated_agents_table_ranks_the_one_that_passed_first(matrix):
    board = (matrix.project.folder / "LEADERBOARD.md").read_text()
    table = board[board.index("imulated agents") :]
    names = [line for line in table.splitlines() if "compat:" in line]
    assert "compat:careful" in names[0]
    assert {name for name in ("compat:refuser", "compat:relaxer", "compat:staller") if name in table}


@pytest.mark.kicad
def test_a_planted_key_is_nowhere(matrix):
    assert holding(matrix.project.folder.parent, scripted.KEY) == []


@pytest.mark.kicad
def test_a_finished_matrix_has_nothing_to_do(matrix):
    assert "Nothing to be done" in (said := matrix.snakemake("matrix")).stdout + said.stderr


@pytest.mark.kicad
def test_an_interrupted_matrix_goes_on_where_it_was(matrix):
    kept = {path: path.read_bytes() for path in matrix.files() if path.name == "run.json"}
    gone = matrix.sealed("refuser")
    record = gone.parent.with_suffix(".json")
    for path in [*gone.parent.iterdir(), record]:
        path.unlink()
    matrix.snakemake("matrix")
    assert {path: path.read_bytes() for path in kept if path != gone} == {
        path: data for path, data in kept.items() if path != gone
    }
    assert gone.exists()


@pytest.mark.slow
@pytest.mark.kicad
def test_what_was_under_way_when_a_matrix_was_interrupted_is_kept_and_not_repeated(server, tmp_path):
    made = make(tmp_path, server, ["edits-then-hangs"])
    before = len(server.requests)
    process = subprocess.Popen(
        ["snakemake", "matrix"],
        cwd=made.project.folder,
        env=made.project.environment | made.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may have had it ignored
    )
    while len(server.requests) < before + 3 and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    process.wait()
    kept = made.sealed("edits-then-hangs").read_bytes()
    made.snakemake("matrix")
    assert (made.sealed("edits-then-hangs").read_bytes(), len(server.requests)) == (kept, before + 3)
    assert made.record("edits-then-hangs")["stats"]["exitPath"] == "no-run-end"


@pytest.fixture
def single(server, tmp_path):
    return make(tmp_path, server, ["careful"])


def target(model):
    return f"results/{DATE}/{model}/{TASK}/run-1.json"


@pytest.mark.kicad
def test_a_model_that_hangs_is_ended_by_the_wall_clock_and_graded(single):
    task = single.project.folder / f"tasks/{TASK}/task.json"
    manifest = json.loads(task.read_text())
    manifest["caps"]["wallClockSec"] = 12
    task.write_text(json.dumps(manifest))
    single.snakemake(target("hang"))
    record = single.record("hang")
    found = record["stats"]["exitPath"], record["stats"]["capExceeded"], record["failureCategory"]
    assert found == ("cap-exceeded", "wallClock", "turn-budget")


def test_a_missing_key_is_said_before_a_sandbox_is_made(single):
    single.environment = {"PLANTED_KEY": ""}
    said = single.snakemake("matrix", ok=False)
    text = said.stdout + said.stderr
    assert said.returncode != 0
    assert "model careful: its key is not set: PLANTED_KEY is empty; export PLANTED_KEY" in text
    assert "Traceback" not in text
    assert not (single.project.folder / "build/sandboxes").exists()


def test_a_key_that_is_turned_down_leaves_no_record_and_is_not_repeated(single):
    said = single.snakemake(target("denied"), ok=False)
    text = said.stdout + said.stderr
    assert said.returncode != 0
    assert "the endpoint could not be used: provider error: 401" in text
    assert scripted.KEY not in text
    assert not single.sealed("denied").exists()


def test_no_flag_makes_snakemake_repeat_a_run_that_failed(single, server):
    asked = []
    for flags in ((), ("--retries", "2")):
        before = len(server.requests)
        single.snakemake(target("denied"), *flags, ok=False)
        asked.append(len(server.requests) - before)
    assert asked[1] == asked[0] > 0


def test_no_run_starts_that_could_pass_the_sum(single):
    said = single.snakemake(target("priced"), "--config", "max_usd=0.5", ok=False)
    assert "one run of do-raise-led-resistor could cost 11.28 USD, and max_usd is 0.50" in said.stdout + said.stderr
    assert not (single.project.folder / "build/sandboxes").exists()


@pytest.mark.slow
@pytest.mark.kicad
def test_a_matrix_stops_before_its_sum_and_goes_on_with_a_larger_one(single):
    limit = f"max_usd={WORST_USD + 0.005}"  # what a run costs, 0.0057, is more than is left beside a worst case
    said = single.snakemake("matrix", "--cores", "1", "--config", "models=[priced]", "repeats=2", limit, ok=False)
    assert "0.01 of max_usd 11.28 are spent; raise max_usd; finished runs are kept" in said.stdout + said.stderr
    assert [single.sealed("priced", repeat).exists() for repeat in (1, 2)].count(True) == 1
    kept = {path: path.read_bytes() for path in single.files() if path.name == "run.json"}
    single.snakemake("matrix", "--config", "models=[priced]", "repeats=2", "max_usd=12")
    assert [single.sealed("priced", repeat).exists() for repeat in (1, 2)] == [True, True]
    assert {path: path.read_bytes() for path in kept} == kept


@pytest.mark.parametrize(("limit", "patience_s"), [(1, 3.0), (2, 300.0)])
def test_a_provider_is_asked_by_as_many_runs_at_a_time_as_its_resource_says(limit, patience_s, tmp_path):
    door = scripted.Door(2, patience_s)
    crowd = scripted.Server(door=door)
    made = make(tmp_path, crowd, ["refuser"])
    runs = [f"results/{DATE}/refuser/{TASK}/run-{repeat}/run.json" for repeat in (1, 2)]
    made.snakemake(*runs, "--cores", "2", "--resources", f"provider_scripted={limit}")
    crowd.close()
    assert door.most == limit


@pytest.mark.kicad
def test_a_priced_model_costs_what_its_tokens_cost(single):
    single.snakemake(target("priced"), "--config", "max_usd=100")
    cost = single.record("priced")["cost"]
    tokens_in, cached, tokens_out = 5000, 2000, 250
    usd = ((tokens_in - cached) * 1.0 + cached * 0.1 + tokens_out * 10.0) / 1e6
    assert (cost["usd"], cost["priceTableVersion"]) == (pytest.approx(usd), "t1")


@pytest.mark.kicad
def test_a_model_that_says_its_key_leaks_nothing(single):
    single.snakemake(target("leaker"))
    assert holding(single.project.folder.parent, scripted.KEY) == []
    assert single.record("leaker")["verdict"] == "fail"


def test_the_plan_counts_runs_turns_and_usd_without_starting_anything(single):
    said = single.project.call("copperbench", "plan", "--json", "--config", "models=[priced]", **single.environment)
    row = json.loads(said.stdout)["rows"][0]
    assert (row["planned"], row["due"], row["turns"]) == (1, 1, 40)
    assert row["usd"] == pytest.approx(WORST_USD)
    assert not (single.project.folder / "results").exists()
