"""The reports as targets: site, figures, Snakemake's own report, and the regression gate."""

from __future__ import annotations

import shutil
import zipfile

import pytest

pytestmark = pytest.mark.slow


def test_the_site_is_a_target(finished):
    finished.snakemake("site")
    assert "Leaderboard" in (finished.folder / "build/site/index.html").read_text()


def test_snakemake_s_report_has_every_figure_in_its_category(finished):
    finished.snakemake("plots")
    finished.snakemake("--report", "report.zip", "plots")
    with zipfile.ZipFile(finished.folder / "report.zip") as report:
        names = {name.rsplit("/", 1)[1] for name in report.namelist()}
        page = report.read("report/report.html").decode()
    assert {"cost-against-pass-rate.svg", "tiers.svg", "reliability.svg", "failures.svg"} <= names
    assert [name for name in ("Headlines", "Reliability", "Work queue") if name not in page] == []


def test_a_gate_without_a_common_row_is_an_error_in_one_line(finished):
    shutil.copy(finished.folder / "results/aggregate.json", finished.folder / "baseline.json")
    said = finished.snakemake("compare", "--config", "baseline=baseline.json", ok=False)
    log = (finished.folder / "build/logs/compare.log").read_text()
    assert said.returncode != 0
    assert "Traceback" not in log
    assert len(log.splitlines()) == 1
