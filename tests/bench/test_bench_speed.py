"""The page of measured promises: every value with its bound, what is missed, and the measurements before."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from given.modules import module

from copperbench.cli import VERBS

speed = module(Path(__file__).with_name("bench_speed.py"))
workflow = module(Path(__file__).with_name("bench_workflow.py"))
KEPT = speed.Value("bench_workflow.py", "planning (s, 6,000 runs)", 12.5, 30.0)
MISSED = speed.Value("bench_workflow.py", "grading (s CPU)", 0.4, 0.3)
FREE = speed.Value("bench_agent.py", "own time in a turn (ms)", 3.0, None)


def row(page: str, what: str) -> list[str]:
    (line,) = [line for line in page.splitlines() if line.startswith(f"| {what}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


@pytest.fixture
def written(tmp_path):
    speed.write([KEPT, MISSED, FREE], tmp_path)
    return tmp_path


def test_a_value_stands_with_its_bound_and_whether_it_holds(written):
    page = (written / speed.PAGE).read_text()
    assert row(page, KEPT.what)[1:4] == ["12.5", "30", "yes"]
    assert row(page, MISSED.what)[1:4] == ["0.4", "0.3", "**no**"]
    assert row(page, FREE.what)[1:4] == ["3", "", ""]


def test_the_page_names_machine_and_versions(written):
    page = (written / speed.PAGE).read_text()
    assert all(f"{name} " in page for name in ("processor", "cores", "python", "snakemake", "kicad-cli", "sexpdata"))


def test_the_page_shows_the_median_of_what_was_measured_before(written):
    for value in (14.5, 99.0):
        speed.write([speed.Value(KEPT.bench, KEPT.what, value, KEPT.bound)], written)
    assert row((written / speed.PAGE).read_text(), KEPT.what)[4] == "13.5"


def test_the_history_keeps_every_measurement(written):
    speed.write([KEPT], written)
    lines = [json.loads(line) for line in (written / speed.HISTORY).read_text().splitlines()]
    assert [line["values"]["bench_workflow.py: planning (s, 6,000 runs)"] for line in lines] == [12.5, 12.5]


@pytest.mark.parametrize(("values", "code"), [([KEPT, FREE], 0), ([KEPT, MISSED], 1)])
def test_a_missed_promise_is_the_exit_code(values, code, tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "ROOT", tmp_path)
    monkeypatch.setattr(speed, "measure", lambda bench, _: [value for value in values if value.bench == bench])
    monkeypatch.setattr(sys, "argv", ["bench_speed.py", "--small"])
    assert speed.main() == code


def test_a_small_trial_writes_no_figures_into_the_documents(tmp_path, monkeypatch):
    monkeypatch.setattr(speed, "ROOT", tmp_path)
    monkeypatch.setattr(speed, "measure", lambda bench, _: [KEPT] if bench == KEPT.bench else [])
    monkeypatch.setattr(sys, "argv", ["bench_speed.py", "--small"])
    speed.main()
    assert {path.parent.name for path in tmp_path.rglob("*") if path.is_file()} == {"bench"}


def test_a_bench_that_breaks_off_is_a_missed_promise(tmp_path, monkeypatch):
    (tmp_path / "tests/bench").mkdir(parents=True)
    (tmp_path / "tests/bench/broken.py").write_text("raise SystemExit('no kicad-cli')")
    monkeypatch.setattr(speed, "ROOT", tmp_path)
    assert [value.holds for value in speed.measure("broken.py", [])] == [False]


def test_what_a_bench_prints_is_read_back(tmp_path, monkeypatch):
    (tmp_path / "tests/bench").mkdir(parents=True)
    lines = "     0.275  at most 0.3  start of x (s CPU)\\n     2.000  at most 1  y (s, 6,000 runs)  MISSED\\n"
    (tmp_path / "tests/bench/some.py").write_text(f"print('''{lines}''')")
    monkeypatch.setattr(speed, "ROOT", tmp_path)
    read = [(value.what, value.value, value.bound, value.holds) for value in speed.measure("some.py", [])]
    assert read == [("start of x (s CPU)", 0.275, 0.3, True), ("y (s, 6,000 runs)", 2.0, 1.0, False)]


def test_the_start_of_every_verb_is_measured():
    assert set(workflow.SLIPS) == set(VERBS)
