"""The schemas: valid drafts, and faults that read as a person would put them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import check_schema, schema_bytes, schema_errors

KINDS = ("task", "assertions", "fixture", "solution", "suite", "config", "models", "pricing")
VOCABULARY = [
    *("erc_no_new_violations", "drc_no_new_violations", "erc_clean", "drc_clean", "check_clean", "drift_clean"),
    *("net_present", "net_absent", "symbol_present", "symbol_absent", "pin_net_equals"),
    *("doc_row_matches", "doc_contains", "constraint_registered"),
    *("files_touched_subset", "file_unchanged", "diff_ratio_max", "commit_count", "rollback_byte_identical"),
    *("no_secret", "exit_path_in", "refusal_cites_budget", "transcript_event"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_schema_is_a_valid_draft_2020_12(kind):
    from jsonschema import Draft202012Validator

    schema = json.loads(schema_bytes(kind))
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    children = list(schema.values()) if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    if isinstance(schema, dict) and schema.get("type") == "object":
        yield schema
    for child in children:
        yield from objects(child)


@pytest.mark.parametrize("kind", KINDS)
def test_no_object_of_a_schema_lets_a_misspelt_field_through(kind):
    # Left open: `args` (its type's branch closes it), a step (its operation's does), an event's data.
    schema = json.loads(schema_bytes(kind))
    left_open = [each for each in objects(schema) if "additionalProperties" not in each]
    assert all(not set(each) - {"type", "description"} or each.get("required") == ["op"] for each in left_open)


def test_the_vocabulary_is_the_closed_list_of_23():
    schema = json.loads(schema_bytes("assertions"))
    assert schema["$defs"]["assertion"]["properties"]["type"]["enum"] == VOCABULARY


@pytest.mark.parametrize("name", VOCABULARY)
def test_every_type_refuses_an_argument_that_it_does_not_have(name):
    errors = schema_errors("assertions", [entry(type=name, args={"nonsense": 1})], "f")
    assert any("'nonsense' is no known field here" in error for error in errors)


def entry(**fields: Any) -> dict[str, Any]:
    return {"id": "a-b", "type": "net_present", "args": {"net": "X"}, "weight": 1, "required": True} | fields


PATH = "is not a relative path with / between folders that stays inside the tree; correct it"
ONE_OF = "is not an object with exactly one of equals and max; correct it"
KEBAB = "is not a kebab-case id (a-z, 0-9 and single hyphens); correct it"
ALLOWED = "allowed here: id, type, args, weight, required, note"
# What an entry is given, and the whole of what is said about it after `$[0]`; (STANDARD 1.2) unless it says more.
WRONG_ENTRIES = [
    ({"type": "net_exists"}, ".type: 'net_exists' is not in the vocabulary; the nearest is 'net_present' (STANDARD 4)"),
    ({"type": "no_secrets"}, ".type: 'no_secrets' is not in the vocabulary; the nearest is 'no_secret' (STANDARD 4)"),
    ({"id": "A"}, f".id: 'A' {KEBAB}"),
    ({"id": "a\n"}, rf".id: 'a\n' {KEBAB}"),
    ({"args": {}}, ".args: 'net' is missing; add it"),
    ({"args": {"net": "X", "nett": 1}}, ".args: 'nett' is no known field here; the nearest is 'net'"),
    ({"args": {"net": "PWR_FLAG"}}, ".args.net: 'PWR_FLAG' is not a net's name (PWR_FLAG is none); correct it"),
    ({"weight": 0}, ".weight: 0 is not a weight above 0; correct it"),
    ({"weight": "1"}, ".weight: '1' is not a weight above 0; correct it"),
    ({"required": "yes"}, ".required: 'yes' is not of type boolean; write it so"),
    ({"extra": 1}, f": 'extra' is no known field here; remove it; {ALLOWED}"),
    ({"type": "commit_count", "args": {}}, f".args: the empty object {ONE_OF}"),
    ({"type": "commit_count", "args": {"equals": 1, "max": 1}}, f".args: the object {ONE_OF}"),
    ({"type": "file_unchanged", "args": {"path": "../x"}}, f".args.path: '../x' {PATH}"),
    ({"type": "file_unchanged", "args": {"path": "/etc/x"}}, f".args.path: '/etc/x' {PATH}"),
    ({"type": "file_unchanged", "args": {"path": "a\\b"}}, f".args.path: 'a\\\\b' {PATH}"),
    (
        {"type": "diff_ratio_max", "args": {"path": "x", "ratio": 0}},
        ".args.ratio: 0 is not a share above 0 and at most 1; correct it",
    ),
    (
        {"type": "exit_path_in", "args": {"paths": ["finished"]}},
        ".args.paths[0]: 'finished' is not in the list of exit paths; the nearest is 'refused'",
    ),
]


@pytest.mark.parametrize(("fields", "said"), WRONG_ENTRIES)
def test_a_wrong_assertion_is_exactly_one_error_that_names_place_fault_and_remedy(fields, said):
    section = "" if said.endswith(")") and "STANDARD" in said else " (STANDARD 1.2)"
    expected = f"tasks/x/assertions.json: $[0]{said}{section}"
    assert schema_errors("assertions", [entry(**fields)], "tasks/x/assertions.json") == [expected]


def task(**fields: Any) -> dict[str, Any]:
    base = {
        "id": "x",
        "tier": "simple",
        "mode": "do",
        "fixture": {"path": "fixtures/x", "sha256": "0" * 64},
        "request": {"prompt": "rename net A to B"},
        "expectedOutcome": "edit",
        "config": {},
        "caps": {"turns": 1, "wallClockSec": 1},
        "tags": ["a"],
    }
    return base | fields


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mode": "sync"},
        {"mode": "create", "request": {"briefPath": "briefs/x.md"}},
        {"mode": "check", "request": {}},
        {"expectedOutcome": "flag"},
        {"setup": {"commands": ["init"], "seed": [{"op": "write", "path": "docs/x.md", "text": ""}]}},
        {"config": {"budgets": {"vdd_volts": 1.8}, "stageMaxTurns": {"schematic": 3}}},
    ],
)
def test_every_shape_of_task_that_the_standard_allows_fits(fields):
    assert schema_errors("task", task(**fields), "f") == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"mode": "create"}, "$.request: 'briefPath' is missing; add it (STANDARD 1.1)"),
        (
            {"request": {"prompt": "x", "briefPath": "briefs/x.md"}},
            "$.request: the object has too many fields (at most 1)",
        ),
        ({"request": {}}, "$.request: 'prompt' is missing; add it (STANDARD 1.1)"),
        ({"request": {"prompt": "--help"}}, "$.request.prompt: '--help' is not a request that starts with"),
        ({"mode": "sync", "expectedOutcome": "flag"}, "$.mode: 'sync' is not do, the mode of every flag task"),
        ({"config": {"llmCache": False}}, "$.config: 'llmCache' is no known field here"),
        ({"setup": {"commands": ["sync"]}}, "'sync' is not in the list of model-free subcommands"),
        ({"setup": {"seed": [{"op": "commit", "message": "x"}]}}, "'commit' is not in the list of operations"),
        ({"setup": {"seed": [{"op": "replace", "path": "x", "old": "a", "new": "b"}]}}, "'count' is missing"),
        ({"fixture": {"path": "../x", "sha256": "0" * 64}}, "$.fixture.path: '../x' is not fixtures/<id>"),
        ({"fixture": {"path": "fixtures/x", "sha256": "0" * 63}}, "is not a SHA-256 in lower-case hex"),
        ({"rubric": "/etc/passwd"}, "$.rubric: '/etc/passwd' is not a file in rubrics/"),
    ],
)
def test_a_wrong_task_is_told_where_and_what(fields, said):
    (error,) = schema_errors("task", task(**fields), "f")
    assert said in error


def solution(**fields: Any) -> dict[str, Any]:
    return {"name": "trap-x", "summary": "s", "exitPath": "done", "steps": [], "caughtBy": ["a"]} | fields


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "gold"}, "$.caughtBy: the list has too many entries (at most 0)"),
        ({"caughtBy": []}, "$.caughtBy: the empty list has too few entries (at least 1)"),
        ({"impliedBy": {"a": "b"}}, "$.impliedBy: the object has too many fields (at most 0)"),
        ({"name": "trap-X"}, "$.name: 'trap-X' is not gold or trap-<name>"),
        ({"steps": [{"op": "exec", "path": "x"}]}, "$.steps[0].op: 'exec' is not in the list of operations"),
        ({"steps": [{"op": "table-row", "path": "x", "cells": ["a"]}]}, "exactly one of after and end"),
        ({"steps": [{"op": "json-set", "path": "x", "pointer": "a", "value": 1}]}, "is not a JSON pointer"),
    ],
)
def test_a_wrong_solution_is_told_where_and_what(fields, said):
    (error,) = schema_errors("solution", solution(**fields), "f")
    assert said in error


def test_a_long_value_is_cut_in_the_message():
    error = schema_errors("assertions", [entry(id="x" * 5000 + "!")], "f")[0]
    assert len(error) < 300


def test_checking_raises_the_first_fault_and_counts_the_others():
    with pytest.raises(SuiteError, match=r"^f: \$\[0\].id: .* \(and 1 more\); "):
        check_schema("assertions", [entry(id="A", weight=0)], "f")


@pytest.mark.parametrize("data", [None, 0, "", [], {}, [[]], [None], {"id": []}, [{"type": []}], [{"args": 1}]])
@pytest.mark.parametrize("kind", KINDS)
def test_no_value_of_any_type_makes_the_reporter_stumble(kind, data):
    assert all(error.startswith("f: $") for error in schema_errors(kind, data, "f"))


def test_the_committed_configuration_fits_its_schemas(root):
    from copperbench.suite import parse_yaml

    config = parse_yaml((root / "config/config.yaml").read_bytes(), "config/config.yaml")
    assert schema_errors("config", config, "config/config.yaml") == []


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("config", {"suite": "smoke", "harnesses": ["nop"], "isolation": "none"}, "the nearest is 'noop'"),
        ("config", {"suite": "smoke", "harnesses": [], "isolation": "none", "repeat": 3}, "the nearest is 'repeats'"),
        ("models", {"models": {"harness-gold": {}}}, "'harness-gold' is not a model's slug"),
        (
            "pricing",
            {"tableVersion": "1", "effectiveDate": "2026-01-01", "models": {"m": {"input": -1, "output": 1}}},
            "-1 is not a price",
        ),
    ],
)
def test_a_slip_in_the_configuration_is_named(kind, data, said):
    assert any(said in error for error in schema_errors(kind, data, "f"))


def test_a_saved_login_is_never_strongly_pinned():
    model = {"id": "codex", "provider": "codex", "segment": "saved-login", "pinning": "strong", "harness": "copperhead"}
    assert schema_errors("models", {"models": {"codex": model}}, "f") == [
        "f: $.models.codex.pinning: 'strong' is not weak, as every saved login is; correct it (STANDARD 8)"
    ]


def test_an_upstream_names_a_commit_or_a_package_and_not_both(root):
    value = json.loads((root / "fixtures/jetson-agx-thor-baseboard/fixture.json").read_text())
    value["upstream"]["commit"] = "0" * 40
    both = schema_errors("fixture", value, "fixture.json")
    del value["upstream"]["package"], value["upstream"]["commit"]
    neither = schema_errors("fixture", value, "fixture.json")
    assert (len(both), len(neither), "'commit' is missing" in neither[0]) == (1, 1, True)
