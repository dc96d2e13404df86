"""The quick answer whether a document fits: the library's own answer, and never a yes where that says no."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from copperbench.suite.fitting import Fitting, InDoubt

ROOT = Path(__file__).resolve().parents[2]
KINDS = sorted(path.name.removesuffix(".schema.json") for path in (ROOT / "schema").iterdir())
STRANGE = [None, True, False, 0, 1, -1, 1.0, 2.5, "", "x", "Über\n", "a" * 3000, [], {}, [[]], ["x", "x"], {"x": 1}]


@cache
def schema(name: str) -> Any:
    return json.loads((ROOT / "schema" / name).read_bytes())


@cache
def oracle(kind: str) -> Draft202012Validator:
    registry = Registry(retrieve=lambda uri: Resource.from_contents(schema(uri)))
    return Draft202012Validator(schema(f"{kind}.schema.json"), registry=registry)


@cache
def documents(kind: str) -> tuple[Any, ...]:
    """Committed documents of a kind, each of which fits."""
    places = {
        "task": ["tasks/*/task.json"],
        "assertions": ["tasks/*/assertions.json"],
        "fixture": ["fixtures/*/fixture.json"],
        "solution": ["solutions/*/*.json"],
        "run": ["results/*/*/*/run-1/run.json"],
        "result": ["results/*/*/*/run-1.json"],
        "pricing": ["config/pricing.json"],
    }
    paths = [path for place in places.get(kind, [f"config/{kind}.yaml"]) for path in sorted(ROOT.glob(place))]
    return tuple(
        yaml.safe_load(path.read_text()) if path.suffix == ".yaml" else json.loads(path.read_bytes()) for path in paths
    )


def answer(kind: str, value: object) -> bool:
    """Ours; a doubt counts as a no, since the library is asked then."""
    try:
        return Fitting(schema(f"{kind}.schema.json"), schema).fits(value)
    except InDoubt:
        return False


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a document with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def broken(document: Any, chance: random.Random) -> Any:
    """The document with one place of it taken out, said twice, named otherwise, or made something else."""
    made = copy.deepcopy(document)
    container, key = chance.choice(places(made))
    change = chance.choice(["remove", "rename", "replace", "swap"])
    if change == "remove":
        del container[key]
    elif change == "swap":
        other, at = chance.choice(places(made))
        container[key] = copy.deepcopy(other[at])
    elif change == "rename" and isinstance(container, dict):
        container[chance.choice(["x", "", "Über", "id", "a" * 300])] = container.pop(key)
    else:
        container[key] = chance.choice(STRANGE)
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_every_committed_document_fits_without_the_library(kind):
    assert documents(kind), f"no document of kind {kind}"
    assert [place for place, each in enumerate(documents(kind)) if not answer(kind, each)] == []


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_broken_document_gets_the_librarys_answer(kind, seed):
    chance = random.Random(seed)
    value = broken(chance.choice(documents(kind)), chance)
    fits = oracle(kind).is_valid(value)
    assert answer(kind, value) in ({True, False} if fits else {False})


def test_hardly_any_fitting_document_is_left_in_doubt():
    chance = random.Random(8)
    fitting = doubted = 0
    for kind in KINDS:
        for _ in range(150):
            value = broken(chance.choice(documents(kind)), chance)
            if oracle(kind).is_valid(value):
                fitting += 1
                doubted += not answer(kind, value)
    assert fitting > 50
    assert doubted <= fitting // 20


@pytest.mark.parametrize("value", STRANGE, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_no_strange_value_is_let_through(kind, value):
    assert oracle(kind).is_valid(value) or not answer(kind, value)


@pytest.mark.parametrize(
    ("keyword", "wanted", "value"),
    [
        ("const", 1, True),
        ("const", True, 1),
        ("enum", [0], False),
        ("type", "integer", True),
        ("pattern", "^a$", "a\n"),
        ("oneOf", [True, True], 1),
    ],
)
def test_what_python_takes_for_the_same_is_not(keyword, wanted, value):
    assert not Fitting({keyword: wanted}, schema).fits(value)


@pytest.mark.parametrize("unknown", ["contains", "anyOf", "format"])
def test_a_keyword_that_is_not_known_here_is_in_doubt(unknown):
    with pytest.raises(InDoubt):
        Fitting({unknown: []}, schema).fits({})


def test_reading_the_committed_suite_starts_no_library():
    code = "from copperbench.suite import load_suite; from pathlib import Path; import sys\n"
    code += "suite = load_suite(Path()); [suite.task(name) for name in suite.task_ids()]\n"
    code += "print('jsonschema' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
