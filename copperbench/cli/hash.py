"""`copperbench hash`: the canonical hash of a tree (STANDARD 13)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(metavar="TREE", help="The tree; with --check the fixture's folder.")],
    check: Annotated[
        bool, typer.Option("--check", help="Compare TREE/tree with the sha256 of TREE/fixture.json.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the hash as JSON.")] = False,
) -> None:
    """Print the canonical hash of a tree, or check a fixture's tree against its manifest.

    Nothing is filtered. Exit code 1 when a checked hash differs, 2 when the tree is missing or no frozen copy.
    Examples: copperbench hash fixtures/copperbench-ldo-sensor/tree;
    copperbench hash --check fixtures/copperbench-ldo-sensor
    """
    from copperbench.suite import load_fixture, tree_hash

    expected = load_fixture(folder).sha256 if check else None
    tree = folder / "tree" if check else folder
    actual = tree_hash(tree)
    matches = expected is None or actual == expected
    if as_json:
        print(json.dumps({"tree": str(tree), "sha256": actual, "expected": expected, "matches": matches}, indent=2))
    elif matches:
        print(actual)
    else:
        typer.echo(f"{tree}: expected {expected}, found {actual}; `copperbench fixture get {folder.name}`", err=True)
    if not matches:
        raise typer.Exit(1)
