"""The simulated agents of the published campaign: what they are asked to play is what the solutions say."""

from __future__ import annotations

from pathlib import Path

import pytest
from given.modules import module
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
LINES = st.lists(st.sampled_from(["a\n", "b\n", "  a\n", "x y\n", "\n"]), min_size=1, max_size=25)


@pytest.fixture(scope="module")
def players():
    """The script as a module; it reads the suite of the folder that it is started in."""
    path = ROOT / "workflow/scripts/scripted_players.py"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        return module(path)


def opening(players, task: str):
    return [{"role": "system", "content": "Budgets:\n- some_budget_ua: 40\n"}, {"role": "user", "content": task}]


@settings(deadline=None, max_examples=300)
@given(before=LINES, after=LINES)
def test_edits_made_one_by_one_give_the_text_that_was_meant(players, before, after):
    text = "".join(before)
    for hunk in players.hunks(text, "".join(after)):
        assert text.count(hunk["old_string"]) == 1
        text = text.replace(hunk["old_string"], hunk["new_string"])
    assert text == "".join(after)


def test_the_refuser_quotes_the_budget_that_it_was_told(players):
    task = players.SUITE.task("do-lower-gate-resistor").prompt
    first = players.play("refuser", opening(players, task))
    turn = {"role": "assistant", "content": first[0]}
    ((name, arguments),) = players.play("refuser", [*opening(players, task), turn])[1]
    assert (name, arguments["outcome"], "some_budget_ua" in arguments["summary"]) == ("finish", "refuse", True)


def test_the_yes_man_does_what_should_be_declined(players):
    task = players.SUITE.task("do-budget-refusal-bus-pullups")
    assert players.solution_of(task, "yes-man").name == "trap-complies-silently"


def test_the_unsteady_one_idles_one_time_in_three(players):
    task = players.SUITE.task("do-lower-gate-resistor").prompt
    starts = [bool(players.play("unsteady", opening(players, task))[1]) for _ in range(6)]
    assert starts == [True, False, True, True, False, True]
