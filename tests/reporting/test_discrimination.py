"""A task is used only when doing nothing fails, its reference passes and each trap fails where it should."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from copperbench.records import Record
from copperbench.reporting import DiscriminationRow, Expectation, discrimination, traps_text
from copperbench.reporting.models import TrapCell

MakeRun = Callable[..., Record]
Expect = Callable[..., Expectation]


@pytest.fixture
def judge(run: MakeRun, expected: Expect) -> Callable[..., DiscriminationRow]:
    """The row of a task with one trap, `half`, caught by a1 and a2, when its three runs went as given."""

    def judged(noop: object = "fail", gold: object = "pass", trap: object = ("a1", "a2")) -> DiscriminationRow:
        runs = []
        if noop:
            runs.append(run(model="harness:noop", mode="noop", verdict=noop))
        if gold:
            runs.append(run(model="harness:gold", mode="gold", verdict=gold))
        if isinstance(trap, tuple):
            verdict = "fail" if trap else "pass"
            runs.append(run(model="harness:trap-half", mode="trap", verdict=verdict, failed=trap or ("a1",)))
        elif trap:
            runs.append(run(model="harness:trap-half", mode="trap", verdict=trap))
        return discrimination(runs, [expected(half=("a1", "a2"))])[0]

    return judged


@pytest.mark.parametrize(
    ("changes", "state", "reason"),
    [
        ({}, "yes", ""),
        ({"noop": "pass"}, "no", "the no-op passes"),
        ({"gold": "fail"}, "no", "the reference solution fails at a1"),
        ({"trap": ("a1",)}, "no", "trap-half fails at a1 instead of a1, a2"),
        ({"trap": ("a1", "a2", "a3")}, "no", "trap-half fails at a1, a2, a3 instead of a1, a2"),
        ({"trap": ()}, "no", "trap-half fails at nothing instead of a1, a2"),
        ({"gold": "unscoreable"}, "unproven", "the reference solution is unscoreable: a1 could not be judged"),
        ({"trap": "unscoreable"}, "unproven", "trap-half: unscoreable"),
        ({"gold": None}, "not run", "the reference solution was not run"),
        ({"trap": None}, "not run", "trap-half: not run"),
    ],
)
def test_a_task_discriminates_only_when_all_three_kinds_of_run_do_as_promised(
    judge: Callable[..., DiscriminationRow], changes: dict[str, object], state: str, reason: str
) -> None:
    row = judge(**changes)
    assert (row.state, row.reason) == (state, reason)


def test_a_proven_fault_is_not_hidden_by_an_unscoreable_run(judge: Callable[..., DiscriminationRow]) -> None:
    assert judge(noop="pass", gold="unscoreable").state == "no"


def test_the_newest_campaign_speaks(run: MakeRun, expected: Expect) -> None:
    runs = [
        run(model="harness:noop", mode="noop", verdict="fail"),
        run(model="harness:gold", mode="gold", campaign="2026-01-01", verdict="fail"),
        run(model="harness:gold", mode="gold", campaign="2026-02-01", verdict="pass"),
    ]
    assert discrimination(runs, [expected()])[0].state == "yes"


def test_one_failing_repeat_of_the_reference_is_not_hidden_by_the_others(run: MakeRun, expected: Expect) -> None:
    runs = [run(model="harness:noop", mode="noop", verdict="fail")]
    runs += [run(model="harness:gold", mode="gold", repeat=n, verdict=v) for n, v in ((1, "pass"), (2, "fail"))]
    assert (
        discrimination(runs, [expected()])[0].gold.record == "results/2026-01-01/harness-gold/task-simple-0/run-2.json"
    )


def test_a_skipped_task_is_listed_with_the_reason(expected: Expect) -> None:
    row = discrimination([], [expected()], {"task-simple-0": "fixture a-board is not here"})[0]
    assert (row.state, row.reason) == ("skipped", "fixture a-board is not here")


@pytest.fixture
def proof(run: MakeRun, expected: Expect) -> Callable[..., DiscriminationRow]:
    """The row of a task whose traps failed as given, each as it promised."""

    def proven(implied_by: dict[str, str] | None = None, **traps: tuple[str, ...]) -> DiscriminationRow:
        runs = [run(model="harness:noop", mode="noop", verdict="fail", failed=("a1", "a2", "a3"))]
        runs.append(run(model="harness:gold", mode="gold"))
        runs += [
            run(model=f"harness:trap-{name}", mode="trap", verdict="fail", failed=failed)
            for name, failed in traps.items()
        ]
        expectation = expected(required=("a1", "a2", "a3"), implied_by=implied_by or {}, **traps)
        return discrimination(runs, [expectation])[0]

    return proven


def test_the_kill_matrix_names_the_traps_that_one_assertion_alone_catches(
    proof: Callable[..., DiscriminationRow],
) -> None:
    row = proof(x=("a1",), y=("a1", "a2"), z=("a2",), w=("a3",), v=("a3",))
    found = {kill.assertion: kill.traps for kill in row.kills}
    assert (row.state, found) == ("yes", {"a1": ("trap-x",), "a2": ("trap-z",), "a3": ("trap-w", "trap-v")})


def test_an_assertion_that_never_stands_alone_is_a_finding(proof: Callable[..., DiscriminationRow]) -> None:
    row = proof(x=("a1",), y=("a1", "a2"), w=("a3",))
    assert (row.state, row.reason) == ("no", "no trap is caught by a2 alone")


def test_an_implied_assertion_is_left_aside_when_one_asks_what_stood_alone(
    proof: Callable[..., DiscriminationRow],
) -> None:
    row = proof({"a2": "a1"}, x=("a1", "a2"), w=("a3",))
    assert [kill.state for kill in row.kills] == ["proven", "implied", "proven"]


def test_a_trap_that_disproves_an_implication_is_a_finding(proof: Callable[..., DiscriminationRow]) -> None:
    row = proof({"a2": "a1"}, x=("a1",), y=("a2", "a3"), w=("a3",))
    assert (row.state, row.reason) == ("no", "trap-y fails a2 and passes a1, which implies it")


def test_the_no_op_can_disprove_an_implication_too(run: MakeRun, expected: Expect) -> None:
    runs = [
        run(model="harness:noop", mode="noop", verdict="fail", failed=("a2",)),
        run(model="harness:gold", mode="gold"),
    ]
    row = discrimination(runs, [expected(required=("a2",), implied_by={"a2": "a1"})])[0]
    assert row.reason == "noop fails a2 and passes a1, which implies it"


def test_what_a_missing_trap_might_prove_is_open_and_no_fault(run: MakeRun, expected: Expect) -> None:
    runs = [run(model="harness:noop", mode="noop", verdict="fail"), run(model="harness:gold", mode="gold")]
    row = discrimination(runs, [expected(required=("a1",), x=("a1",))])[0]
    assert (row.state, [kill.state for kill in row.kills]) == ("not run", ["not run"])


def test_traps_that_were_not_run_are_counted_and_those_that_got_away_named() -> None:
    def trap(name: str, state: str, *failed: str) -> TrapCell:
        return TrapCell(name, state, ("a1",), failed, None)

    cells = (trap("trap-a", "caught", "a1"), trap("trap-b", "missed", "a2"), trap("trap-c", "not run"))
    assert traps_text(cells) == "1/3 (trap-b fails at a2; 1 not run)"
    assert traps_text((*cells, trap("trap-d", "unscoreable"), trap("trap-e", "not run"))) == (
        "1/5 (trap-b fails at a2; trap-d unscoreable; 2 not run)"
    )
