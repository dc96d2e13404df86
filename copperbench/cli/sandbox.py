"""`copperbench sandbox`: a task's starting state, as a folder to look at or as the archive that runs start from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    task: Annotated[str, typer.Argument(help="A task's id, or its folder.")],
    out: Annotated[Path, typer.Option("--out", help="A new folder, or a file that ends in .tar.zst.")],
    harness: Annotated[str, typer.Option(help="Whose init makes the documents.")] = "builtin",
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print task, baseline SHA and place as JSON.")] = False,
) -> None:
    """Build the starting state of a task: the fixture's tree, the documents, the config, the baseline commit.

    The same task gives the same bytes and the same baseline SHA on every machine; the SHA is what is printed.
    Example: copperbench sandbox do-rename-net --out /tmp/start
    """
    from copperbench.errors import HarnessUnavailable
    from copperbench.publish import json_bytes, publish
    from copperbench.sandbox import build_sandbox, unpack_archive
    from copperbench.suite import load_suite, verify_tree

    if harness != "builtin":
        raise HarnessUnavailable(harness, "is no scaffold that can be built here", "use --harness builtin")
    suite = load_suite(root)
    planned = suite.task(Path(task).name)
    fixture = suite.fixture(planned.fixture_id)
    tree = (fixtures or root / "fixtures") / fixture.id / "tree"
    verify_tree(fixture, tree)
    built = build_sandbox(planned, fixture, tree)
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
