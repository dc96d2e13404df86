"""Many gradings of one run at the same moment: one record, whole, and none of the older ones lost."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace

import pytest

from copperbench.errors import CopperbenchError
from copperbench.records import Record, read_record
from copperbench.records.score import Scorer
from copperbench.suite import load_suite


@pytest.fixture
def at_once(checkout):
    """Grade a run in many processes that start together, each under its suite version; what became of each."""

    def graded(place, versions) -> Counter[str]:
        suite = load_suite(checkout.root)
        told, teller = os.pipe()
        waiting, start = os.pipe()
        children = []
        for version in versions:
            child = os.fork()
            if child == 0:
                try:
                    os.close(start)
                    os.read(waiting, 1)  # until the parent closes the other end
                    scorer = Scorer(replace(suite, version=version), checkout.root / "fixtures", None)
                    try:
                        said = scorer.score(place).outcome
                    except CopperbenchError as error:
                        said = type(error).__name__
                    os.write(teller, f"{said}\n".encode())
                finally:
                    os._exit(0)
            children.append(child)
        for end in (start, waiting, teller):
            os.close(end)
        for child in children:
            os.waitpid(child, 0)
        with os.fdopen(told) as pipe:
            return Counter(pipe.read().split())

    return graded


def test_fifty_gradings_at_once_write_one_record(checkout, passing, at_once):
    assert at_once(passing, ["1.0.0"] * 50) == {"written": 1, "kept": 49}
    record = read_record(passing.path, checkout.root)
    assert isinstance(record, Record)
    assert (record.verdict, hidden(checkout)) == ("pass", [])


def test_fifty_gradings_under_a_new_version_supersede_once_and_keep_the_old_record(checkout, passing, at_once):
    checkout.score(passing)
    old = passing.path.read_bytes()
    assert at_once(passing, ["2.0.0"] * 50) == {"superseded": 1, "kept": 49}
    assert [path.read_bytes() for path in (checkout.root / "superseded").rglob("*.json")] == [old]
    assert hidden(checkout) == []


def test_two_versions_that_supersede_at_the_same_moment_lose_no_record(checkout, passing, at_once):
    checkout.score(passing)
    outcomes = at_once(passing, ["2.0.0", "3.0.0"] * 6)
    assert set(outcomes) <= {"superseded", "kept"}
    records = [passing.path, *(checkout.root / "superseded").rglob("*.json")]
    assert {json.loads(path.read_bytes())["suiteVersion"] for path in records} == {"1.0.0", "2.0.0", "3.0.0"}


def hidden(checkout) -> list[str]:
    return [path.name for path in checkout.root.rglob(".*") if path.is_file()]
