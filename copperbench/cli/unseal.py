"""`copperbench unseal`: what a sealed run began with and what it left, as files to look at."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    record: Annotated[Path, typer.Argument(help="results/<date>/<model>/<task>/run-<n>.json")],
    out: Annotated[Path, typer.Option(help="A new folder.")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write the two trees of a sealed run into OUT/start and OUT/end, to be compared or opened in KiCad.

    Every digest is verified first. Regular files alone are written: links, special files and the repository are named
    on stderr and left out. The files were written by an agent; look at them, and run nothing of them.
    Example: copperbench unseal results/2026-01-02/harness-gold/do-rename-net/run-1.json --out /tmp/look
    """
    from copperbench.errors import CopperbenchError, SealBroken
    from copperbench.records import record_place
    from copperbench.sandbox import open_seal
    from copperbench.suite import parse_fixture, verify_tree

    place = record_place(record, root)
    if not place.is_sealed:
        raise SealBroken(place.name, "has no evidence beside it", "name a run whose evidence is here")
    if out.exists():
        raise CopperbenchError(out, "exists already", "name a new folder")
    seal = open_seal(place.folder)
    if seal.facts.quarantine is not None:
        raise CopperbenchError(
            place.name, "is quarantined: nothing of it is published", "its record says what was found"
        )
    fixture = parse_fixture(seal.facts.fixture_manifest, f"{place.folder / 'run.json'} (sealed)")
    tree = (fixtures or root / "fixtures") / fixture.id / "tree"
    verify_tree(fixture, tree)
    seal.materialise("baseline", tree, out / "start")
    seal.materialise("end", tree, out / "end")
    # As Python writes them: an agent chose these names, and a terminal obeys what it is shown.
    left_out = [f"{state.path!r} ({state.kind})" for state in seal.end.values() if state.kind != "file"]
    for each in left_out:
        print(f"left out: {each}", file=sys.stderr)
    written = {name: sum(path.is_file() for path in (out / name).rglob("*")) for name in ("start", "end")}
    if as_json:
        print(json.dumps({"out": str(out), **written, "leftOut": left_out}))
    else:
        print(f"{out}: {written['start']} files at the start, {written['end']} at the end; `diff -r start end` there")
