"""The verbs that people and CI call: exit codes, files, and one line for bad input."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from copperbench.records import Record, SuiteStamps
from copperbench.reporting import aggregate, aggregate_bytes

MakeRun = Callable[..., Record]


@pytest.fixture
def kept(run: MakeRun, suite: SuiteStamps, tmp_path: Path) -> Callable[..., Path]:
    """Write the aggregate of runs with these verdicts."""

    def keep(name: str, *verdicts: str) -> Path:
        runs = [run(verdict=verdict, repeat=n) for n, verdict in enumerate(verdicts, 1)]
        path = tmp_path / name
        path.write_bytes(aggregate_bytes(aggregate(runs, suite)))
        return path

    return keep


def verb(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    program = "from copperbench.cli import main; main()"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_regression_ends_with_1_and_leaves_summary_and_junit(kept: Callable[..., Path], tmp_path: Path) -> None:
    before, now = kept("before.json", *["pass"] * 4), kept("now.json", *["pass"] * 2, *["fail"] * 2)
    files = "--summary", "s.md", "--junit", "j.xml"
    done = verb("compare", before, "--aggregate", now, *files, cwd=tmp_path)
    assert (done.returncode, (tmp_path / "s.md").exists(), (tmp_path / "j.xml").exists()) == (1, True, True)
    assert done.stdout.splitlines()[-1].startswith("REGRESSION: ")


def test_equal_figures_end_with_0(kept: Callable[..., Path], tmp_path: Path) -> None:
    before = kept("before.json", *["pass"] * 4)
    assert verb("compare", before, "--aggregate", before, cwd=tmp_path).returncode == 0


def test_a_looser_threshold_lets_a_fall_pass(kept: Callable[..., Path], tmp_path: Path) -> None:
    before, now = kept("before.json", *["pass"] * 4), kept("now.json", *["pass"] * 2, *["fail"] * 2)
    loose = "--threshold", "0.6", "--threshold", "cost_rise=2"
    assert verb("compare", before, "--aggregate", now, *loose, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("threshold", ["-1", "speed=2", "nan", "cost_rise=", "pass_rate_drop=a"])
def test_a_threshold_that_is_none_is_named_in_one_line(
    kept: Callable[..., Path], tmp_path: Path, threshold: str
) -> None:
    before = kept("before.json", "pass")
    done = verb("compare", before, "--aggregate", before, f"--threshold={threshold}", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert threshold in done.stderr


def test_a_baseline_that_is_no_aggregate_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text("[]")
    done = verb("compare", "b.json", "--aggregate", "b.json", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n"), done.stderr.startswith("b.json")) == (2, 1, True)


def test_export_of_an_empty_checkout_is_a_header(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "config", tmp_path / "config")
    done = verb("export", "--out", "runs.csv", "--json", cwd=tmp_path)
    assert json.loads(done.stdout) == {"runs": 0, "files": ["runs.csv"]}
    assert (tmp_path / "runs.csv").read_text().startswith("record,campaign,")
