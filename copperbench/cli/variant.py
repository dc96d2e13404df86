"""`copperbench variant`: a task and its board under other names, pin numbers and values, made from a seed."""

from __future__ import annotations

import json
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
    as_json: Annotated[bool, typer.Option("--json", help="Print what was made as JSON.")] = False,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
) -> None:
    """Write TASK-vSEED, its solutions and its board: names, pin numbers and values changed everywhere alike.

    What may change is declared in config/variants.yaml; the same seed gives the same bytes. The nets are held against
    the original's, ERC and DRC must count the same; `copperbench task prove` then performs its solutions. The board is
    shared by all variants with that seed. The tree of a board that is not ours is put in place and not committed.
    Prints the files; with --check those that differ. Solutions there that the variant has not are removed.
    Example: copperbench variant do-raise-led-resistor --seed 1
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)
    original = suite.task(Path(task).name)  # before all else is loaded: a slip in the name shows at once
    from copperbench.kicad import require_kicad_cli
    from copperbench.publish import publish
    from copperbench.variants import make_variant, regenerate

    made = make_variant(suite, original.id, seed, require_kicad_cli(kicad_cli))
    differing = [path for path, data in made.files.items() if not _holds(root / path, data)]
    stale = [path for path in _solutions(root, made.task_id) if path not in made.files]
    differing += stale
    if not check:
        for path, data in made.files.items():
            publish(root / path, data)
        for path in stale:
            (root / path).unlink()
        if suite.fixture(original.fixture_id).availability != "committed":
            regenerate(load_suite(root), made.fixture_id)
    if as_json:
        said = {"task": made.task_id, "fixture": made.fixture_id, "seed": seed, "files": list(made.files)}
        print(json.dumps(said | {"differing": differing}, indent=2))
    else:
        for path in differing if check else made.files:
            print(path)
    if check and differing:
        raise typer.Exit(1)


def _solutions(root: Path, task_id: str) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / "solutions" / task_id).glob("*.json"))


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
