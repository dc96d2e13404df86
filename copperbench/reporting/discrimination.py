"""Does a task tell a right answer from a wrong one? (STANDARD 12, discrimination)

The no-op must fail, the reference solution must pass, and each trap must fail at exactly the required
assertions that its solution names: a trap that something else catches proves nothing about the assertion
that was written for it. The kill matrix then asks of each required assertion which trap nothing else catches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from copperbench.records import Record
from copperbench.reporting.models import DiscriminationRow, HarnessCell, KillCell, TrapCell
from copperbench.reporting.statistics import group
from copperbench.suite import BrokenImplication, Kill, Suite, broken_implications, kill_matrix

NOOP = "harness:noop"
GOLD = "harness:gold"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a task's solutions promise: trap name to the required assertions that must fail, in file order.

    `required` are the assertions that the kill matrix asks about, `implied_by` those of them that follow from another.
    """

    task: str
    tier: str
    expected: str
    traps: Mapping[str, tuple[str, ...]]
    required: tuple[str, ...]
    implied_by: Mapping[str, str]


def expectations(suite: Suite) -> tuple[Expectation, ...]:
    """The promises of every task of `suite`. Raises SuiteError when a task or a solution is invalid."""
    return tuple(expectation(suite, task_id) for task_id in suite.task_ids())


def expectation(suite: Suite, task_id: str) -> Expectation:
    """The promise of one task. Raises SuiteError when it or one of its solutions is invalid."""
    task = suite.task(task_id)
    order = [spec.id for spec in task.assertions]
    solutions = suite.solutions(task_id)
    traps = {
        solution.name: tuple(sorted(solution.caught_by, key=lambda name: (order.index(name), name)))
        for solution in solutions
        if solution.name != "gold"
    }
    implied_by = next((solution.implied_by for solution in solutions if solution.name == "gold"), {})
    required = tuple(spec.id for spec in task.required)
    return Expectation(task_id, task.tier, task.expected_outcome, traps, required, implied_by)


def discrimination(
    records: Iterable[Record], expected: Iterable[Expectation], skipped: Mapping[str, str] | None = None
) -> tuple[DiscriminationRow, ...]:
    """One row per task, judged by the newest campaign that holds its in-process runs.

    `skipped` maps tasks that cannot be run here (fixture not obtainable) to the reason; a skipped task that has
    records all the same is judged by them.
    """
    runs = group((run for run in records if run.run_mode != "agent"), lambda run: run.task)
    reasons = skipped or {}
    return tuple(_row(each, runs.get(each.task, ()), reasons.get(each.task, "")) for each in expected)


def _row(expected: Expectation, runs: tuple[Record, ...], skip_reason: str) -> DiscriminationRow:
    newest = {model: _newest_campaign(each) for model, each in group(runs, lambda run: run.run_model).items()}
    noop = _cell(newest.get(NOOP, ()), "fail")
    gold = _cell(newest.get(GOLD, ()), "pass")
    traps = tuple(
        _trap(name, caught_by, newest.get(f"harness:{name}", ())) for name, caught_by in expected.traps.items()
    )
    kills = _kills(expected, traps)
    broken = _broken(expected, newest)
    state = "skipped" if skip_reason and not runs else _state(noop, gold, traps, kills, broken)
    dates = [run.started_at[:10] for each in newest.values() for run in each]
    return DiscriminationRow(
        task=expected.task,
        tier=expected.tier,
        expected=expected.expected,
        noop=noop,
        gold=gold,
        traps=traps,
        kills=kills,
        date=max(dates, default=None),
        state=state,
        reason=skip_reason if state == "skipped" else _reason(noop, gold, traps, kills, broken),
    )


def _newest_campaign(runs: tuple[Record, ...]) -> tuple[Record, ...]:
    newest = max(run.campaign for run in runs)
    return tuple(run for run in runs if run.campaign == newest)


def _cell(runs: tuple[Record, ...], wanted: str) -> HarnessCell:
    """The first run that did not do what is wanted speaks for all repeats, else the first run."""
    if not runs:
        return HarnessCell(None, None, None)
    run = next((each for each in runs if each.verdict != wanted), runs[0])
    at = run.unevaluable_required[:1] if run.verdict == "unscoreable" else (run.first_failed_required,)
    return HarnessCell(run.verdict, next(iter(at), None), run.path)


def _trap(name: str, caught_by: tuple[str, ...], runs: tuple[Record, ...]) -> TrapCell:
    if not runs:
        return TrapCell(name, "not run", caught_by, (), None)
    states = [(_trap_state(caught_by, run), run) for run in runs]
    state, run = next((each for each in states if each[0] != "caught"), states[0])
    return TrapCell(name, state, caught_by, run.failed_required, run.path)


def _trap_state(caught_by: tuple[str, ...], run: Record) -> str:
    if run.verdict == "unscoreable":
        return "unscoreable"
    return "caught" if run.verdict == "fail" and set(run.failed_required) == set(caught_by) else "missed"


def _kills(expected: Expectation, traps: tuple[TrapCell, ...]) -> tuple[KillCell, ...]:
    """The kill matrix as measured; while a trap is not judged, what it might prove is open."""
    measured = {trap.name: trap.failed for trap in traps if trap.state in ("caught", "missed")}
    otherwise = "unproven" if len(measured) == len(traps) else "not run"
    matrix = kill_matrix(expected.required, measured, expected.implied_by)
    return tuple(KillCell(each.assertion, each.traps, each.implied_by, _proof(each, otherwise)) for each in matrix)


def _proof(kill: Kill, otherwise: str) -> str:
    if kill.traps:
        return "proven"
    return otherwise if kill.implied_by is None else "implied"


def _broken(expected: Expectation, newest: Mapping[str, tuple[Record, ...]]) -> tuple[BrokenImplication, ...]:
    """Implications that a run disproves: the no-op, the reference solution and the traps are all asked."""
    found: list[BrokenImplication] = []
    for run in (run for runs in newest.values() for run in runs):
        decided = {entry.id: entry.status for entry in run.assertions if entry.status in ("pass", "fail")}
        judged = {each: by for each, by in expected.implied_by.items() if each in decided and by in decided}
        failed = [name for name, status in decided.items() if status == "fail"]
        found += broken_implications({run.run_model.removeprefix("harness:"): failed}, judged)
    return tuple(dict.fromkeys(found))


def _state(
    noop: HarnessCell,
    gold: HarnessCell,
    traps: tuple[TrapCell, ...],
    kills: tuple[KillCell, ...],
    broken: tuple[BrokenImplication, ...],
) -> str:
    traits = {trap.state for trap in traps}
    if noop.verdict == "pass" or gold.verdict == "fail" or "missed" in traits or broken:
        return "no"
    if any(kill.state == "unproven" for kill in kills):
        return "no"
    if noop.verdict is None or gold.verdict is None or "not run" in traits:
        return "not run"
    if "unscoreable" in (noop.verdict, gold.verdict, *traits):
        return "unproven"
    return "yes"


def _reason(
    noop: HarnessCell,
    gold: HarnessCell,
    traps: tuple[TrapCell, ...],
    kills: tuple[KillCell, ...],
    broken: tuple[BrokenImplication, ...],
) -> str:
    """Everything that keeps a task from discriminating, in one line; empty when nothing does."""
    if noop.record is None and gold.record is None and not any(trap.record for trap in traps):
        return "no run of it is on disk"
    faults = [*_harness_faults(noop, gold), *_trap_faults(traps)]
    faults += [f"no trap is caught by {kill.assertion} alone" for kill in kills if kill.state == "unproven"]
    faults += [f"{each.run} fails {each.implied} and passes {each.by}, which implies it" for each in broken]
    return "; ".join(faults)


def _harness_faults(noop: HarnessCell, gold: HarnessCell) -> Iterator[str]:
    if noop.verdict == "pass":
        yield "the no-op passes"
    if gold.verdict == "fail":
        yield f"the reference solution fails at {gold.at}"
    for label, cell in (("no-op", noop), ("reference solution", gold)):
        if cell.verdict == "unscoreable":
            yield f"the {label} is unscoreable: {cell.at} could not be judged"
        if cell.verdict is None:
            yield f"the {label} was not run"


def _trap_faults(traps: tuple[TrapCell, ...]) -> Iterator[str]:
    for trap in traps:
        if trap.state == "missed":
            failed, expected = ", ".join(trap.failed) or "nothing", ", ".join(trap.expected)
            yield f"{trap.name} fails at {failed} instead of {expected}"
        elif trap.state != "caught":
            yield f"{trap.name}: {trap.state}"
