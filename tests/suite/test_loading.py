"""Tasks, fixtures, solutions and the suite as values; the hashes that comparability rests on."""

from __future__ import annotations

import hashlib

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import load_fixture, load_solution, load_suite, load_task, parse_task


def task_of(checkout, name="do-edit"):
    return load_task(checkout.root / "tasks" / name, checkout.root)


def test_a_task_from_a_seal_equals_the_task_on_disk(checkout):
    task = task_of(checkout)
    assert parse_task(task.manifests, "sealed") == task


def test_the_manifest_hash_is_the_documented_one(checkout):
    folder = checkout.root / "tasks/do-edit"
    names = ("task.json", "assertions.json")
    expected = b"".join(name.encode() + b"\0" + (folder / name).read_bytes() for name in names)
    assert task_of(checkout).manifest_hash == hashlib.sha256(expected).hexdigest()


def with_brief(checkout, text):
    def change(value):
        value.update(mode="create", request={"briefPath": "briefs/board.md"})

    return checkout.write("briefs/board.md", text).edit("tasks/do-edit/task.json", change)


def test_another_brief_is_another_task(checkout):
    before = task_of(with_brief(checkout, "a board"))
    after = task_of(with_brief(checkout, "another board"))
    assert before.manifest_hash != after.manifest_hash
    assert before.run_relevant_hash != after.run_relevant_hash


def test_another_rubric_is_another_task_but_needs_no_new_run(checkout):
    checkout.edit("tasks/do-edit/task.json", lambda value: value.update(rubric="rubrics/taste.md"))
    before = task_of(checkout.write("rubrics/taste.md", "is it neat"))
    after = task_of(checkout.write("rubrics/taste.md", "is it very neat"))
    assert before.manifest_hash != after.manifest_hash
    assert before.run_relevant_hash == after.run_relevant_hash


@pytest.mark.parametrize("field", ["mode", "request", "setup", "config", "caps", "fixture"])
def test_what_a_run_depends_on_changes_the_run_relevant_hash(checkout, field):
    before = task_of(checkout).run_relevant_hash
    changed = {
        "mode": "sync",
        "request": {"prompt": "something else"},
        "setup": {"seed": [{"op": "delete", "path": "docs/SPEC.md"}]},
        "config": {"maxTurns": 39},
        "caps": {"turns": 41, "wallClockSec": 1200},
        "fixture": {"path": "fixtures/own-board", "sha256": "1" * 64},
    }
    checkout.edit("tasks/do-edit/task.json", lambda value: value.update({field: changed[field]}))
    assert task_of(checkout).run_relevant_hash != before


def test_a_change_to_grading_or_tags_needs_no_new_run(checkout):
    before = task_of(checkout)
    checkout.edit("tasks/do-edit/task.json", lambda value: value.update(tags=["other"], repeats=5, tier="hard"))
    checkout.edit("tasks/do-edit/assertions.json", lambda value: value[:-1])
    after = task_of(checkout)
    assert (after.run_relevant_hash, after.manifest_hash == before.manifest_hash) == (before.run_relevant_hash, False)


def test_what_a_task_leaves_out_has_the_documented_defaults(checkout):
    checkout.edit("tasks/do-edit/task.json", lambda value: value.update(config={}))
    task = task_of(checkout)
    assert (task.repeats, task.config.max_turns, task.config.max_repair_cycles, task.config.budgets) == (3, 40, 5, {})


def test_an_assertion_id_that_stands_twice_is_refused_at_the_second(checkout):
    checkout.edit("tasks/do-edit/assertions.json", lambda value: [*value, value[0]])
    with pytest.raises(SuiteError, match=r"assertions.json: \$\[3\].id: 'ending' stands twice"):
        task_of(checkout)


def test_a_missing_brief_is_named(checkout):
    checkout.edit("tasks/do-edit/task.json", lambda v: v.update(mode="create", request={"briefPath": "briefs/no.md"}))
    with pytest.raises(SuiteError, match=r"^briefs/no.md: is missing"):
        task_of(checkout)


def test_a_sealed_task_without_its_brief_is_refused(checkout):
    task = task_of(with_brief(checkout, "a board"))
    cut = {name: data for name, data in task.manifests.items() if name != "briefs/board.md"}
    with pytest.raises(SuiteError, match=r"^sealed/task.json: briefs/board.md is not among its manifests"):
        parse_task(cut, "sealed")


def test_gold_comes_first_and_the_traps_in_order(checkout):
    names = [solution.name for solution in load_suite(checkout.root).solutions("do-edit")]
    assert names == ["gold", "trap-a", "trap-b", "trap-c"]


def test_a_solution_is_named_after_its_file(checkout):
    checkout.edit("solutions/do-edit/trap-a.json", lambda value: value.update(name="trap-b"))
    with pytest.raises(SuiteError, match="'trap-b' is not the file's name"):
        load_solution(checkout.root / "solutions/do-edit/trap-a.json")


def test_the_fields_of_a_fixture_come_through(checkout):
    fixture = load_fixture(checkout.root / "fixtures/own-board")
    counts = (fixture.erc.warnings, fixture.erc.warning_types, fixture.drc)
    assert (fixture.schematic, fixture.board, counts) == ("own.kicad_sch", None, (1, {"lib_symbol_issues": 1}, None))


def test_a_selection_takes_the_tasks_of_its_modes(checkout):
    checkout.edit("tasks/do-flag/task.json", lambda value: value.update(mode="sync", expectedOutcome="edit"))
    suite = load_suite(checkout.root)
    assert (suite.select("smoke"), suite.select("full")) == (
        ("do-edit", "do-refuse"),
        ("do-edit", "do-flag", "do-refuse"),
    )


def test_a_selection_of_ones_own_lists_tasks(checkout):
    text = "suiteVersion: 1.0.0\nsuites: {smoke: {modes: [do]}, full: {modes: [do]}, mine: {tasks: [do-flag]}}\n"
    assert load_suite(checkout.write("config/suite.yaml", text).root).select("mine") == ("do-flag",)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda suite: suite.select("smok"), "config/suite.yaml: $.suites: 'smok' is no suite; the nearest is 'smoke'"),
        (lambda suite: suite.task("do-edits"), "tasks/do-edits: is no task of the suite; the nearest is 'do-edit'"),
        (lambda suite: suite.task("../x"), "tasks/../x: is no task of the suite; known: do-edit, do-flag, do-refuse"),
        (lambda suite: suite.fixture("zz"), "fixtures/zz: is no fixture of the suite; known: own-board"),
    ],
)
def test_what_the_suite_does_not_have_is_said_with_the_nearest(checkout, ask, said):
    with pytest.raises(SuiteError) as caught:
        ask(load_suite(checkout.root))
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("suiteVersion: 1.0\nsuites: {}\n", "$.suiteVersion: 1.0 is not a version MAJOR.MINOR.PATCH"),
        ("suites: {smoke: {modes: [do]}, full: {modes: [do]}}\n", "'suiteVersion' is missing"),
        ("- a\n", "the list is not of type object"),
        ("", "null is not of type object"),
    ],
)
def test_a_wrong_suite_file_is_one_error(checkout, text, said):
    checkout.write("config/suite.yaml", text)
    with pytest.raises(SuiteError) as caught:
        load_suite(checkout.root)
    assert said in str(caught.value)


def test_a_suite_stays_as_it_was_read(checkout):
    suite = load_suite(checkout.root)
    before = suite.task("do-edit")
    checkout.edit("tasks/do-edit/task.json", lambda value: value.update(tags=["other"]))
    assert suite.task("do-edit") is before
