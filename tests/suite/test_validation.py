"""Validating a whole suite, or the part that a path names."""

from __future__ import annotations

from pathlib import Path

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import validate


def test_a_sound_suite_has_no_findings(checkout):
    assert checkout.findings() == []


@pytest.mark.parametrize("outcome", ["refusal", "flag"])
def test_every_class_of_outcome_must_be_there(checkout, outcome):
    name = {"refusal": "do-refuse", "flag": "do-flag"}[outcome]
    checkout.edit(f"tasks/{name}/task.json", lambda value: value.update(expectedOutcome="edit"))
    assert f"tasks: no task expects {outcome!r}; add one (STANDARD 5) [outcome]" in checkout.findings()


def test_one_task_is_not_asked_for_the_other_classes(checkout):
    checkout.edit("tasks/do-flag/task.json", lambda value: value.update(expectedOutcome="edit"))
    assert checkout.findings("tasks/do-edit") == []


def spoil(checkout):
    """One fault in each part."""
    checkout.write("tasks/do-edit/extra", "").write("solutions/do-flag/extra", "").write("fixtures/own-board/extra", "")
    return checkout.write("config/config.yaml", "suite: smoke\n")


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("tasks", ["tasks/do-edit/extra", "solutions/do-flag/extra"]),
        ("tasks/do-edit", ["tasks/do-edit/extra"]),
        ("tasks/do-edit/task.json", ["tasks/do-edit/extra"]),
        ("tasks/do-flag", ["solutions/do-flag/extra"]),
        ("solutions", ["solutions/do-flag/extra"]),
        ("fixtures", ["fixtures/own-board/extra"]),
        ("fixtures/own-board/tree", ["fixtures/own-board/extra"]),
        ("config", ["config/config.yaml"]),
    ],
)
def test_a_path_chooses_what_is_looked_at(checkout, path, places):
    found = [finding.split(": ")[0] for finding in spoil(checkout).findings(path)]
    assert found == places


@pytest.mark.parametrize("path", ["tasks/do-gone", "nowhere", "NOTICE", ".."])
def test_a_path_that_is_no_part_of_the_suite_is_an_error(checkout, path):
    with pytest.raises(SuiteError):
        checkout.findings(path)


def test_a_misspelt_key_of_the_campaign_is_found(checkout):
    checkout.write("config/config.yaml", "suite: smoke\nharnesses: []\nisolation: none\nrepeat: 3\n")
    (finding,) = checkout.findings()
    assert finding.startswith("config/config.yaml: $: 'repeat' is no known field here; the nearest is 'repeats'")


def test_a_selection_that_lists_a_lost_task_is_found(checkout):
    text = (checkout.root / "config/suite.yaml").read_text() + "  mine: {tasks: [do-gone]}\n"
    (finding,) = checkout.write("config/suite.yaml", text).findings()
    assert finding.startswith("tasks/do-gone: is no task of the suite")


def test_ids_that_differ_only_in_case_are_found(checkout):
    checkout.write("tasks/Do-Edit/task.json", "{}")
    assert any("differs from Do-Edit only in the case" in finding for finding in checkout.findings())


def test_every_finding_is_one_line_that_names_a_rule(checkout):
    spoil(checkout).write("tasks/do-flag/task.json", '{"id": "a\\nb"}')
    findings = checkout.findings()
    assert all("\n" not in finding and finding.endswith("]") for finding in findings)


def test_hostile_files_in_every_place_are_findings_and_no_traceback(checkout):
    hostile = b"[" * 100_000
    for path in sorted(path.relative_to(checkout.root) for path in checkout.root.rglob("*.json")):
        checkout.write(str(path), hostile)
    assert all("is nested deeper than 64 levels" in finding for finding in checkout.findings("tasks", "fixtures"))


def test_the_committed_suite_is_valid(root: Path):
    # The lock is renewed when a change to the suite is finished; `copperbench validate` holds it then.
    findings = [str(finding) for finding in validate(root) if finding.rule != "suite-version"]
    assert findings == []
