"""The index of attacks at the head of conftest.py is true: each names a test that exists."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMED = [
    line.strip()
    for line in (ast.get_docstring(ast.parse((HERE / "conftest.py").read_text())) or "").splitlines()
    if "::" in line
]


def test_there_are_at_least_forty_attacks():
    assert len(NAMED) >= 40


@pytest.mark.parametrize("name", NAMED)
def test_an_attack_of_the_index_has_its_test(name):
    file, _, function = name.partition("::")
    defined = ast.parse((HERE / file).read_text()).body
    assert function in {each.name for each in defined if isinstance(each, ast.FunctionDef)}
