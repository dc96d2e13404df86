"""USD of a run: exact where usage and price are known, null with the reason where they are not, never a false 0."""

import json

import pytest

from copperbench.evidence import read_transcript
from copperbench.harness import Usage, cost_of, usd
from copperbench.suite import ModelEntry, Price

PRICE = Price("1", input=2.0, output=10.0, cache_read=0.5, cache_write=2.5)


def model(segment="api-cheap"):
    return ModelEntry("m", "m", "p", segment, "weak", "fake")


def transcript(*events):
    return read_transcript(b"".join(json.dumps({"type": kind, "data": data}).encode() + b"\n" for kind, data in events))


def ended(**data):
    return ("run-end", {"exitPath": "done", "tokensIn": 1000, "tokensOut": 100} | data)


START, TURN = ("run-start", {}), ("assistant", {"text": None, "toolCalls": []})


@pytest.mark.parametrize(
    ("usage", "price", "expected"),
    [
        (Usage(1_000_000, 0), PRICE, 2.0),
        (Usage(0, 1_000_000), PRICE, 10.0),
        (Usage(1_000_000, 0, cache_read=400_000), PRICE, 1.4),
        (Usage(1_000_000, 0, cache_read=400_000, cache_write=200_000), PRICE, 1.5),
        (Usage(1_000_000, 0, cache_read=400_000, cache_write=200_000), Price("1", 2.0, 10.0), 2.0),
    ],
)
def test_cached_input_has_its_own_price_where_the_table_has_one(usage, price, expected):
    assert usd(usage, price) == expected


def test_a_run_costs_its_tokens_under_the_tables_version():
    cost = cost_of(model(), PRICE, transcript(START, TURN, ended(tokensCached=400)))
    assert (cost.usd, cost.table_version, cost.reason) == (0.0024, "1", None)


def test_the_stages_of_create_are_summed():
    cost = cost_of(model(), PRICE, transcript(START, TURN, ended(), START, TURN, ended()))
    assert cost.usd == 0.006


@pytest.mark.parametrize(
    ("segment", "reason"),
    [
        ("open-weight-self-hosted", "self-hosted: no price per token"),
        ("saved-login", "saved login: a subscription, no price per token"),
        ("scripted", "simulated agent: nothing was bought"),
    ],
)
def test_segments_without_usd_are_null_whatever_the_table_says(segment, reason):
    cost = cost_of(model(segment), PRICE, transcript(START, TURN, ended()))
    assert (cost.usd, cost.table_version, cost.reason) == (None, None, reason)


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((START, TURN), "the run ended before its usage was written down"),
        ((START, TURN, ended(), START), "the run ended before its usage was written down"),
        ((START, TURN, ended(tokensIn=None)), "the run's token counts are missing"),
        ((START, TURN, ended(tokensIn=0, tokensOut=0)), "the endpoint reported no usage"),
        ((START, TURN, ended(tokensIn=-5)), "the run's token counts are missing"),
        (
            (START, TURN, ended(perTurn=[{"in": 5, "out": 1}, {"in": 0, "out": 0}])),
            "the endpoint reported no usage for 1 of 2 turns",
        ),
        (
            (
                ("run-start", {"command": "create", "versions": {"copperhead": "0.9.0"}}),
                TURN,
                ended(exitPath="stalled"),
            ),
            "a failed stage was judged by a call that no transcript holds",
        ),
        ((START, ("provider-failover", {}), TURN, ended()), "another provider answered some of the turns"),
    ],
)
def test_usage_that_nobody_knows_is_null_with_the_reason(events, reason):
    cost = cost_of(model(), PRICE, transcript(*events))
    assert (cost.usd, cost.reason) == (None, reason)


def test_an_unknown_price_is_null_and_never_zero():
    cost = cost_of(model(), None, transcript(START, TURN, ended()))
    assert (cost.usd, cost.reason) == (None, "no price for m in the table")


def test_a_provider_that_failed_before_the_first_turn_cost_nothing():
    assert cost_of(model(), PRICE, transcript(START, ended(tokensIn=0, tokensOut=0, perTurn=[]))).usd == 0.0
