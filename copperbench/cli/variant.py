"""`copperbench variant`: a task and its board under other names, made from a seed and proven."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    task: Annotated[str, typer.Argument(help="A task's id, or its folder.")],
    seed: Annotated[int, typer.Option(min=1, help="Which variant.")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 when what lies there is not the variant.")
    ] = False,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
) -> None:
    """Write TASK-vSEED, its solutions and its board: nets and parts renamed everywhere alike, the same bytes always.

    The nets are held against the original's, ERC and DRC must count the same; `copperbench task prove` then performs
    its solutions. The board is shared by all variants with that seed. Prints the files.
    Example: copperbench variant do-raise-led-resistor --seed 1
    """
    from copperbench.kicad import require_kicad_cli
    from copperbench.publish import publish
    from copperbench.suite import load_suite
    from copperbench.variants import make_variant

    made = make_variant(load_suite(root), Path(task).name, seed, require_kicad_cli(kicad_cli))
    differing = [path for path, data in made.files.items() if not _holds(root / path, data)]
    for path in differing if check else made.files:
        if not check:
            publish(root / path, made.files[path])
        print(path)
    if check and differing:
        raise typer.Exit(1)


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
