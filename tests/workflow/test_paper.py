"""The paper's numbers from a campaign that was run."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def snapshot(finished):
    finished.call("copperbench", "paper", "numbers", f"results/{finished.date}")
    return finished


def test_every_macro_that_the_text_uses_is_made(snapshot):
    made = "".join((snapshot.folder / "paper/generated" / name).read_text() for name in ("macros.tex", "tables.tex"))
    defined = set(re.findall(r"\\newcommand\{\\(cb[A-Za-z]+)\}", made))
    texts = [*(ROOT / "paper/sections").glob("*.tex"), ROOT / "paper/main.tex"]
    used = {name for path in texts for name in re.findall(r"\\(cb[A-Za-z]+)", path.read_text())}
    assert used - defined == set()
    assert used


def test_the_same_records_give_the_same_bytes_and_name_their_digest(snapshot):
    first = (snapshot.folder / "paper/generated/macros.tex").read_bytes()
    snapshot.call("copperbench", "paper", "numbers", f"results/{snapshot.date}", "--out", "again")
    assert (snapshot.folder / "again/macros.tex").read_bytes() == first
    assert re.search(rb"% snapshot digest +[0-9a-f]{64}\n", first)


def test_a_figure_edited_by_hand_is_found_and_the_way_back_is_named(snapshot):
    macros = snapshot.folder / "paper/generated/macros.tex"
    edited = re.sub(r"(cbRecordsOnDisk\}\{)\d+", r"\g<1>999", macros.read_text())
    assert edited != macros.read_text()
    macros.write_text(edited)
    said = snapshot.call("copperbench", "paper", "numbers", f"results/{snapshot.date}", "--check", ok=False)
    assert said.returncode == 1
    assert "paper/generated/macros.tex" in said.stderr
    assert "copperbench paper numbers" in said.stderr


def test_a_file_among_the_generated_ones_that_nothing_generates_is_named(snapshot):
    (snapshot.folder / "paper/generated/more.tex").write_text("12")
    said = snapshot.call("copperbench", "paper", "numbers", f"results/{snapshot.date}", "--check", ok=False)
    assert (said.returncode, said.stderr) == (1, "paper/generated/more.tex: is not generated; keep it elsewhere\n")


def test_a_campaign_without_records_is_refused_in_one_line(finished):
    said = finished.call("copperbench", "paper", "numbers", "results/2020-01-01", ok=False)
    assert (said.returncode, len(said.stderr.splitlines())) == (2, 1)


def test_the_workflow_makes_the_papers_numbers(finished):
    finished.snakemake("paper", "--config", f"paper_snapshot={finished.date}")
    assert (finished.folder / "paper/generated/tables.tex").is_file()


@pytest.mark.slow
def test_the_pdf_is_built_and_a_typed_quantity_stops_it(snapshot):
    if shutil.which("latexmk") is None:
        pytest.skip("needs latexmk and pdflatex (workflow/scripts/install_tex.sh installs them as root)")
    named = ("--config", f"paper_snapshot={snapshot.date}")
    snapshot.snakemake("paper_pdf", *named)
    assert (snapshot.folder / "build/paper/main.pdf").read_bytes().startswith(b"%PDF")
    section = snapshot.folder / "paper/sections/results.tex"
    section.write_text(section.read_text() + "It passed 12 tasks.\n")
    snapshot.snakemake("paper_pdf", *named, ok=False)
    assert "results.tex" in (snapshot.folder / "build/logs/paper-pdf.log").read_text()
