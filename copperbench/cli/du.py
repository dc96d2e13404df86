"""`copperbench du`: what a checkout holds on disk, by sort."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print how many files and bytes records, evidence, caches and logs take. Reads sizes alone and changes nothing.

    Example: copperbench du
    """
    from copperbench.records.disk import shares

    found = shares(root)
    if as_json:
        print(json.dumps([{"what": each.what, "files": each.files, "bytes": each.size} for each in found]))
        return
    for each in found:
        print(f"{each.size / 1024:>12,.0f} kB  {each.files:>8,} files  {each.what}")
    runs = next((each.files for each in found if each.what == "results: run.json"), 0)
    sealed = sum(each.size for each in found if each.what.startswith("results: ") and "transcripts" not in each.what)
    if runs:
        print(f"{sealed / runs / 1024:>12,.1f} kB  a run, record and evidence without its transcript")
