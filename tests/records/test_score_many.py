"""Many runs graded by one process: what they share is read once, and none of them leans on another."""

import pytest

from copperbench.errors import SealBroken
from copperbench.evidence import Shared
from copperbench.records.score import Scorer
from copperbench.suite import load_suite


@pytest.fixture
def runs(checkout):
    return [checkout.seal(repeat=n, writes={"NOTE.md": f"done {n}"} if n < 3 else {}) for n in (1, 2, 3)]


def scorer(checkout) -> Scorer:
    return Scorer(load_suite(checkout.root), checkout.root / "fixtures", None)


def test_records_of_one_process_are_those_of_three(checkout, runs):
    alone = [(scorer(checkout).score(place), place.path.read_bytes())[1] for place in runs]
    for place in runs:
        place.path.unlink()
    together = scorer(checkout)
    assert [(together.score(place), place.path.read_bytes())[1] for place in runs] == alone


def test_a_fixture_of_a_task_is_verified_and_read_once(checkout, runs, monkeypatch):
    made = []
    whole = Shared.baseline
    monkeypatch.setattr(Shared, "baseline", lambda *args: made.append(whole(*args)[1]) or whole(*args))
    together = scorer(checkout)
    for place in runs:
        together.score(place)
    assert len({id(state) for state in made}) == 1


def test_a_broken_run_does_not_change_the_grade_of_the_next(checkout, runs):
    together = scorer(checkout)
    (runs[0].folder / "transcript.jsonl").unlink()
    with pytest.raises(SealBroken):
        together.score(runs[0])
    assert together.score(runs[1]).verdict == "pass"
