"""`copperbench leaderboard`: write LEADERBOARD.md, or find out whether someone edited it by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting import Aggregate


def command(
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    aggregate: Annotated[Path | None, typer.Option(help="A file that `copperbench aggregate` wrote.")] = None,
    out: Annotated[Path | None, typer.Option(help="The page (default: LEADERBOARD.md).")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare the page with what the records give.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print where the page is, or what differs, as JSON.")] = False,
) -> None:
    """Generate the leaderboard from the aggregate, or from the records on disk where no aggregate is named.

    With --check nothing is written: exit code 1 and the first differing line when the page is not what the records
    give. Example: copperbench leaderboard --check
    """
    from copperbench.reporting import aggregate_at

    page = out or root / "LEADERBOARD.md"
    made = aggregate_at(root, aggregate)
    if check:
        _check(page, made, as_json=as_json)
        return
    from copperbench.publish import publish
    from copperbench.reporting import leaderboard

    publish(page, leaderboard(made).encode("utf-8"))
    print(json.dumps({"leaderboard": str(page)}) if as_json else page)


def _check(page: Path, made: Aggregate, *, as_json: bool) -> None:
    from copperbench.errors import CopperbenchError
    from copperbench.reporting import check_leaderboard

    try:
        text = page.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise CopperbenchError(page, f"cannot be read ({error.strerror})", "run `copperbench leaderboard`") from error
    edit = check_leaderboard(text, made)
    if as_json:
        found = None if edit is None else {"line": edit.line, "found": edit.found, "expected": edit.expected}
        print(json.dumps({"leaderboard": str(page), "differs": found}))
    elif edit is None:
        print(f"{page}: as generated")
    if edit is not None:
        what = f"has {edit.found!r} where a regeneration has {edit.expected!r}"
        print(f"{page}:{edit.line}: {what}; run `copperbench leaderboard` instead of editing it", file=sys.stderr)
        raise typer.Exit(1)
