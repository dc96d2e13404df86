"""Every published figure, worked out again by plain loops over plain facts, to the last digit and to the last cell.

Nothing here comes from the code that makes the figures: facts are dictionaries, sums are exact fractions, and the
estimate for unequal repeats tries every choice of repeats rather than counting them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.records import Ablations, Record, SuiteStamps
from copperbench.reporting import aggregate, aggregate_bytes, leaderboard
from copperbench.reporting.models import Aggregate, ModelRow

MakeRun = Callable[..., Record]
Facts = dict[str, Any]
Row = tuple[str, str, str, str, str]

TASKS = {  # the tier of a task is in its name, and what is expected of it
    "task-simple-0": "edit",
    "task-simple-1": "refusal",
    "task-medium-0": "edit",
    "task-medium-1": "flag",
    "task-hard-0": "refusal",
    "task-hard-1": "edit",
}
HEADLINE = ("api-frontier", "api-cheap", "open-weight-hosted", "open-weight-self-hosted")
TURNS = {None: "", 5: "turns=5"}
one_run = st.fixed_dictionaries(
    {
        "task": st.sampled_from(sorted(TASKS)),
        "model": st.sampled_from(["m1", "m2"]),
        "provider": st.sampled_from(["p1", "p2"]),
        "segment": st.sampled_from([*HEADLINE, "api-cheap", "api-cheap", "saved-login", "scripted"]),
        "harness": st.sampled_from(["copperhead", "copperhead", "reference"]),
        "turns": st.sampled_from([None, None, None, 5]),
        "verdict": st.sampled_from(["pass", "pass", "fail", "unscoreable"]),
        "exit_path": st.sampled_from(["done", "refused", "provider-error"]),
        "repeat": st.integers(1, 4),
        "usd": st.floats(0, 100) | st.floats(0.001, 0.1) | st.sampled_from([0.1, 0.2, 0.3]),
        "priced": st.sampled_from([True] * 9 + [False]),
    }
)
place = ("task", "model", "repeat")
mixed = st.lists(one_run, max_size=40, unique_by=lambda each: tuple(each[name] for name in place))
of_one = st.lists(one_run, max_size=24, unique_by=lambda each: (each["task"], each["repeat"])).map(
    lambda runs: [each | {"model": "m1", "provider": "p1", "segment": "api-cheap", "turns": None} for each in runs]
)
matrices = mixed | of_one.map(lambda runs: [each | {"harness": "copperhead"} for each in runs])
by_hand = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def made(run: MakeRun, suite: SuiteStamps, matrix: list[Facts]) -> Aggregate:
    records = []
    for each in matrix:
        facts = {name: value for name, value in each.items() if name not in ("turns", "priced")}
        facts |= {"usd": each["usd"] if each["priced"] else None, "expected": TASKS[each["task"]]}
        records.append(run(**facts, ablations=Ablations(max_turns=each["turns"])))
    return aggregate(records, suite)


def row_of(each: Facts) -> Row:
    return each["model"], each["provider"], each["segment"], each["harness"], TURNS[each["turns"]]


def row_in(who: Any) -> Row:
    return who.model, who.provider, who.segment, who.harness, who.ablations


def is_fair(each: Facts) -> bool:
    return each["turns"] is None and each["segment"] != "scripted"


def of_row(matrix: list[Facts], row: Row) -> list[Facts]:
    return [each for each in matrix if row_of(each) == row]


def fair_rows(matrix: list[Facts]) -> set[Row]:
    rows = set()
    for each in matrix:
        if is_fair(each):
            rows.add(row_of(each))
    return rows


def verdicts_by_task(runs: list[Facts]) -> dict[str, list[bool]]:
    """For each task with a run that could be scored: whether each such run passed."""
    found: dict[str, list[bool]] = {}
    for each in runs:
        if each["verdict"] == "pass":
            found.setdefault(each["task"], []).append(True)
        elif each["verdict"] == "fail":
            found.setdefault(each["task"], []).append(False)
    return found


def money(runs: list[Facts]) -> Fraction | None:
    total = Fraction(0)
    for each in runs:
        if not each["priced"]:
            return None
        total += Fraction(each["usd"])
    return total


def average(values: list[Fraction]) -> float:
    total = Fraction(0)
    for value in values:
        total += value
    return float(total / len(values))


def expected_row(runs: list[Facts]) -> tuple[Any, ...]:
    """What a row of a tier says, in the order of `found_row`."""
    passed = judged = lost = broken = 0
    repeats: dict[str, int] = {}
    for each in runs:
        repeats[each["task"]] = repeats.get(each["task"], 0) + 1
        if each["verdict"] == "unscoreable":
            lost += 1
            continue
        judged += 1
        if each["verdict"] == "pass":
            passed += 1
        if each["exit_path"] == "provider-error":
            broken += 1
    usd = money(runs)
    reliable = 0
    for verdicts in verdicts_by_task(runs).values():
        if False not in verdicts:
            reliable += 1
    return (
        (passed, judged, passed / judged if judged else None),
        lost,
        broken,
        None if usd is None else float(usd),
        None if usd is None or passed == 0 else float(usd) / passed,
        None if usd is None or reliable == 0 else float(usd) / reliable,
        (min(repeats.values()), max(repeats.values())),
        len(runs),
    )


def found_row(row: ModelRow) -> tuple[Any, ...]:
    return (
        (row.strict_pass.count, row.strict_pass.of, row.strict_pass.rate),
        row.unscoreable,
        row.provider_errors,
        row.usd,
        row.usd_per_pass,
        row.usd_per_reliable_task,
        (row.fewest_repeats, row.most_repeats),
        row.records,
    )


@by_hand
@given(matrix=matrices)
def test_every_run_stands_in_the_one_row_and_table_that_it_belongs_to(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    expected: dict[tuple[str, str, Row], tuple[Any, ...]] = {}
    for tier in ("simple", "medium", "hard"):
        of_tier = [each for each in matrix if each["task"].split("-")[1] == tier]
        for each in of_tier:
            table = each["segment"] if each["segment"] in HEADLINE else "beside"
            table = "ablated" if each["turns"] is not None else table
            expected[tier, table, row_of(each)] = expected_row(of_row(of_tier, row_of(each)))
    result = made(run, suite, matrix)
    places = [(t.tier, s.segment, row) for t in result.tiers for s in t.segments for row in s.rows]
    places += [(each.tier, "beside", each.row) for each in (*result.saved_login, *result.simulated)]
    places += [(each.tier, "ablated", each.row) for each in result.ablated]
    found = {(tier, table, row_in(row.who)): found_row(row) for tier, table, row in places}
    assert found == expected
    assert sum(row.records for _, _, row in places) == len(matrix)


@by_hand
@given(matrix=matrices)
def test_refusals_are_counted_by_what_the_task_expects(run: MakeRun, suite: SuiteStamps, matrix: list[Facts]) -> None:
    expected = {}
    for row in fair_rows(matrix):
        counts = {"refusal": [0, 0], "edit": [0, 0], "flag": [0, 0]}
        for each in of_row(matrix, row):
            if each["verdict"] != "unscoreable":
                counts[TASKS[each["task"]]][1] += 1
                if each["exit_path"] == "refused":
                    counts[TASKS[each["task"]]][0] += 1
        expected[row] = [(had, of, had / of if of else None) for had, of in counts.values()]
    found = {}
    for each in made(run, suite, matrix).refusals:
        shares = each.refusals.correct, each.refusals.false, each.refusals.on_flag
        found[row_in(each.who)] = [(share.count, share.of, share.rate) for share in shares]
    assert found == expected


@by_hand
@given(matrix=matrices)
def test_reliability_weighs_tasks_alike_and_pools_no_repeats(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    expected = {}
    for row in fair_rows(matrix):
        tasks = verdicts_by_task(of_row(matrix, row))
        shares = [Fraction(sum(passed), len(passed)) for passed in tasks.values()]
        all_of: dict[int, list[int]] = {}
        for passed in tasks.values():
            group = all_of.setdefault(len(passed), [0, 0])
            group[1] += 1
            if False not in passed:
                group[0] += 1
        exact = [(k, had, of, had / of) for k, (had, of) in sorted(all_of.items())]
        expected[row] = (len(tasks), average(shares) if shares else None, exact, drawn_from_unequal(tasks))
    found = {}
    for each in made(run, suite, matrix).reliability:
        exact = [(of_k.k, of_k.tasks.count, of_k.tasks.of, of_k.tasks.rate) for of_k in each.all_repeats]
        estimates = [(of_k.k, of_k.tasks, of_k.estimate) for of_k in each.unbiased]
        found[row_in(each.who)] = (each.tasks, each.pass_at_1, exact, estimates)
    assert found == expected


def drawn_from_unequal(tasks: dict[str, list[bool]]) -> list[tuple[int, int, float]]:
    """For each number of repeats: the chance that so many, drawn from a task's own, all passed; by trying each draw."""
    sizes = sorted({len(passed) for passed in tasks.values()})
    if len(sizes) < 2:
        return []
    found = []
    for k in sizes:
        chances = []
        for passed in tasks.values():
            if len(passed) >= k:
                draws = list(combinations(passed, k))
                chances.append(Fraction(sum(all(draw) for draw in draws), len(draws)))
        found.append((k, len(chances), average(chances)))
    return found


@settings(by_hand, max_examples=40)
@given(matrix=matrices)
def test_the_page_shows_a_dash_for_what_is_not_defined_and_never_nothing(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    expected = []
    for each in matrix:
        if is_fair(each) and each["segment"] in HEADLINE:
            tier = each["task"].split("-")[1]
            expected.append((tier, each["segment"], each["model"], each["provider"], each["harness"]))
    found = {}
    for tier, segment, cells in headline_cells(leaderboard(made(run, suite, matrix))):
        model, provider = re.fullmatch(r"(\w+) \((\w+)\)", cells[1]).groups()  # type: ignore[union-attr]
        found[tier, segment, model, provider, cells[8].split()[0]] = cells[3], cells[4], cells[5]
    assert found.keys() == set(expected)
    for (tier, segment, model, provider, harness), cells in found.items():
        runs = of_row(matrix, (model, provider, segment, harness, ""))
        runs = [each for each in runs if each["task"].split("-")[1] == tier]
        (passed, judged, rate), lost, broken, _, usd_per_pass, *_ = expected_row(runs)
        strict = "—" if judged == 0 else f"{rate * 100:.1f}"
        strict += f" (provider {broken})" if broken else ""
        assert (cells[0], cells[2]) == (strict, f"{passed} +{lost}" if lost else str(passed))
        assert (cells[1] == "—") == (usd_per_pass is None)


@by_hand
@given(matrix=matrices)
def test_the_file_holds_every_digit_and_null_for_what_is_not_defined(
    run: MakeRun, suite: SuiteStamps, matrix: list[Facts]
) -> None:
    written = json.loads(aggregate_bytes(made(run, suite, matrix)))
    rows = [(t["tier"], row) for t in written["tiers"] for table in t["segments"] for row in table["rows"]]
    rows += [(each["tier"], each["row"]) for name in ("savedLogin", "simulated", "ablated") for each in written[name]]
    for tier, row in rows:
        who = tuple(row["who"][name] for name in ("model", "provider", "segment", "harness", "ablations"))
        runs = [each for each in of_row(matrix, who) if each["task"].split("-")[1] == tier]
        (_, _, rate), _, _, usd, per_pass, per_reliable, *_ = expected_row(runs)
        money = row["usd"], row["usdPerPass"], row["usdPerReliableTask"]
        assert (row["strictPass"]["rate"], *money) == (rate, usd, per_pass, per_reliable)


def headline_cells(page: str) -> list[tuple[str, str, list[str]]]:
    """Each row of the headline tables: its tier, its segment and its cells."""
    found, tier, segment = [], "", ""
    for line in page.splitlines():
        if line.startswith("## "):
            tier, segment = line.removeprefix("## Tier: ") if line.startswith("## Tier: ") else "", ""
        elif line.startswith("### "):
            segment = line.removeprefix("### ")
        elif tier and segment and line.startswith("| ") and not line.startswith("| # "):
            found.append((tier, segment, [cell.strip() for cell in line.strip("|").split("|")]))
    return found
