"""`copperbench task`: for authors: a new task that works from its first minute, and the proof that a task is fit."""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting import DiscriminationRow
    from copperbench.suite import Fixture
    from copperbench.suite.skeleton import DesignFile

app = typer.Typer(
    name="task",
    help="Write tasks: make a new one, prove that one is fit for use. Example: copperbench task prove do-rename-net",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _task() -> None:
    """Write tasks: make a new one, prove that one is fit for use."""


@app.command()
def new(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The new task's id, in kebab-case.")],
    fixture: Annotated[str, typer.Option(help="The board that it starts from.")],
    part: Annotated[str, typer.Option(help="The part whose value the request wants changed.")],
    value: Annotated[str, typer.Option(help="The value that it asks for.")],
    wrong: Annotated[str, typer.Option(help="A value that only a careless reader takes.")] = "",
    refuse: Annotated[str, typer.Option(metavar="KEY=NUMBER", help="The budget that forbids the change.")] = "",
    flag: Annotated[
        str, typer.Option(metavar="KEY=NUMBER", help="The budget that governs where the docs say --value.")
    ] = "",
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
) -> None:
    """Write tasks/ID and solutions/ID: a task about one part's value that validates and discriminates as it is.

    With --refuse it is a refusal, with --flag a contradiction to be written down: the docs are made to say --value.
    Change it from there; docs/authoring.md shows how. Prints the files it wrote.
    Example: copperbench task new do-x --fixture copperbench-ldo-sensor --part R5 --value 2k2 --wrong 22k
    """
    from copperbench.errors import SuiteError
    from copperbench.publish import publish
    from copperbench.suite import load_suite
    from copperbench.suite.skeleton import Change, skeleton

    suite = load_suite(root)
    board = suite.fixture(fixture)
    for folder in ("tasks", "solutions"):
        if (root / folder / task_id).exists():
            raise SuiteError(f"{folder}/{task_id}", "exists already", "choose another id or remove it")
    was, sheet, layout = _locate(root, board, part)
    if refuse and flag:
        raise typer.BadParameter("--refuse and --flag are two kinds of task: give one of them")
    budget = _budget(refuse or flag, "--flag" if flag else "--refuse")
    change = Change(task_id, board, part, was, value, wrong or f"{value}1", sheet, layout, budget, bool(flag))
    _check(change.task_id, (value, change.wrong, was))
    for path, data in skeleton(change).items():
        publish(root / path, data)
        print(path)


@app.command()
def prove(
    task: Annotated[str, typer.Argument(help="A task's id, or its folder.")],
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the row as JSON.")] = False,
) -> None:
    """Perform and grade the noop, gold and all traps of a task in a temporary folder, and print its kill matrix.

    No record is written. Exit code 1 when the task does not discriminate or some assertion is not proven.
    Example: copperbench task prove do-rename-net
    """
    import tempfile

    from copperbench.harness import prove as prove_task
    from copperbench.kicad import find_kicad_cli
    from copperbench.publish import json_bytes
    from copperbench.reporting import encode
    from copperbench.suite import load_suite

    suite = load_suite(root)
    cli = find_kicad_cli(kicad_cli)
    with tempfile.TemporaryDirectory(prefix="copperbench-prove-") as folder:

        def tell(name: str) -> None:
            typer.echo(f"{name} ...", err=True)

        row = prove_task(suite, Path(task).name, Path(folder), cli, fixtures=fixtures, tell=tell)
    sys.stdout.write(json_bytes(encode(row)).decode("ascii") if as_json else _row(row))
    if row.state != "yes":
        raise typer.Exit(1)


def _row(row: DiscriminationRow) -> str:
    from copperbench.reporting import cell_text, kill_text, traps_text

    width = max((len(kill.assertion) for kill in row.kills), default=0)
    facts = {
        "noop": cell_text(row.noop, "fail"),
        "gold": cell_text(row.gold, "pass"),
        "traps": traps_text(row.traps),
        "discriminates": row.state + (f": {row.reason}" if row.reason else ""),
    }
    lines = [row.task, *(f"  {name}: {text}" for name, text in facts.items()), "  only it catches:"]
    lines += [f"    {kill.assertion.ljust(width)}  {kill_text(kill)}" for kill in row.kills]
    return "\n".join(lines) + "\n"


def _locate(root: Path, fixture: Fixture, refdes: str) -> tuple[str, DesignFile, DesignFile | None]:
    """The part's value, the sheet that draws it, and the board where that has it too."""
    from copperbench.errors import SuiteError
    from copperbench.kicad import load_board, load_schematic

    tree = root / "fixtures" / fixture.id / "tree"
    schematic = load_schematic(tree / fixture.schematic, within=tree)
    found = next((each for each in schematic.symbols if each.refdes == refdes), None)
    sheet = next((each for each in schematic.sheets if found is not None and each.path == found.sheet), None)
    if found is None or sheet is None:
        known = ", ".join(sorted(each.refdes for each in schematic.symbols)[:20])
        raise SuiteError("--part", f"{fixture.id} has no {refdes}", f"it has {known}, ...")
    if sum(each.file == sheet.file for each in schematic.sheets) > 1:
        raise SuiteError("--part", f"{refdes} is drawn on a sheet that is used twice", "choose another part")
    layout = None
    if fixture.board and any(each.refdes == refdes for each in load_board(tree / fixture.board).footprints):
        layout = _design_file(tree, fixture.board)
    drawn = (PurePosixPath(fixture.schematic).parent / sheet.file).as_posix()
    return found.value, _design_file(tree, drawn), layout


def _design_file(tree: Path, path: str) -> DesignFile:
    from copperbench.suite.skeleton import DesignFile

    lines = (tree / path).read_text(encoding="utf-8").split("\n")
    indented = next((line for line in lines if line[:1] in (" ", "\t")), "\t")
    return DesignFile(path, len(lines) - 1, indented[: len(indented) - len(indented.lstrip())])


def _budget(text: str, option: str) -> tuple[str, float] | None:
    if not text:
        return None
    key, _, number = text.partition("=")
    try:
        return key, float(number)
    except ValueError as error:
        raise typer.BadParameter(f"write {option} KEY=NUMBER, such as led_current_ua=400") from error


def _check(task_id: str, values: tuple[str, ...]) -> None:
    """Refuse what the skeleton's operations could not carry: an odd id, equal values, quotes."""
    import re

    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", task_id):
        raise typer.BadParameter(f"{task_id!r} is no id: use a-z, 0-9 and single hyphens")
    if len(set(values)) < len(values) or not all(re.fullmatch(r"[^\"\\|\s]+", each) for each in values):
        raise typer.BadParameter(
            "three different values are needed: as drawn, asked for, wrong; without spaces or quotes"
        )
