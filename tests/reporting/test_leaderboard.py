"""The generated page: what it must show, and that a hand edit is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from markdown_it import MarkdownIt

from copperbench.records import Record, SuiteStamps, Unreadable
from copperbench.reporting import Expectation, aggregate, check_leaderboard, leaderboard
from copperbench.reporting.leaderboard import usd_text

MakeRun = Callable[..., Record]


def row_with(text: str, start: str) -> list[str]:
    line = next(line for line in text.splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_headline_row_shows_rate_cost_and_the_unscoreable_beside_the_passes(run: MakeRun, suite: SuiteStamps) -> None:
    runs = [run(repeat=n, usd=1.0, verdict=v) for n, v in enumerate(("pass", "pass", "fail", "unscoreable"), 1)]
    cells = row_with(leaderboard(aggregate(runs, suite)), "| 1 |")
    assert cells[3:8] == ["66.7", "2.00", "2 +1", "4", "4"]


def test_an_undefined_cost_is_a_dash(run: MakeRun, suite: SuiteStamps) -> None:
    runs = [run(repeat=n, verdict="fail") for n in (1, 2)]
    assert row_with(leaderboard(aggregate(runs, suite)), "| 1 |")[4] == "—"


def test_an_empty_tier_says_so_and_counts_its_harness_records(run: MakeRun, suite: SuiteStamps) -> None:
    text = leaderboard(aggregate([run(model="harness:gold", mode="gold")], suite))
    assert "Empty: no model has a comparable record in this tier; 1 harness record (see Discrimination)." in text


def test_a_single_repeat_is_labelled_and_unranked(run: MakeRun, suite: SuiteStamps) -> None:
    cells = row_with(leaderboard(aggregate([run()], suite)), "| — | m1")
    assert cells[6] == "1 (single: no comparison)"


def test_a_page_of_no_records_is_still_a_page(suite: SuiteStamps) -> None:
    assert "| Snapshot | no records |" in leaderboard(aggregate([], suite))


def test_markup_in_a_model_name_stays_text_in_its_cell(run: MakeRun, suite: SuiteStamps) -> None:
    hostile = "m|1\n# <script>`x`</script> [a](javascript:b) ~~s~~ _e_ **b** &lt;"
    text = leaderboard(aggregate([run(model=hostile, repeat=n) for n in (1, 2)], suite))
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    assert "<td>m|1 # &lt;script&gt;`x`&lt;/script&gt; [a](javascript:b) ~~s~~ _e_ **b** &amp;lt; (p1)</td>" in page


def test_an_unreadable_record_is_listed_with_its_error(suite: SuiteStamps) -> None:
    text = leaderboard(aggregate([Unreadable("results/2026-01-01/m/t/run-1.json", "$.task: missing")], suite))
    assert "| results/2026-01-01/m/t/run-1.json | — | — | — | — | unreadable: \\$.task: missing |" in text


def test_a_regeneration_is_no_hand_edit(run: MakeRun, suite: SuiteStamps) -> None:
    found = aggregate([run()], suite)
    assert check_leaderboard(leaderboard(found), found) is None


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda text: text.replace("# Leaderboard", "# Leaderboard!"), 2),
        (lambda text: "note\n" + text, 1),
        (lambda text: text.removesuffix("\n"), -1),
        (lambda text: text + "mine\n", -1),
        (lambda text: text.replace("\n", "\r\n", 1), 1),
    ],
)
def test_a_hand_edit_is_found_by_its_first_line(
    run: MakeRun, suite: SuiteStamps, edit: Callable[[str], str], line: int
) -> None:
    found = aggregate([run()], suite)
    text = leaderboard(found)
    edited = check_leaderboard(edit(text), found)
    assert edited is not None
    assert edited.line == (line if line > 0 else text.count("\n") + 1)


def test_the_discrimination_table_names_what_stopped_an_unexpected_run(
    run: MakeRun, suite: SuiteStamps, expected: Callable[..., Expectation]
) -> None:
    runs = [
        run(model="harness:noop", mode="noop", verdict="fail"),
        run(model="harness:gold", mode="gold", verdict="fail", failed=("a3",)),
        run(model="harness:trap-half", mode="trap", verdict="fail", failed=("a2",)),
    ]
    text = leaderboard(aggregate(runs, suite, [expected(half=("a1",))]))
    cells = row_with(text, "| task-simple-0 |")
    assert cells[3:6] == ["fail at a1", "fail at a3", "0/1 (trap-half fails at a2)"]


@pytest.mark.parametrize(("usd", "shown"), [(None, "—"), (0.0, "0.0000"), (1e-9, "under 0.0001"), (12.345, "12.35")])
def test_a_small_cost_is_never_shown_as_nothing(usd: float | None, shown: str) -> None:
    assert usd_text(usd) == shown


def test_the_kill_matrix_says_what_is_proven_implied_and_not(
    run: MakeRun, suite: SuiteStamps, expected: Callable[..., Expectation]
) -> None:
    runs = [run(model="harness:noop", mode="noop", verdict="fail", failed=("a1", "a2", "a3"))]
    runs.append(run(model="harness:trap-x", mode="trap", verdict="fail", failed=("a1", "a2")))
    expectation = expected(required=("a1", "a2", "a3"), implied_by={"a2": "a1"}, x=("a1", "a2"))
    text = leaderboard(aggregate(runs, suite, [expectation]))
    assert [row_with(text, f"| a{n} |")[1] for n in (1, 2, 3)] == ["trap-x", "implied by a1", "UNPROVEN"]
