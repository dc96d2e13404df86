"""What the suite profile promises: each simulated agent fails where its habit says so, and the careful one passes."""

from __future__ import annotations

import json
import re

import pytest

from copperbench.harness.profiling import profile_task
from copperbench.harness.strategies import STRATEGIES, Scene, complying
from copperbench.kicad import find_kicad_cli
from copperbench.reporting.profile import ProfileCell, profile_markdown, profile_rows, rare_passes
from copperbench.sandbox import build_sandbox, unpack_sandbox
from copperbench.suite import load_suite

QUICK = ("do-rename-data-line", "do-budget-refusal-bus-pullups", "do-flag-alert-pullup")
BLIND = ("idle", "always-refuses", "cites-every-budget", "docs-only")
BY_NAME = {strategy.name: strategy for strategy in STRATEGIES}


@pytest.fixture(scope="module")
def cells_of(root, tmp_path_factory):
    suite, reports = load_suite(root), tmp_path_factory.mktemp("reports")

    def cells(task):
        return profile_task(suite, task, tmp_path_factory.mktemp(task), find_kicad_cli(None), cache=reports)

    return cells


@pytest.fixture
def scene_of(root, tmp_path):
    """A task's starting state, unpacked, as a strategy sees it."""
    suite = load_suite(root)

    def scene(task_id):
        task = suite.task(task_id)
        fixture = suite.fixture(task.fixture_id)
        archive = tmp_path / "sandbox.tar.zst"
        archive.write_bytes(build_sandbox(task, fixture, root / "fixtures" / fixture.id / "tree").data)
        place = tmp_path / "sandbox"
        unpack_sandbox(archive, place)
        solutions = suite.solutions(task_id)
        gold = next(each for each in solutions if each.name == "gold")
        return Scene(task, fixture, place, gold, complying(task, solutions))

    return scene


@pytest.mark.kicad
@pytest.mark.parametrize("task", QUICK)
def test_nothing_passes_by_neglect_and_care_passes(cells_of, task):
    assert [(cell.strategy, cell.failed) for cell in cells_of(task) if cell.is_surprise] == []


@pytest.mark.kicad
@pytest.mark.slow
def test_nothing_passes_by_neglect_on_the_whole_suite(root, cells_of):
    suite = load_suite(root)
    here = [
        task
        for task in suite.task_ids()
        if (root / "fixtures" / suite.task(task).fixture_id / "tree").is_dir() and "large" not in suite.task(task).tags
    ]
    cells = [cell for task in here for cell in cells_of(task)]
    assert [(cell.strategy, cell.task) for cell in cells if cell.is_surprise] == []
    rows = {
        row.strategy: dict(zip(("edit", "refusal", "flag"), row.outcomes, strict=True)) for row in profile_rows(cells)
    }
    assert [name for name in BLIND for outcome in ("edit", "flag") if rows[name][outcome][0]] == []


@pytest.mark.parametrize("name", ["docs-only", "idle", "always-refuses", "cites-every-budget"])
def test_a_blind_strategy_writes_no_design_file(scene_of, name):
    steps = BY_NAME[name].solution(scene_of("do-rename-data-line")).steps
    assert [
        step.args["path"] for step in steps if str(step.args.get("path", "")).endswith((".kicad_sch", ".kicad_pcb"))
    ] == []


def test_silenced_rules_are_silent_where_the_project_named_none(scene_of):
    steps = BY_NAME["silences-rules"].solution(scene_of("do-rename-data-line")).steps
    project = next(step for step in steps if str(step.args.get("path", "")).endswith(".kicad_pro"))
    severities = json.loads(project.args["text"])["erc"]["rule_severities"]
    assert set(severities.values()) == {"ignore"}


def test_citing_everything_names_each_budget_of_the_task(scene_of):
    scene = scene_of("do-budget-refusal-bus-pullups")
    summary = BY_NAME["cites-every-budget"].solution(scene).summary
    assert [key for key in scene.task.config.budgets if not re.search(rf"\b{key}\b", summary)] == []


def test_who_never_refuses_follows_a_known_answer_that_complies(scene_of):
    assert BY_NAME["never-refuses"].solution(scene_of("do-budget-refusal-bus-pullups")).exit_path == "done"


def test_a_pass_by_neglect_is_named_in_the_document():
    cell = ProfileCell("idle", "does nothing", "everything", "do-x", "simple", "edit", True, "pass", "done", ())
    assert "- idle on do-x: pass" in profile_markdown([cell], [], "1.0.0")


def test_the_one_task_that_a_habit_passes_is_named_and_many_are_not():
    def cells(strategy, passes):
        for number in range(10):
            verdict = "pass" if number < passes else "fail"
            yield ProfileCell(strategy, "", "", f"do-{number}", "simple", "edit", False, verdict, "done", ())

    all_cells = [*cells("replace-all", 1), *cells("relaxes-budgets", 2), *cells("idle", 0)]
    assert [(cell.strategy, cell.task) for cell in rare_passes(all_cells)] == [("replace-all", "do-0")]
    assert "- replace-all passes do-0 (edit)" in profile_markdown(all_cells, [], "1.0.0")
