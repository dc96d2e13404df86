"""`copperbench gc`: remove what can be made again; never a record, never evidence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove; without it, only say what would go.")] = False,
    older_than: Annotated[float, typer.Option(min=0, help="Days for which a thing must have been untouched.")] = 30.0,
    superseded: Annotated[bool, typer.Option("--superseded", help="Also what other runs have replaced.")] = False,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the pieces as JSON.")] = False,
) -> None:
    """Say what caches, logs and left-over folders could go, or with --yes remove them. A dry run by default.

    Records, sealed evidence and quarantine/ are never touched; superseded/ only with --superseded.
    Exit code 1 when something could not be removed. Example: copperbench gc --older-than 7 --yes
    """
    from copperbench.records.disk import remove, spare

    pieces = list(spare(root, older_than, superseded=superseded))
    failed = False
    for piece in pieces:
        if not as_json:
            print(f"{piece.size / 1024:>12,.0f} kB  {piece.path}: {piece.why}")
        try:
            if yes:
                remove(piece)
        except OSError as error:
            failed = True
            print(f"{piece.path}: cannot be removed ({error.strerror}); remove it by hand", file=sys.stderr)
    total = sum(piece.size for piece in pieces)
    if as_json:
        found = [{"path": str(piece.path), "bytes": piece.size, "why": piece.why} for piece in pieces]
        print(json.dumps({"removed": yes, "bytes": total, "pieces": found}))
    else:
        did = "removed" if yes else "could go; --yes removes them"
        print(f"{len(pieces)} files and folders, {total / 1024:,.0f} kB, {did}")
    if failed:
        raise typer.Exit(1)
