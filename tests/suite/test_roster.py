"""Models, harnesses, prices and ablations are read strictly, and a plan says what they could cost."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import (
    Ablations,
    load_campaign,
    load_roster,
    parse_contender,
    parse_model,
    why_not_ready,
    worst_turns,
    worst_usd,
)
from copperbench.suite.roster import parse_ablations

SETTINGS = {"suite": ["do-raise-led-resistor"], "harnesses": [], "isolation": "none", "date": "2026-01-02"}
MODEL = {"id": "m", "provider": "p", "segment": "api-cheap", "pinning": "weak", "harness": "reference"}


@pytest.fixture(scope="module")
def roster(root):
    return load_roster(root)


@pytest.fixture
def campaign(root, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return lambda **settings: load_campaign(root, SETTINGS | settings)


def run_of(model, task="do-raise-led-resistor"):
    return SimpleNamespace(model=model, task=task)


def test_every_example_is_whole_and_none_is_in_the_default_campaign(root, roster):
    import yaml

    assert [roster.contender(slug, {}, "x").slug for slug in roster.models] == list(roster.models)
    assert yaml.safe_load((root / "config/config.yaml").read_text())["models"] == []


def test_the_request_of_every_task_reaches_the_reference_harness(roster):
    modes = roster.harnesses["reference"]["modes"]
    asks = {mode: {"{request}", "{brief}"} & set(call["arguments"]) for mode, call in modes.items()}
    assert asks == {"do": {"{request}"}, "sync": {"{request}"}, "create": {"{brief}"}}


def test_the_examples_hold_one_model_of_every_segment(roster):
    assert {entry["segment"] for entry in roster.models.values()} == {
        "api-frontier",
        "api-cheap",
        "open-weight-hosted",
        "open-weight-self-hosted",
        "saved-login",
        "scripted",
    }


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([], Ablations()),
        (["turns-10", "prompt-terse"], Ablations(max_turns=10, prompt_variant="terse")),
        (["repairs-0"], Ablations(max_repair_cycles=0)),
        (["tools-few"], Ablations(tool_subset=("read_file",))),
    ],
)
def test_ablations_are_read_from_the_slug(parts, found):
    assert parse_ablations(parts, {"few": ["read_file"]}, "x") == found


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (["turns-0"], "'0' is no count from 1 to 1000"),
        (["turns-many"], "'many' is no count"),
        (["turns-3", "turns-4"], "'turns-4' stands twice"),
        (["heat-2"], "'heat-2' is no ablation"),
        (["tools-none"], "unknown tool subset 'none'"),
    ],
)
def test_an_ablation_that_is_none_is_said(parts, said):
    with pytest.raises(SuiteError, match=said):
        parse_ablations(parts, {}, "x")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"segment": "free"}, "is not in the list of segments"),
        ({"segment": "saved-login", "pinning": "strong"}, "pinning"),
        ({"endpoint": "https://user:word@host/v1"}, "without credentials"),
        ({"keyEnv": "sk-1234"}, "the name of an environment variable, never its value"),
        ({"key": "x"}, "key"),
    ],
)
def test_a_model_entry_that_is_wrong_is_said(changes, said):
    with pytest.raises(SuiteError, match=said):
        parse_model("m", MODEL | changes)


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"model": {}, "harness": {}, "price": null, "ablations": {}}', b"{"])
def test_what_is_no_contender_is_one_error(text):
    with pytest.raises(SuiteError):
        parse_contender("m", text, "--contender")


def test_a_contender_survives_its_way_over_the_command_line(roster):
    one = roster.contender("gpt-5-mini+turns-10+tools-few", {"few": ["read_file", "edit_file"]}, "x")
    again = parse_contender(one.slug, json.dumps(one.sources).encode(), "x")
    assert (again.model, again.harness, again.ablations, again.price) == (
        one.model,
        one.harness,
        one.ablations,
        one.price,
    )


def test_the_worst_case_is_every_turn_with_a_full_context(root, roster, campaign):
    task = campaign().suite.task("do-raise-led-resistor")
    one = roster.contender("gpt-5-mini+turns-10", {}, "x")
    assert worst_turns(task, one) == 10
    assert worst_usd(task, one) == pytest.approx(10 * (272_000 * 0.25 + 8192 * 2.0) / 1e6)


@pytest.mark.parametrize(("slug", "usd"), [("qwen3-coder-hosted", None), ("qwen3-coder-local", 0.0), ("scripted", 0.0)])
def test_an_unknown_price_is_unknown_and_no_price_is_none(roster, campaign, slug, usd):
    task = campaign().suite.task("do-raise-led-resistor")
    assert worst_usd(task, roster.contender(slug, {}, "x")) == usd


def test_every_condition_is_planned_beside_the_plain_model(campaign):
    planned = campaign(models=["scripted"], ablations=["turns-10"], repeats=1).model_records()
    assert planned == [
        f"results/2026-01-02/{slug}/do-raise-led-resistor/run-1.json" for slug in ("scripted", "scripted+turns-10")
    ]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"models": ["nobody"]}, "unknown model 'nobody'"),
        ({"models": ["scripted+tools-few"]}, "unknown tool subset 'few'"),
        ({"ablations": ["heat-2"]}, "ablations joined by"),
        ({"max_usd": -1}, "max_usd"),
    ],
)
def test_a_campaign_that_cannot_be_planned_is_said(campaign, settings, said):
    with pytest.raises(SuiteError, match=said):
        campaign(**settings)


def test_a_model_without_its_key_has_its_reason_where_its_sandbox_would_be(campaign):
    assert campaign().sandbox_of("gpt-5", "do-raise-led-resistor") == (
        "model gpt-5: its key is not set: OPENAI_API_KEY is empty; export OPENAI_API_KEY"
    )


def test_a_condition_that_is_none_has_its_reason_there_too(campaign):
    assert "is no ablation" in campaign().sandbox_of("scripted+heat-2", "do-raise-led-resistor")


def test_a_run_takes_one_unit_of_its_own_provider_only(campaign):
    resources = campaign().provider_resources()
    assert (resources["provider_openai"](run_of("gpt-5+turns-3")), resources["provider_ollama"](run_of("gpt-5"))) == (
        1,
        0,
    )
    assert {each(run_of("harness-gold")) for each in resources.values()} == {0}


def test_every_provider_of_the_examples_has_a_limit_in_the_profile(root, campaign):
    text = (root / "profiles/default/config.yaml").read_text()
    assert [name for name in campaign().provider_resources() if f"- {name}=" not in text] == []


def test_no_key_is_in_the_options_of_a_run(campaign, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted0123456789abcdefghijklmn")
    one = campaign(max_usd=5)
    options = one.run_options(run_of("gpt-5-mini"))
    assert "sk-planted" not in options
    assert "--max-usd 5" in options


def test_a_harness_that_lacks_an_option_cannot_vary_it(roster):
    one = roster.contender("claude-sonnet+prompt-terse", {}, "x")
    assert why_not_ready(one, "do", {})[0] == "the harness copperhead cannot vary promptVariant in mode do"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "its entry has no endpoint"),
        ({"endpoint": "https://models.example.invalid/v1"}, "its entry names no key for an endpoint elsewhere"),
        ({"endpoint": "https://models.example.invalid/v1", "keyEnv": "K"}, "its key is not set: K is empty"),
        ({"endpoint": "http://127.0.0.1:1/v1"}, "its harness is not here: copperbench-agent is not on PATH"),
        ({"env": ["COPPERHEAD_BASE_URL"]}, "its harness is not here: copperbench-agent is not on PATH"),
    ],
)
def test_what_an_endpoint_needs_is_known_before_anything_is_built(roster, changes, said):
    models = {**roster.models, "mine": MODEL | {"id": "compat:x"} | changes}
    one = replace(roster, models=models).contender("mine", {}, "x")
    assert why_not_ready(one, "do", {"PATH": "/nonexistent"})[0] == said
