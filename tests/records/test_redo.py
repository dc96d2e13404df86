"""Making a run due again, without losing what it left."""

from __future__ import annotations

import pytest

from copperbench.errors import CopperbenchError
from copperbench.records import record_places
from copperbench.records.redo import redo, stale
from copperbench.suite import load_suite


def test_a_redone_run_leaves_its_place_and_is_kept_whole(checkout, passing):
    checkout.score(passing)
    record = passing.path.read_bytes()
    evidence = {path.name: path.read_bytes() for path in passing.folder.iterdir()}
    aside = redo(passing)
    assert (passing.path.exists(), passing.folder.exists()) == (False, False)
    assert aside.read_bytes() == record
    assert {path.name: path.read_bytes() for path in aside.with_suffix("").iterdir()} == evidence


def test_a_run_can_be_redone_twice_without_losing_the_first(checkout, passing):
    first = redo(passing)
    checkout.seal(writes={"docs/NOTE.md": "done\n"})
    second = redo(passing)
    assert first != second
    assert (first.with_suffix("") / "run.json").exists()
    assert (second.with_suffix("") / "run.json").exists()


def test_a_run_that_does_not_exist_cannot_be_redone(checkout):
    with pytest.raises(CopperbenchError, match="there is no such run"):
        redo(checkout.place())


def test_an_unchanged_run_is_not_stale(checkout, passing):
    assert list(stale(load_suite(checkout.root), record_places(checkout.root))) == []


def test_a_changed_request_makes_an_in_process_run_stale(checkout, passing):
    checkout.edit(f"tasks/{passing.task}/task.json", lambda task: task["request"].update(prompt="something else"))
    found = list(stale(load_suite(checkout.root), record_places(checkout.root)))
    assert found == [(passing, "the task has changed in what a run depends on")]


def test_changed_assertions_make_no_run_stale(checkout, passing):
    checkout.edit(f"tasks/{passing.task}/assertions.json", lambda entries: entries.pop())
    assert list(stale(load_suite(checkout.root), record_places(checkout.root))) == []


def test_a_run_of_a_model_is_never_stale(checkout, agent):
    place = checkout.seal("some-model", **agent)
    checkout.edit(f"tasks/{place.task}/task.json", lambda task: task["request"].update(prompt="something else"))
    assert list(stale(load_suite(checkout.root), record_places(checkout.root))) == []


def test_a_run_whose_solution_is_gone_is_stale(checkout):
    place = checkout.seal("harness-gold", run_mode="gold")
    assert list(stale(load_suite(checkout.root), record_places(checkout.root))) == [(place, "its solution is gone")]
