"""The paper's figures come from records, and its text holds none that was typed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from copperbench.reporting.paper import RESULTS_BEARING, find_claims, macro_name, paper_sources

ROOT = Path(__file__).resolve().parents[2]


def paper(*args, cwd):
    command = [Path(sys.executable).parent / "copperbench", "paper", *map(str, args)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def claims_of(text, tmp_path):
    path = tmp_path / "results.tex"
    path.write_text(text)
    return [(each.line, each.text) for each in find_claims([path])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The model passed 12 tasks.", ["12"]),
        ("It rose by 4.5\\,\\% here.", ["4.5"]),
        ("It passed twenty-two tasks.", ["twenty", "two"]),
        ("Half of the runs failed.", ["Half"]),
        ("only one run failed", ["only one"]),
        ("one of the runs failed", ["one"]),
        ("It failed twice.", ["twice"]),
        ("a rate of $0.75$", ["0.75"]),
        ("with $k = 3$ repeats", ["3"]),
        ("in 2,000 runs", ["2,000"]),
        ("2026 runs were made", ["2026"]),
        ("\\textbf{7}", ["7"]),
        ("a third of them", ["a third"]),
        ("100\\% of them % not 5 of them", ["100"]),
        ("\\verb|%| then 12 of them", ["12"]),
        ("\\code{12 of 30} and \\texttt{7}", ["12", "30", "7"]),
        ("$1$ of them", ["1"]),
        ("of 2000 runs", ["2000"]),
        ("a half: ½, and run XII", ["half", "½", "XII"]),
        ("twen\\-ty and thir{}teen", ["twenty", "thirteen"]),
        ("a single run, threefold, thrice, ranked second", ["single", "threefold", "thrice", "ranked second"]),
        ("one assertion", ["one"]),
        ("all but one, and at least one", ["all but one", "at least one"]),
        ("\\url{12 of 30} and \\url{https://example.org/a2}", ["12", "30"]),
        ("\\cite[12 of 30 passed]{a} and \\cite[p.~7]{b}", ["12", "30"]),
        ("\\caption[9]{Of 8}\\footnote{7} & 6 \\\\", ["9", "8", "7", "6"]),
        ("\\newcommand{\\rate}{45}\\def\\r{46}", ["45", "46"]),
        ("\\includegraphics[width=8cm]{plots/rates2}", ["<picture plots/rates->"]),
    ],
)
def test_a_quantity_in_figures_or_in_words_is_a_claim(text, expected, tmp_path):
    assert [found for _, found in claims_of(text, tmp_path)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Rows: \\cbModelRows{}.",
        "see Section~\\ref{sec:part2} and \\cite{kicad10}",
        "% 12 runs",
        "\\verb|x = 12| and \\code{run-1.json} and \\texttt{chmod=0644}",
        "pass@1 and pass\\textasciicircum{}$k$",
        "a share in $[0, 1]$ and $1 - p$ of it",
        "published in 2026 (2025) on 2026-07-29",
        "one might think; the one that follows; third-party boards; no one",
        "\\includegraphics[width=8cm]{generated/plot}",
        "\\newcommand{\\code}[1]{\\texttt{#1}}",
        "\\documentclass[11pt]{article}\\usepackage[margin=25mm]{geometry}",
    ],
)
def test_names_references_code_years_and_constants_are_no_claims(text, tmp_path):
    assert claims_of(text, tmp_path) == []


def test_a_claim_is_reported_at_its_line(tmp_path):
    assert claims_of("first\n% 9\nthen 5\n\n\\cite{a\n7}eight", tmp_path) == [(3, "5"), (6, "eight")]


def test_the_papers_results_hold_no_typed_quantity():
    assert find_claims(paper_sources(ROOT / "paper/sections")) == ()


@pytest.fixture
def typed(tmp_path):
    """A paper of the parts that have to be there, none of which says anything."""
    sections = tmp_path / "paper/sections"
    sections.mkdir(parents=True)
    for name in RESULTS_BEARING:
        (sections / f"{name}.tex").write_text("Nothing.\n")
    (tmp_path / "paper/main.tex").write_text("\\input{sections/results}\n")
    return sections


def found_in(sections):
    return [(each.path.name, each.text) for each in find_claims(paper_sources(sections))]


@pytest.mark.parametrize("way", ["\\input{more/rates}", "\\include{more/rates}", "\\input more/rates.tex "])
def test_a_quantity_in_a_file_that_a_section_takes_in_is_a_claim(typed, way):
    (typed.parent / "more").mkdir()
    (typed.parent / "more/rates.tex").write_text("12\n")
    (typed / "results.tex").write_text(f"{way}\n")
    assert found_in(typed) == [("rates.tex", "12")]


def test_a_quantity_cannot_be_defined_in_the_papers_main_file(typed):
    (typed.parent / "main.tex").write_text("\\newcommand{\\passes}{12}\n")
    assert found_in(typed) == [("main.tex", "12")]


def test_a_section_that_states_no_result_defines_nothing(typed):
    (typed / "system.tex").write_text("Three sources.\n\\newcommand{\\passes}{twelve}\n")
    assert found_in(typed) == [("system.tex", "\\newcommand")]


def test_a_section_that_states_no_result_has_number_words_at_most(typed):
    (typed / "design.tex").write_text("Two headlines over 23 types.\n")
    assert found_in(typed) == [("design.tex", "23")]


def test_a_section_that_is_new_is_looked_at(typed):
    (typed / "appendix.tex").write_text("It passed 12 tasks.\n")
    assert found_in(typed) == [("appendix.tex", "12")]


def test_what_is_generated_is_no_claim(typed):
    (typed.parent / "generated").mkdir()
    (typed.parent / "generated/macros.tex").write_text("\\newcommand{\\cbTasks}{12}\n")
    (typed.parent / "main.tex").write_text("\\input{generated/macros}\n")
    assert found_in(typed) == []


@given(st.lists(st.text("abcxyz-_.+:0123456789", min_size=1), min_size=1, max_size=3))
def test_a_macros_name_is_one_that_tex_can_read(parts):
    assert re.fullmatch(r"cb[A-Za-z]*", macro_name(*parts))


def test_the_verb_names_file_line_and_text_of_a_claim(tmp_path):
    for name in RESULTS_BEARING:
        (tmp_path / f"{name}.tex").write_text("Nothing.\n")
    (tmp_path / "threats.tex").write_text("Fine.\nIt passed 12 tasks.\n")
    said = paper("claims", tmp_path, cwd=tmp_path)
    assert said.returncode == 1
    assert f"{tmp_path}/threats.tex:2: the quantity '12'" in said.stderr
    listed = paper("claims", tmp_path, "--json", cwd=tmp_path)
    assert json.loads(listed.stdout) == [{"file": f"{tmp_path}/threats.tex", "line": 2, "text": "12"}]


def test_the_committed_numbers_are_those_of_the_committed_campaign():
    named = yaml.safe_load((ROOT / "config/config.yaml").read_text())["paper_snapshot"]
    said = paper("numbers", f"results/{named}", "--check", cwd=ROOT)
    assert said.returncode == 0, said.stderr
