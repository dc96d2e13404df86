"""`copperbench profile`: how simulated agents fare on the suite."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting.profile import ProfileCell
    from copperbench.suite import Suite


def command(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="[TASK]...", help="Tasks (default: all but variants).")
    ] = None,
    strategy: Annotated[list[str] | None, typer.Option(help="Only this strategy; may be given again.")] = None,
    gather: Annotated[
        Path | None, typer.Option(help="Perform nothing: read the <task>.json files of this folder, which --out wrote.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Also write every cell to this file as JSON.")] = None,
    document: Annotated[Path | None, typer.Option(help="Also write the table to this Markdown file.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Exit code 1 where a strategy passes what it leaves out.")
    ] = False,
    cache: Annotated[Path | None, typer.Option(help="A folder of KiCad's reports by design.")] = None,
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the cells as JSON.")] = False,
) -> None:
    """Perform and grade every simulated agent on tasks, in a temporary folder, and print what each passes.

    They are declared strategies, no models: no record is written. Tasks whose fixture is not here are left out by name.
    Example: copperbench profile do-rename-net --strategy replace-all
    """
    from copperbench.errors import SuiteError
    from copperbench.publish import json_bytes, publish
    from copperbench.reporting import encode
    from copperbench.reporting.profile import profile_markdown
    from copperbench.suite import load_suite

    suite = load_suite(root)
    originals = [task for task in suite.task_ids() if suite.task(task).variant_of is None]
    named = [suite.task(Path(task).name).id for task in tasks or originals]
    skipped = suite.tasks_without_a_tree(fixtures)
    if gather is not None:
        cells = _gathered([gather / f"{task}.json" for task in named if (gather / f"{task}.json").is_file()])
    else:
        due = [task for task in named if task not in skipped]
        cells = _performed(suite, due, strategy or [], cache, fixtures, kicad_cli)
    if not cells:
        raise SuiteError("the tasks", "have no fixture here", "`copperbench fixture get --all` obtains what can be had")
    data = json_bytes({"suiteVersion": suite.version, "cells": [encode(cell) for cell in cells]})
    done = {cell.task for cell in cells}
    left_out = [f"{task}: {skipped.get(task, 'was not performed')}" for task in named if task not in done]
    text = profile_markdown(cells, left_out, suite.version)
    if out is not None:
        publish(out, data)
    if document is not None:
        publish(document, text.encode())
    sys.stdout.write(data.decode("ascii") if as_json else text[text.index("Suite ") :])
    if check and any(cell.is_surprise for cell in cells):
        raise typer.Exit(1)


def _performed(
    suite: Suite, tasks: list[str], names: list[str], cache: Path | None, fixtures: Path | None, kicad_cli: str | None
) -> list[ProfileCell]:
    from copperbench.errors import SuiteError
    from copperbench.harness.profiling import profile_task
    from copperbench.harness.strategies import STRATEGIES
    from copperbench.kicad import find_kicad_cli

    known = {each.name: each for each in STRATEGIES}
    for name in names:
        if name not in known:
            raise SuiteError("--strategy", f"there is no {name!r}", f"one of {', '.join(known)}")
    chosen = [each for each in STRATEGIES if not names or each.name in names]
    cli = find_kicad_cli(kicad_cli)
    cells: list[ProfileCell] = []
    with tempfile.TemporaryDirectory(prefix="copperbench-profile-") as folder:
        for task in tasks:
            place = Path(folder) / task
            place.mkdir()

            def tell(name: str, task: str = task) -> None:
                typer.echo(f"{task}: {name} ...", err=True)

            shared = cache or Path(folder) / "reports"
            cells += profile_task(
                suite, task, place, cli, strategies=chosen, fixtures=fixtures, cache=shared, tell=tell
            )
    return cells


def _gathered(paths: list[Path]) -> list[ProfileCell]:
    """The cells of files that --out wrote, by strategy as declared and then by task."""
    from copperbench.errors import CopperbenchError
    from copperbench.harness.strategies import STRATEGIES
    from copperbench.reporting.codec import decode
    from copperbench.reporting.profile import ProfileCell

    cells = []
    for path in paths:
        try:
            rows = json.loads(path.read_bytes())["cells"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            what = error.strerror if isinstance(error, OSError) else "is no profile"
            raise CopperbenchError(
                path, f"cannot be read ({what})", "write it with `copperbench profile --out`"
            ) from error
        cells += [decode(ProfileCell, row, str(path)) for row in rows]
    order = {each.name: number for number, each in enumerate(STRATEGIES)}
    return sorted(cells, key=lambda cell: (order.get(cell.strategy, len(order)), cell.task))
