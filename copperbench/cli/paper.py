"""`copperbench paper`: the paper's macros and tables from a campaign's records, and the check on typed numbers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="The paper's numbers, and the check on its text.")


@app.command()
def numbers(
    campaign: Annotated[Path, typer.Argument(help="A campaign's folder: results/<date>.")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    out: Annotated[Path, typer.Option(help="The folder of macros.tex and tables.tex.")] = Path("paper/generated"),
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say which file is not as generated.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the files, the digest and what differs.")] = False,
) -> None:
    """Write every figure and table that the paper may use, with the digest of the records that they come from.

    The same records give the same bytes. With --check: exit code 1 when a file was edited or is stale.
    Example: copperbench paper numbers results/2026-11-30 --out paper/generated
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)  # before all else is loaded: a slip in the folder's name shows at once
    from copperbench.publish import publish
    from copperbench.reporting.paper import macros_tex, tables_tex, take_snapshot

    snapshot = take_snapshot(root, suite, campaign.name)
    made = {out / "macros.tex": macros_tex(snapshot), out / "tables.tex": tables_tex(snapshot)}
    differs = [path for path, text in made.items() if not path.is_file() or path.read_bytes() != text.encode()]
    # What lies in this folder is believed by the check on the text, so nothing else may.
    added = sorted(path for path in out.glob("*") if path not in made)
    if not check:
        out.mkdir(parents=True, exist_ok=True)
        for path, text in made.items():
            publish(path, text.encode())
    if as_json:
        stale = [str(path) for path in [*differs, *added]] if check else []
        print(json.dumps({"files": [str(path) for path in made], "digest": snapshot.digest, "differs": stale}))
    if check and (differs or added):
        for path in differs:
            what = "is not what the records give"
            print(f"{path}: {what}; run `copperbench paper numbers {campaign} --out {out}`", file=sys.stderr)
        for path in added:
            print(f"{path}: is not generated; keep it elsewhere", file=sys.stderr)
        raise typer.Exit(1)
    if not as_json:
        print(f"{out}: {'as generated' if check else 'written'} from snapshot {snapshot.digest[:12]}")


@app.command()
def claims(
    sections: Annotated[Path, typer.Argument(help="The folder of the paper's sections.")] = Path("paper/sections"),
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as a JSON array.")] = False,
) -> None:
    """Find quantities typed by hand where the paper bears results: each must be a macro of a named snapshot.

    Looks at main.tex beside the folder and at every section that states results, with what they take in. Exit code 1
    when there is one, naming file, line and text.
    Example: copperbench paper claims paper/sections
    """
    from copperbench.reporting.paper import find_claims, paper_sources

    files = paper_sources(sections)
    found = find_claims(files)
    if as_json:
        print(json.dumps([{"file": str(each.path), "line": each.line, "text": each.text} for each in found]))
    for each in found:
        what = f"the quantity {each.text!r} is typed by hand"
        print(f"{each.path}:{each.line}: {what}; use a macro of paper/generated/macros.tex", file=sys.stderr)
    if found:
        raise typer.Exit(1)
    if not as_json:
        print(f"{len(files)} files: every quantity is a macro")
