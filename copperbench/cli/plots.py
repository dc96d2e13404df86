"""`copperbench plots`: the figures as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer


def command(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("build/plots"),
    aggregate: Annotated[Path | None, typer.Option(help="A file that `copperbench aggregate` wrote.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the files as JSON.")] = False,
) -> None:
    """Draw every figure as SVG and PNG, from the aggregate or from the records on disk.

    Example: copperbench plots --out build/plots
    """
    from copperbench.reporting import aggregate_at

    made = aggregate_at(root, aggregate)
    from copperbench.publish import publish
    from copperbench.reporting.plots import PLOTS, Form, plot

    forms: tuple[Form, ...] = ("svg", "png")
    written = []
    for name in PLOTS:
        for form in forms:
            path = out / f"{name}.{form}"
            publish(path, plot(name, made, form))
            written.append(str(path))
    print(json.dumps(written) if as_json else "\n".join(written))
