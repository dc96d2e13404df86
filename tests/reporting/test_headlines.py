"""The two headlines of every row of the aggregate, against a second implementation that reads one run after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.records import Record, SuiteStamps
from copperbench.reporting import aggregate, leaderboard
from copperbench.reporting.rubric import Rubric, read_rubrics, rubric_bytes

MakeRun = Callable[..., Record]
SEGMENTS = {"m1": "api-frontier", "m2": "api-cheap", "m3": "open-weight-self-hosted", "m4": "api-cheap"}
facts = st.fixed_dictionaries(
    {
        "task": st.sampled_from([f"task-{tier}-{n}" for tier in ("simple", "medium", "hard") for n in range(3)]),
        "model": st.sampled_from(sorted(SEGMENTS)),
        "verdict": st.sampled_from(["pass", "fail", "unscoreable"]),
        "repeat": st.integers(1, 3),
        "usd": st.none() | st.floats(0, 50),
        "harness": st.sampled_from(["copperhead", "reference"]),
    }
)
key = ("task", "model", "repeat")
matrices = st.lists(facts, max_size=40, unique_by=lambda each: tuple(each[name] for name in key))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(matrix=matrices)
def test_every_headline_is_what_counting_by_hand_gives(
    run: MakeRun, suite: SuiteStamps, matrix: list[dict[str, Any]]
) -> None:
    found = {
        (table.tier, segment.segment, row.who.model, row.who.harness): (row.strict_pass.rate, row.usd_per_pass)
        for table in aggregate([run(**each, segment=SEGMENTS[each["model"]]) for each in matrix], suite).tiers
        for segment in table.segments
        for row in segment.rows
    }
    expected: dict[tuple[str, ...], tuple[float | None, float | None]] = {}
    for one in matrix:
        place = one["task"].split("-")[1], SEGMENTS[one["model"]], one["model"], one["harness"]
        passed = judged = 0
        usd: Fraction | None = Fraction(0)
        for each in matrix:
            if (each["task"].split("-")[1], each["model"], each["harness"]) == (place[0], place[2], place[3]):
                judged += each["verdict"] != "unscoreable"
                passed += each["verdict"] == "pass"
                usd = None if usd is None or each["usd"] is None else usd + Fraction(each["usd"])
        rate = passed / judged if judged else None
        expected[place] = rate, (float(usd) / passed if usd is not None and passed else None)
    assert found == expected


COLUMN = " Rubric (judged by a model) |"


def test_a_judgement_fills_its_column_and_changes_no_other_byte(run: MakeRun, suite: SuiteStamps) -> None:
    runs = [run(), run(verdict="fail", repeat=2), run(model="m2"), run("task-hard-0", segment="scripted", usd=None)]
    rubrics = {runs[at].path: Rubric("0" * 64, "a-judge", "0" * 64, score, "why") for at, score in ((0, 1.0), (1, 0.5))}
    before, after = aggregate(runs, suite), aggregate(runs, suite, rubrics=rubrics)
    assert replace(after, rubrics=()) == before
    assert "| 0.75 by a-judge (2 runs) |" in leaderboard(after)
    assert without_rubric(leaderboard(after)) == leaderboard(before)


def without_rubric(page: str) -> str:
    """The page but for the column's cells and the sentence about it."""
    lines, judged = [], False
    for line in page.splitlines(keepends=True):
        judged = line.startswith("|") and (judged or line.endswith(f"{COLUMN}\n"))
        if not line.startswith("The rubric column is"):
            lines.append(line.rsplit("|", 2)[0] + "|\n" if judged else line)
    return "".join(lines)


def test_a_file_that_is_no_judgement_of_the_record_beside_it_changes_no_byte(
    suite: SuiteStamps, tmp_path: Path
) -> None:
    place = tmp_path / "results/2026-01-01/m1/task-simple-0"
    place.mkdir(parents=True)
    (place / "run-1.json").write_text("{}")
    (place / "run-1.rubric.json").write_bytes(rubric_bytes(Rubric("0" * 64, "a-judge", "0" * 64, 1.0, "why")))
    assert read_rubrics(tmp_path) == {}
