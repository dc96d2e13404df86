"""The figures: drawn from anything, the same bytes again, and no text of a record becomes markup."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from copperbench.records import Record, SuiteStamps
from copperbench.reporting import Aggregate, aggregate
from copperbench.reporting.plots import PLOTS, inline_plot, plot

MakeRun = Callable[..., Record]
HOSTILE = "<script>$x_{</script>\x07&"


@pytest.fixture
def made(run: MakeRun, suite: SuiteStamps) -> Aggregate:
    outcomes = ("pass", "fail", "pass")
    runs = [
        run(task, verdict, model=model, repeat=n)
        for task in ("task-simple-0", "task-hard-0")
        for model in ("m1", HOSTILE)
        for n, verdict in enumerate(outcomes, 1)
    ]
    return aggregate(runs, suite)


@pytest.mark.parametrize("name", PLOTS)
def test_no_records_still_give_a_file_that_says_so_and_take_no_room_on_a_page(suite: SuiteStamps, name: str) -> None:
    assert b"Nothing to draw" in plot(name, aggregate([], suite), "svg")
    assert inline_plot(name, aggregate([], suite)) is None


@pytest.mark.parametrize("name", PLOTS)
def test_equal_records_give_equal_files(made: Aggregate, name: str) -> None:
    assert plot(name, made, "svg") == plot(name, made, "svg")


@pytest.mark.parametrize("name", PLOTS)
def test_a_hostile_model_name_is_text_in_the_figure(made: Aggregate, name: str) -> None:
    tree = ElementTree.fromstring(inline_plot(name, made))
    assert not [each for each in tree.iter() if each.tag.endswith("script")]


def test_a_png_is_a_png(made: Aggregate) -> None:
    assert plot("tiers", made, "png").startswith(b"\x89PNG")
