"""Whatever value is put anywhere into a manifest, the outcome is a value of ours or one error of ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.errors import SuiteError
from copperbench.suite import load_solution, load_task, parse_fixture, parse_task

TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | TEXT | st.just("a\n") | st.just("../x"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def spoilt(draw: st.DataObject, value: Any) -> bytes:
    """The value with something else, or nothing, at one place."""
    path = draw.draw(st.sampled_from(list(places(value))))
    if not path:
        return json.dumps(draw.draw(VALUES)).encode()
    holder = made = copy.deepcopy(value)
    for key in path[:-1]:
        holder = holder[key]
    if draw.draw(st.booleans()):
        holder[path[-1]] = draw.draw(VALUES)
    else:
        del holder[path[-1]]
    return json.dumps(made).encode()


def ends_well(read: Any) -> bool:
    """Whether `read` gives a value or one line of ours; any other exception fails the test."""
    try:
        return read() is not None
    except SuiteError as error:
        return "\n" not in str(error)


@FUZZ
@given(draw=st.data())
def test_a_spoilt_task_is_a_task_or_one_error(checkout, draw):
    task = load_task(checkout.root / "tasks/do-flag", checkout.root)
    name = draw.draw(st.sampled_from(["task.json", "assertions.json"]))
    data = spoilt(draw, json.loads(task.manifests[name]))
    assert ends_well(lambda: parse_task({**task.manifests, name: data}, "sealed"))


@FUZZ
@given(draw=st.data())
def test_a_spoilt_fixture_is_a_fixture_or_one_error(checkout, draw):
    value = json.loads((checkout.root / "fixtures/own-board/fixture.json").read_text())
    assert ends_well(lambda: parse_fixture(spoilt(draw, value), "sealed"))


@FUZZ
@given(draw=st.data())
def test_a_spoilt_solution_is_a_solution_or_one_error(checkout, draw):
    steps = [
        {"op": "replace", "path": "a", "old": "x", "new": "y", "count": 1},
        {"op": "table-row", "path": "a", "end": True, "cells": ["x"]},
        {"op": "commit", "message": "m"},
    ]
    value = {"name": "trap-a", "summary": "s", "exitPath": "done", "steps": steps, "caughtBy": ["ending"]}
    checkout.write("solutions/do-edit/trap-a.json", spoilt(draw, value))
    assert ends_well(lambda: load_solution(checkout.root / "solutions/do-edit/trap-a.json"))


@FUZZ
@given(draw=st.data())
def test_validating_a_spoilt_suite_always_ends_in_findings_of_one_line(checkout, draw):
    part = draw.draw(
        st.sampled_from(
            [
                "tasks/do-refuse/task.json",
                "tasks/do-refuse/assertions.json",
                "solutions/do-refuse/gold.json",
                "fixtures/own-board/fixture.json",
                "fixtures/own-board/baseline/erc.json",
            ]
        )
    )
    before = (checkout.root / part).read_bytes()
    checkout.write(part, spoilt(draw, json.loads(before)))
    findings = checkout.findings()
    checkout.write(part, before)
    assert all("\n" not in finding for finding in findings)
