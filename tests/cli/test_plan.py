"""`copperbench plan` says what a campaign would run and starts nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

COPPERBENCH = Path(sys.executable).with_name("copperbench")
TASKS = "suite=[do-raise-led-resistor]"


def plan(root, *settings, as_json=False, **keys):
    options = [word for setting in (TASKS, "date=2026-01-02", *settings) for word in ("--config", setting)]
    argv = [COPPERBENCH, "plan", "--root", root, *options, *(["--json"] if as_json else [])]
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    path = f"{COPPERBENCH.parent}{os.pathsep}{environment['PATH']}"  # where the reference harness is
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment | keys | {"PATH": path})


def test_without_models_it_says_how_to_name_one(root):
    said = plan(root)
    assert said.returncode == 0
    assert "no models configured" in said.stdout


def test_a_model_that_cannot_run_here_is_planned_all_the_same(root):
    said = plan(root, "models=[gpt-5-mini]", "repeats=2", as_json=True)
    row = json.loads(said.stdout)["rows"][0]
    assert (row["planned"], row["turns"], row["problem"]) == (2, 80, "its key is not set: OPENAI_API_KEY is empty")


def test_an_unknown_price_makes_the_sum_unknown(root):
    said = plan(root, "models=[gpt-5-mini,qwen3-coder-hosted]")
    assert "worst case of all due runs: unknown, for want of a price" in said.stdout


def test_what_costs_nothing_by_rule_is_never_0_usd(root):
    model = "models=[qwen3-coder-local]"
    value = json.loads(plan(root, model, as_json=True).stdout)
    row = value["rows"][0]
    assert (value["worstUsd"], row["usd"], row["usdReason"]) == (None, None, "no price per token")
    assert "worst case of all due runs: none, by rule" in plan(root, model).stdout


@pytest.mark.parametrize(
    ("limit", "problem"),
    [
        ("3", "one run of do-raise-led-resistor could cost 3.38 USD, and max_usd is 3.00"),
        ("4", ""),
        ("null", ""),
    ],
)
def test_a_sum_that_not_one_run_fits_into_is_said_before_anything_starts(root, limit, problem):
    said = plan(root, "models=[gpt-5-mini]", f"max_usd={limit}", as_json=True, OPENAI_API_KEY="a-key")
    assert json.loads(said.stdout)["rows"][0]["problem"] == problem


def test_a_model_without_a_price_cannot_run_under_a_sum(root):
    said = plan(root, "models=[qwen3-coder-hosted]", "max_usd=5", OPENROUTER_API_KEY="a-key")
    assert "model qwen3-coder-hosted cannot run: it has no price, so nobody can say" in said.stdout


def test_keys_of_the_config_may_follow_one_another_as_snakemake_takes_them(root):
    argv = [COPPERBENCH, "plan", "--root", root, "--config", TASKS, "date=2026-01-02", "repeats=2"]
    said = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (said.returncode, "campaign 2026-01-02, suite" in said.stdout) == (0, True)


@pytest.mark.parametrize(
    ("setting", "said"), [("models", "'models' is no KEY=VALUE"), ("models=[nobody]", "unknown model 'nobody'")]
)
def test_a_setting_that_is_wrong_is_one_line(root, setting, said):
    done = plan(root, setting)
    assert (done.returncode, len(done.stderr.splitlines()), said in done.stderr) == (2, 1, True)
