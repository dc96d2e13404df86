"""`copperbench sandbox`: a task's starting state, as a folder to look at or as the archive that runs start from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.sandbox import Init


def command(
    task: Annotated[str, typer.Argument(help="A task's id, or its folder.")],
    out: Annotated[Path, typer.Option("--out", help="A new folder, or a file that ends in .tar.zst.")],
    harness: Annotated[str, typer.Option(help="Whose init makes the documents.")] = "builtin",
    harness_entry: Annotated[
        str | None,
        typer.Option(metavar="JSON", help="How the harness is called (default: as configured)."),
    ] = None,
    kicad_cli: Annotated[str | None, typer.Option(help="The kicad-cli that the harness is to use.")] = None,
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print task, baseline SHA and place as JSON.")] = False,
) -> None:
    """Build the starting state of a task: the fixture's tree, the documents, the config, the baseline commit.

    The same task gives the same bytes and the same baseline SHA on every machine; the SHA is what is printed.
    Example: copperbench sandbox do-rename-net --out /tmp/start
    """
    from copperbench.publish import json_bytes, publish
    from copperbench.sandbox import build_sandbox, builtin_init, unpack_archive
    from copperbench.suite import load_suite, verify_tree

    init: Init = builtin_init
    scaffold = harness
    if harness != "builtin":
        init, scaffold = _init_of(harness, harness_entry, kicad_cli, root)
    suite = load_suite(root)
    planned = suite.task(Path(task).name)
    fixture = suite.fixture(planned.fixture_id)
    tree = (fixtures or root / "fixtures") / fixture.id / "tree"
    verify_tree(fixture, tree)
    built = build_sandbox(planned, fixture, tree, init, scaffold)
    if out.name.endswith(".tar.zst"):
        publish(out, built.data)
    else:
        unpack_archive(built.data, out, where=f"the sandbox of {planned.id}")
    if as_json:
        sys.stdout.write(
            json_bytes({"task": planned.id, "baselineSha": built.baseline_sha, "out": str(out)}).decode("ascii")
        )
    else:
        print(built.baseline_sha)


def _init_of(harness: str, entry: str | None, kicad_cli: str | None, root: Path) -> tuple[Init, str]:
    """The init of an outside harness, by its entry as given or else as configured."""
    import os

    from copperbench.errors import HarnessUnavailable
    from copperbench.harness import harness_init
    from copperbench.suite import load_roster, parse_harness, parse_json

    known = load_roster(root).harnesses if entry is None else {harness: parse_json(entry.encode(), "--harness-entry")}
    if harness not in known:
        names = ", ".join(("builtin", *known))
        raise HarnessUnavailable(harness, "is no harness of config/harnesses.yaml", f"use one of {names}")
    return harness_init(parse_harness(harness, known[harness]), os.environ, kicad_cli)
