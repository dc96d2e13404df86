"""The lock: nothing that a result depends on changes without a new suiteVersion."""

from __future__ import annotations

import pytest

from copperbench.errors import SuiteError
from copperbench.suite import lock as lock_module
from copperbench.suite import suite_lock, write_lock

REMEDY = (
    "raise suiteVersion in config/suite.yaml, then `copperbench validate --write-lock` (STANDARD 7) [suite-version]"
)


def raise_version(checkout, version="1.1.0"):
    text = (checkout.root / "config/suite.yaml").read_text()
    return checkout.write("config/suite.yaml", text.replace("1.0.0", version))


CHANGES = {
    "task do-edit changed": lambda c: c.edit("tasks/do-edit/task.json", lambda value: value.update(tags=["x"])),
    "task do-flag changed": lambda c: c.edit("tasks/do-flag/assertions.json", lambda v: v[0].update(weight=2)),
    "fixture own-board changed": lambda c: c.edit(
        "fixtures/own-board/fixture.json", lambda v: v.update(complexity="hard")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_forgotten_bump_names_what_changed(checkout, change):
    CHANGES[change](checkout)
    expected = (
        f"config/suite.lock: {change} since suiteVersion 1.0.0, which was not raised: forgotten suiteVersion bump"
    )
    assert checkout.findings("config") == [f"{expected}; {REMEDY}"]


def test_a_recorded_report_belongs_to_the_fixture(checkout):
    checkout.edit("fixtures/own-board/baseline/erc.json", lambda value: value.update(ignored=["x"]))
    assert "fixture own-board changed" in checkout.findings("config")[0]


def test_a_task_that_was_removed_is_a_change(checkout):
    for path in (checkout.root / "tasks/do-edit").iterdir():
        path.unlink()
    (checkout.root / "tasks/do-edit").rmdir()
    assert any("task do-edit was removed" in finding for finding in checkout.findings("config"))


def test_another_list_of_credential_patterns_is_a_change(checkout, monkeypatch):
    monkeypatch.setattr(lock_module, "patterns_digest", lambda: "0" * 64)
    assert "the list of credential patterns changed" in checkout.findings("config")[0]


def test_another_vocabulary_is_a_change(checkout, monkeypatch):
    real = lock_module.schema_bytes("assertions")
    monkeypatch.setattr(lock_module, "schema_bytes", lambda kind: real.replace(b'"absent"', b'"missing"'))
    assert "the vocabulary changed" in checkout.findings("config")[0]


def test_other_words_around_the_vocabulary_are_no_change(checkout, monkeypatch):
    real = lock_module.schema_bytes("assertions")
    monkeypatch.setattr(lock_module, "schema_bytes", lambda kind: real.replace(b"a weight above 0", b"some weight"))
    assert checkout.findings("config") == []


def test_a_readme_or_a_solution_is_no_change(checkout):
    checkout.write("tasks/do-edit/README.md", "vdd_volts; trap-a, trap-b, trap-c; and more words\n")
    checkout.edit("solutions/do-edit/gold.json", lambda value: value.update(summary="other words"))
    assert checkout.findings() == []


def test_a_lock_is_not_written_over_a_forgotten_bump(checkout):
    CHANGES["task do-edit changed"](checkout)
    before = (checkout.root / "config/suite.lock").read_bytes()
    with pytest.raises(SuiteError, match="task do-edit changed since suiteVersion 1"):
        write_lock(checkout.root)
    assert (checkout.root / "config/suite.lock").read_bytes() == before


def test_raising_the_version_and_writing_the_lock_settles_it(checkout):
    raise_version(CHANGES["task do-edit changed"](checkout))
    write_lock(checkout.root)
    assert checkout.findings() == []


def test_a_version_raised_without_writing_the_lock_is_a_finding(checkout):
    expected = (
        "config/suite.lock: is of suiteVersion 1.0.0, the suite is 1.1.0; run `copperbench validate --write-lock`"
    )
    assert raise_version(checkout).findings("config") == [f"{expected} (STANDARD 7) [suite-version]"]


def test_a_version_cannot_go_back(checkout):
    (finding,) = raise_version(checkout, "0.9.9").findings("config")
    assert "suiteVersion 0.9.9 is not above the locked 1.0.0" in finding


def test_ten_is_above_nine(checkout):
    raise_version(checkout, "1.9.0").lock()
    text = (checkout.root / "config/suite.yaml").read_text().replace("1.9.0", "1.10.0")
    CHANGES["task do-edit changed"](checkout).write("config/suite.yaml", text)
    assert write_lock(checkout.root)


def test_the_same_suite_gives_the_same_bytes(checkout):
    before = (checkout.root / "config/suite.lock").read_bytes()
    assert (write_lock(checkout.root), (checkout.root / "config/suite.lock").read_bytes()) == (False, before)


def test_the_lock_holds_every_task_and_fixture(checkout):
    lock = suite_lock(checkout.root)
    assert (sorted(lock["tasks"]), sorted(lock["fixtures"])) == (["do-edit", "do-flag", "do-refuse"], ["own-board"])


@pytest.mark.parametrize("text", ["{", "[]", "null"])
def test_a_lock_that_is_no_object_stops_everything_by_name(checkout, text):
    checkout.write("config/suite.lock", text)
    with pytest.raises(SuiteError, match=r"^config/suite.lock"):
        checkout.findings()


@pytest.mark.parametrize("text", ['{"suiteVersion": "1.0.0", "tasks": []}', "{}"])
def test_an_emptied_lock_never_passes_for_a_good_one(checkout, text):
    assert checkout.write("config/suite.lock", text).findings("config") != []


def test_a_missing_lock_is_a_finding(checkout):
    (finding,) = checkout.remove("config/suite.lock").findings("config")
    assert finding.startswith("config/suite.lock: is missing; run `copperbench validate --write-lock`")
