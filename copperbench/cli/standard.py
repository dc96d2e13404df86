"""`copperbench standard`: the tables of STANDARD.md that the code decides."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    file: Annotated[Path, typer.Argument(metavar="[FILE]", help="The document.")] = Path("STANDARD.md"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 where a table is not today's.")] = (
        False
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the tables that differ as JSON.")] = False,
) -> None:
    """Fill the regions between `<!-- generated: NAME -->` and `<!-- end -->` from the code.

    Example: copperbench standard --check
    """
    from copperbench.errors import CopperbenchError
    from copperbench.publish import publish
    from copperbench.reporting.standard import filled, stale_regions

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CopperbenchError(file, f"cannot be read ({error})", "name the document") from error
    stale = stale_regions(text, str(file))
    if stale and not check:
        publish(file, filled(text, str(file)).encode("utf-8"))
    if as_json:
        print(json.dumps({"file": str(file), "differ": stale}))
    if check:
        for name in stale:
            print(f"{file}: {name}: is not what the code has; run `copperbench standard`", file=sys.stderr)
        if stale:
            raise typer.Exit(1)
    if not as_json:
        print(f"{file}: {', '.join(stale) or 'nothing'} {'written' if stale else 'to change'}")
