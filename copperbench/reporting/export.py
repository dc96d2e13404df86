"""Records for other tools: one row per run as CSV or Parquet (STANDARD 12)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from copperbench.errors import CopperbenchError
from copperbench.records import Record
from copperbench.reporting.rubric import Rubric

Cell = str | int | float | bool | None
_Read = Callable[[Record], Cell]


def _stat(name: str) -> _Read:
    return lambda run: getattr(run.stats, name) if run.stats is not None else None


def _model(name: str) -> _Read:
    return lambda run: getattr(run.model, name) if run.model is not None else None


COLUMNS: Mapping[str, tuple[type, _Read]] = MappingProxyType(
    {
        "record": (str, lambda run: run.path),
        "campaign": (str, lambda run: run.campaign),
        "started_at": (str, lambda run: run.started_at),
        "model": (str, lambda run: run.run_model),
        "provider": (str, _model("provider")),
        "segment": (str, _model("segment")),
        "pinning": (str, _model("pinning")),
        "run_mode": (str, lambda run: run.run_mode),
        "harness": (str, lambda run: run.harness),
        "harness_version": (str, lambda run: run.harness_version),
        "harness_commit": (str, lambda run: run.harness_commit),
        "ablations": (str, lambda run: run.ablations.label),
        "task": (str, lambda run: run.task),
        "tier": (str, lambda run: run.tier),
        "expected_outcome": (str, lambda run: run.expected),
        "variant_of": (str, lambda run: run.variant_of),
        "fixture": (str, lambda run: run.fixture),
        "repeat": (int, lambda run: run.repeat),
        "verdict": (str, lambda run: run.verdict),
        "partial_credit": (float, lambda run: run.partial_credit),
        "failure_category": (str, lambda run: run.failure_category),
        "first_failed_required": (str, lambda run: run.first_failed_required),
        "exit_path": (str, _stat("exit_path")),
        "usd": (float, lambda run: run.usd),
        "duration_ms": (int, lambda run: run.duration_ms),
        "turns_used": (int, _stat("turns_used")),
        "repair_cycles_used": (int, _stat("repair_cycles_used")),
        "tokens_in": (int, _stat("tokens_in")),
        "tokens_out": (int, _stat("tokens_out")),
        "lines_changed": (int, lambda run: run.lines_changed),
        "quarantined": (bool, lambda run: run.quarantined),
        "suite_version": (str, lambda run: run.stamps.suite_version),
        "task_manifest_hash": (str, lambda run: run.stamps.task_manifest_hash),
        "fixture_sha256": (str, lambda run: run.stamps.fixture_sha256),
        "kicad_cli_version": (str, lambda run: run.stamps.kicad_cli_version),
        "comparable": (bool, lambda _: None),
        "rubric_judge": (str, lambda _: None),
        "rubric_score": (float, lambda _: None),
    }
)
"""Every column with its type and how it is read from a record; the last three do not come from the record.

Money in USD, time in milliseconds, `lines_changed` both ways.
"""


def rows(
    runs: Iterable[tuple[Record, bool]], rubrics: Mapping[str, Rubric] = MappingProxyType({})
) -> list[tuple[Cell, ...]]:
    """One row per run in the order of `COLUMNS`; each run comes with whether it is comparable (STANDARD 7).

    `rubrics` are judgements by record path (STANDARD 11).
    """
    readers = [read for _, read in COLUMNS.values()][:-3]
    return [
        (*(read(run) for read in readers), comparable, *_judgement(rubrics.get(run.path))) for run, comparable in runs
    ]


def _judgement(rubric: Rubric | None) -> tuple[Cell, Cell]:
    return (None, None) if rubric is None else (rubric.judge, rubric.score)


def csv_bytes(table: Sequence[Sequence[Cell]]) -> bytes:
    """CSV of RFC 4180 with a header, UTF-8; what is unknown is empty, a truth is `true` or `false`.

    Text that a spreadsheet would take for a formula gets a leading apostrophe: models and harnesses choose names.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_csv_cell(cell) for cell in row] for row in table)
    return out.getvalue().encode("utf-8", "backslashreplace")


def parquet_bytes(table: Sequence[Sequence[Cell]]) -> bytes:
    """A Parquet file with typed columns. Raises CopperbenchError where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        remedy = "pip install 'copperbench[export]'"
        raise CopperbenchError("export --format parquet", "needs pyarrow, which is not installed", remedy) from error
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    schema = pa.schema([(name, types[kind]) for name, (kind, _) in COLUMNS.items()])
    columns = [[_plain(row[place]) for row in table] for place in range(len(COLUMNS))]
    arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
    out = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema), out)
    return bytes(out.getvalue().to_pybytes())


def _plain(cell: Cell) -> Cell:
    return cell.encode("utf-8", "backslashreplace").decode() if isinstance(cell, str) else cell


def _csv_cell(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
    return repr(cell)
