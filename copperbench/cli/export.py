"""`copperbench export`: the records for other tools."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.records import Record, SuiteStamps


class Format(StrEnum):
    """What to write."""

    csv = "csv"
    parquet = "parquet"
    inspect = "inspect"


def command(
    form: Annotated[Format, typer.Option("--format", help="csv, parquet or inspect.")] = Format.csv,
    out: Annotated[Path | None, typer.Option(help="A file (inspect: a folder); default under build/export.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    every: Annotated[bool, typer.Option("--all", help="Not comparable records too (column `comparable`).")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write one row per run as CSV or Parquet, or one Inspect AI log per model with verdicts and transcripts.

    Example: copperbench export --format parquet --out runs.parquet

    Example: copperbench export --format inspect --out logs, then: inspect view --log-dir logs
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)  # before all else is loaded: a slip in the folder's name shows at once
    from copperbench.publish import publish
    from copperbench.records import suite_stamps
    from copperbench.reporting.export import csv_bytes, parquet_bytes, rows
    from copperbench.reporting.rubric import read_rubrics

    stamps = suite_stamps(suite)
    runs = _runs(root, stamps, every=every)
    if form is Format.inspect:
        written = _inspect(root, [run for run, _ in runs], out or root / "build/export/inspect", stamps)
    else:
        path = out or root / f"build/export/runs.{form.value}"
        table = rows(runs, read_rubrics(root))
        publish(path, csv_bytes(table) if form is Format.csv else parquet_bytes(table))
        written = [path]
    if as_json:
        print(json.dumps({"runs": len(runs), "files": [str(path) for path in written]}))
    else:
        print("\n".join(str(path) for path in written))
    print(f"{len(runs)} runs", file=sys.stderr)


def _runs(root: Path, stamps: SuiteStamps, *, every: bool) -> list[tuple[Record, bool]]:
    from copperbench.records import Record, comparable, read_records

    found = [(entry, not comparable(entry, stamps)) for entry in read_records(root) if isinstance(entry, Record)]
    return [each for each in found if every or each[1]]


def _inspect(root: Path, runs: list[Record], out: Path, stamps: SuiteStamps) -> list[Path]:
    from copperbench.evidence import read_transcript
    from copperbench.publish import publish
    from copperbench.reporting.inspect_log import eval_log, eval_name
    from copperbench.reporting.rubric import read_rubrics

    rubrics = read_rubrics(root)
    groups: dict[str, list[Record]] = {}
    for run in runs:
        groups.setdefault(eval_name([run]), []).append(run)
    for name, members in groups.items():
        files = {run.path: root / Path(run.path).with_suffix("") / "transcript.jsonl" for run in members}
        kept = {path: read_transcript(file.read_bytes()) for path, file in files.items() if file.is_file()}
        publish(out / name, eval_log(members, kept, stamps.suite_version, rubrics))
    return [out / name for name in groups]
