"""What the tasks' READMEs promise is what the solutions are, and what grading says of them."""

import re

import pytest

from copperbench.suite import load_suite

ROW = re.compile(r"^\| `(trap-[a-z0-9-]+)` \|.*\| ([^|]*) \|$", re.MULTILINE)


def promised(root, task):
    text = (root / "tasks" / task / "README.md").read_text(encoding="utf-8")
    return {name: set(re.findall(r"`([a-z0-9-]+)`", cell)) for name, cell in ROW.findall(text)}


@pytest.fixture(scope="module")
def suite(root):
    return load_suite(root)


def pytest_generate_tests(metafunc):
    if "task" in metafunc.fixturenames:
        from pathlib import Path

        root = Path(__file__).resolve().parents[2]
        metafunc.parametrize("task", load_suite(root).task_ids())


def test_every_trap_in_the_readme_is_a_solution_and_names_what_catches_it(root, suite, task):
    traps = {each.name: set(each.caught_by) for each in suite.solutions(task) if each.name != "gold"}
    assert promised(root, task) == traps


def test_every_bound_on_an_edit_stands_in_the_readme(root, suite, task):
    text = " ".join((root / "tasks" / task / "README.md").read_text(encoding="utf-8").split())
    bounds = [spec.args["ratio"] for spec in suite.task(task).required if spec.type == "diff_ratio_max"]
    told = {float(number) for number in re.findall(r"\d+\.\d+", text)}
    assert [bound for bound in bounds if bound not in told] == []


def test_no_note_of_the_skeleton_to_its_author_is_left(root, task):
    assert "For the author:" not in (root / "tasks" / task / "README.md").read_text(encoding="utf-8")


def test_every_task_has_enough_assertions_and_traps(suite, task):
    assert len(suite.task(task).required) >= 6
    assert len(suite.solutions(task)) >= 4


def test_every_required_assertion_has_a_trap_of_its_own_or_an_assertion_that_implies_it(suite, task):
    gold, *traps = suite.solutions(task)
    implied = gold.implied_by
    alone = {ids[0] for trap in traps if len(ids := [each for each in trap.caught_by if each not in implied]) == 1}
    assert [spec.id for spec in suite.task(task).required if spec.id not in alone | set(implied)] == []


def test_a_trap_that_breaks_an_implied_assertion_breaks_what_implies_it(suite, task):
    gold, *traps = suite.solutions(task)
    broken = [
        (trap.name, weaker)
        for trap in traps
        for weaker, stronger in gold.implied_by.items()
        if weaker in trap.caught_by and stronger not in trap.caught_by
    ]
    assert broken == []


def test_the_readme_quotes_the_request(root, suite, task):
    text = (root / "tasks" / task / "README.md").read_text(encoding="utf-8")
    quoted = " ".join(line.removeprefix("> ") for line in text.splitlines() if line.startswith("> "))
    asked = suite.task(task)
    brief = asked.manifests.get(asked.brief_path or "", b"").decode("utf-8")
    assert quoted == (asked.prompt or " ".join(brief.split()))
