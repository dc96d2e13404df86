"""Registered limits are read strictly, and budgets are registered beside what is there."""

from __future__ import annotations

import dataclasses
import json

import pytest

from copperbench.errors import CopperbenchError
from copperbench.scaffold import configure, forbidden_pins, parse_config, parse_constraints, register_budgets
from copperbench.suite import TaskConfig, load_fixture


def entry(**fields) -> bytes:
    return json.dumps({"k": fields}).encode()


def test_an_entry_gives_its_fields():
    (found,) = parse_constraints(entry(value=20, min=1, source="SPEC.md", affects=["R1"], forbidden=["EN"]))
    assert dataclasses.asdict(found) == {
        "key": "k",
        "value": 20,
        "min": 1,
        "max": None,
        "forbidden": ("EN",),
        "source": "SPEC.md",
        "affects": ("R1",),
    }


def test_true_is_no_number():
    assert parse_constraints(entry(value=True, max=True))[0].numbers == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"a": 1}',
        b'{"a": {"value": 1}, "a": {"value": 2}}',
        b"\xff",
        b"{" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": {"value": NaN}}',
        b'{"a": {"value": 1e999}}',
        b"\x00",
        b" " * (9 << 20),
    ],
    ids=["empty", "list", "number", "twice", "no-utf8", "open", "deep", "nan", "infinite", "nul", "huge"],
)
def test_a_file_that_two_readers_could_read_differently_is_one_clear_error(data):
    with pytest.raises(CopperbenchError, match=r"^constraints\.json"):
        parse_constraints(data, "constraints.json")


def test_settings_of_the_wrong_type_count_as_absent():
    config = parse_config(b'{"schematic": 3, "budgets": {"a": 1, "b": "2", "c": true}, "llmCache": false}')
    assert (config.schematic, config.docs, config.budgets, config.llm_cache) == (None, "docs/", {"a": 1}, False)


def test_budgets_are_registered_beside_other_entries(tmp_path):
    place = tmp_path / ".copperhead/constraints.json"
    place.parent.mkdir()
    place.write_bytes(entry(max=3, source="SPEC.md", affects=[]))
    register_budgets(tmp_path, {"vdd_volts": 1.8})
    found = {each.key: (each.value, each.max, each.source) for each in parse_constraints(place.read_bytes())}
    assert found == {"k": (None, 3, "SPEC.md"), "vdd_volts": (1.8, None, "config.budgets")}


def test_the_task_settings_win_over_what_init_wrote(root, tmp_path):
    place = tmp_path / ".copperhead/config.json"
    place.parent.mkdir()
    place.write_text('{"model": "x", "schematic": "sub.kicad_sch", "llmCache": true, "maxTurns": 1}')
    fixture = load_fixture(root / "fixtures/copperbench-ldo-sensor")
    configure(tmp_path, fixture, TaskConfig({"a": 2}, 9, 4, {"layout": 3}))
    assert json.loads(place.read_text()) == {
        "board": fixture.board,
        "budgets": {"a": 2},
        "llmCache": False,
        "maxRepairCycles": 4,
        "maxTurns": 9,
        "model": "x",
        "schematic": fixture.schematic,
        "stageMaxTurns": {"layout": 3},
    }


@pytest.mark.parametrize(("net", "count"), [("EN", 1), ("unconnected-(U1-EN)", 0)])
def test_a_forbidden_pin_counts_only_where_it_has_a_net(make_part, draw, wire, net, count):
    limits = parse_constraints(entry(forbidden=["EN"], source="", affects=[]))
    assert len(forbidden_pins(limits, draw(make_part("U1", {"3": "EN"})), wire(U1_3=net))) == count
