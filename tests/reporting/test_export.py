"""Records for other tools: every run once, and readable by the tools they are for."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from copperbench.evidence import read_transcript
from copperbench.records import Record
from copperbench.reporting.export import COLUMNS, csv_bytes, parquet_bytes, rows
from copperbench.reporting.inspect_log import eval_log, eval_name
from copperbench.reporting.rubric import Rubric

MakeRun = Callable[..., Record]
TRANSCRIPT = b"\n".join(
    json.dumps({"type": kind, "data": data}).encode()
    for kind, data in [
        ("run-start", {"request": "rename it"}),
        ("assistant", {"text": None, "toolCalls": [{"id": "c1", "name": "search", "args": {"pattern": "x"}}]}),
        ("tool", {"name": "search", "args": {"pattern": "x"}, "result": "found"}),
        ("run-end", {"exitPath": "done"}),
    ]
)


def test_every_run_is_one_row_of_csv(run: MakeRun) -> None:
    data = csv_bytes(rows([(run(repeat=1), True), (run(repeat=2, usd=None), False)]))
    read = list(csv.DictReader(io.StringIO(data.decode())))
    assert [(each["repeat"], each["usd"], each["comparable"]) for each in read] == [
        ("1", "0.5", "true"),
        ("2", "", "false"),
    ]


def test_a_judgement_is_exported_in_columns_of_its_own(run: MakeRun) -> None:
    judged, other = run(repeat=1), run(repeat=2)
    rubrics = {judged.path: Rubric("0" * 64, "a-judge", "0" * 64, 0.5, "why")}
    read = list(csv.DictReader(io.StringIO(csv_bytes(rows([(judged, True), (other, True)], rubrics)).decode())))
    assert [(each["rubric_judge"], each["rubric_score"]) for each in read] == [("a-judge", "0.5"), ("", "")]


@pytest.mark.parametrize("name", ["=1+1", "@SUM(A1)", "-2", "+3"])
def test_a_model_name_is_no_formula_in_a_spreadsheet(run: MakeRun, name: str) -> None:
    data = csv_bytes(rows([(run(model=name), True)]))
    assert next(csv.DictReader(io.StringIO(data.decode())))["model"] == f"'{name}"


def test_parquet_columns_are_typed_and_unknown_is_null(run: MakeRun) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is an optional extra")
    table = parquet.read_table(io.BytesIO(parquet_bytes(rows([(run(usd=None), True)]))))
    assert table.column_names == list(COLUMNS)
    assert (str(table.schema.field("usd").type), table["usd"][0].as_py()) == ("double", None)


def test_an_inspect_log_has_a_sample_per_run_and_epochs_count_repeats(run: MakeRun) -> None:
    data = eval_log([run(repeat=2), run(repeat=1), run("task-hard-0")], {}, "1.0.0")
    names = [name for name in zipfile.ZipFile(io.BytesIO(data)).namelist() if name.startswith("samples/")]
    assert names == [
        "samples/task-hard-0_epoch_1.json",
        "samples/task-simple-0_epoch_1.json",
        "samples/task-simple-0_epoch_2.json",
    ]


def test_a_tool_result_answers_the_call_that_asked_for_it(run: MakeRun) -> None:
    one = run()
    data = eval_log([one], {one.path: read_transcript(TRANSCRIPT)}, "1.0.0")
    sample = json.loads(zipfile.ZipFile(io.BytesIO(data)).read("samples/task-simple-0_epoch_1.json"))
    assert [each["role"] for each in sample["messages"]] == ["user", "assistant", "tool"]
    assert sample["messages"][2]["tool_call_id"] == sample["messages"][1]["tool_calls"][0]["id"]


READ_WITH_INSPECT = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
scores = lambda sample: {name: score.value for name, score in sample.scores.items()}
print(json.dumps([[each.id, each.epoch, scores(each), [m.role for m in each.messages]] for each in log.samples]))
"""


@pytest.mark.slow
def test_inspect_ai_itself_reads_the_log(run: MakeRun, tmp_path: Path) -> None:
    python = os.environ.get("COPPERBENCH_INSPECT_PYTHON")
    if not python:
        pytest.skip("needs a Python with inspect-ai (workflow/scripts/install_inspect.sh prints one)")
    runs = [run(repeat=1), run(verdict="fail", repeat=2), run("task-hard-0", "unscoreable")]
    rubrics = {runs[0].path: Rubric("0" * 64, "a-judge", "0" * 64, 0.25, "why")}
    path = tmp_path / eval_name(runs)
    path.write_bytes(eval_log(runs, {runs[0].path: read_transcript(TRANSCRIPT)}, "1.0.0", rubrics))
    said = subprocess.run([python, "-c", READ_WITH_INSPECT, str(path)], capture_output=True, text=True, check=True)
    assert sorted(json.loads(said.stdout)) == [
        ["task-hard-0", 1, {"verdict": "N", "partial_credit": 0.5}, []],
        ["task-simple-0", 1, {"verdict": "C", "partial_credit": 1.0, "rubric": 0.25}, ["user", "assistant", "tool"]],
        ["task-simple-0", 2, {"verdict": "I", "partial_credit": 0.5}, []],
    ]


def test_a_log_file_name_is_safe_whatever_the_model_is_called(run: MakeRun) -> None:
    assert "/" not in eval_name([run(model="../../etc/passwd")])
