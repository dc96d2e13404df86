"""Numbers change together: the arithmetic that a task rests on holds for every variant."""

from __future__ import annotations

from pathlib import Path

import pytest

from copperbench.errors import SuiteError
from copperbench.variants import load_declaration, scaling
from copperbench.variants.declaring import Quantity, TaskSubset
from copperbench.variants.scaling import holds, number, work

ROOT = Path(__file__).resolve().parents[2]


def subset(*keeps, forms=("{}",)):
    asked = Quantity("asked", ("220R", "200R"), None, 0, forms, None)
    budget = Quantity("budget", ("15", "16"), None, 0, ("budget is {}",), "supply_ma")
    total = Quantity("total", (), "3900 / asked", 1, ("{} mA",), None)
    return TaskSubset("do-something", (asked, budget, total), keeps)


def test_every_form_of_a_number_follows_and_longer_numbers_do_not():
    text = "220R: 17.7 mA; the budget is 15, not 1220R, 220Rx, 117.7 mA, 17.7 mAh or budget is 15.5"
    said = "200R: 19.5 mA; the budget is 16, not 1220R, 220Rx, 117.7 mA, 17.7 mAh or budget is 15.5"
    assert scaling(subset(), 1).text(text) == said


def test_a_budget_s_number_follows_by_its_key_alone():
    new = scaling(subset(), 1)
    assert [new.budget("supply_ma", 15), new.budget("other_ma", 15), new.budget("supply_ma", 14)] == [16, 15, 14]


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_same_seed_gives_the_same_numbers(seed):
    tasks = load_declaration(ROOT).tasks.values()
    assert [scaling(task, seed) for task in tasks] == [scaling(task, seed) for task in tasks]


@pytest.mark.parametrize(
    ("keeps", "said"),
    [
        ("total < 18", "does not hold for asked 200R, budget 16, total 19.5"),
        ("total", "is no inequality"),
        ("total < __import__('os')", "is not known here"),
        ("total < other", "'other' is not known here"),
        ("total <", "is no formula"),
        ("total < 1 / 0", "divides by zero"),
    ],
)
def test_arithmetic_that_would_not_hold_is_refused(keeps, said):
    with pytest.raises(SuiteError, match=said.replace("(", r"\(").replace(")", r"\)")):
        scaling(subset(keeps), 1)


def test_words_that_would_become_two_things_are_refused():
    twice = TaskSubset("do-x", (*subset().quantities, Quantity("again", ("220R", "100R"), None, 0, ("{}",), None)), ())
    with pytest.raises(SuiteError, match="'220R' would become two things"):
        scaling(twice, 1)


@pytest.mark.parametrize(
    ("text", "value"), [("15", 15.0), ("0.5", 0.5), ("220R", 220.0), ("3k3", 3300.0), ("8R2", 8.2), ("10k", 10000.0)]
)
def test_numbers_are_read_as_a_sheet_writes_them(text, value):
    assert number(text, "x") == pytest.approx(value)


def test_formulas_keep_the_order_of_arithmetic():
    assert (work("(4 - 2) * 3 / 4 + a", {"a": 1.0}, "x"), holds("a >= 1", {"a": 1.0}, "x")) == (2.5, True)
