"""`copperbench task`: for authors: a new task that works from its first minute, and the proof that a task is fit."""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Annotated, cast

import typer

if TYPE_CHECKING:
    from copperbench.reporting import DiscriminationRow
    from copperbench.suite import ExpectedOutcome, Fixture, Mode
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
    mode: Annotated[str, typer.Option(help="How the agent is called: do, sync, or create (from a brief).")] = "do",
    outcome: Annotated[str, typer.Option(help="The right answer: edit, refusal or flag.")] = "edit",
    budget: Annotated[
        str, typer.Option(metavar="KEY=NUMBER", help="What a refusal or flag rests on, or an edit keeps.")
    ] = "",
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
) -> None:
    """Write tasks/ID and solutions/ID: a task about one part's value that validates and discriminates as it is.

    A refusal is asked for a value that the budget forbids. A flag has documents that say --value and a sheet that says
    what it says. A sync starts from documents that have drifted to --value; a create has its request in briefs/ID.md.
    Change it from there; docs/authoring.md shows how. Prints the files it wrote.
    Example: copperbench task new do-x --fixture copperbench-ldo-sensor --part R5 --value 2k2 --wrong 22k
    """
    from typing import get_args

    from copperbench.errors import SuiteError
    from copperbench.publish import publish
    from copperbench.suite import ExpectedOutcome, load_suite
    from copperbench.suite.skeleton import Change, skeleton

    wanted = cast("ExpectedOutcome", _one_of("--outcome", outcome, get_args(ExpectedOutcome)))
    called = cast("Mode", _one_of("--mode", mode, ("do", "sync", "create")))
    if wanted == "flag" and called != "do":
        raise typer.BadParameter("a flag is a task of mode do (STANDARD 1.1)")
    suite = load_suite(root)
    board = suite.fixture(fixture)
    was, sheet, layout = _locate(root, board, part)
    if budget and (called, wanted) == ("sync", "edit"):
        raise typer.BadParameter("bringing documents back rests on no budget: leave --budget out")
    rests_on = _budget(budget, wanted)
    change = Change(task_id, board, part, was, value, wrong or f"{value}1", sheet, layout, called, wanted, rests_on)
    _check(change.task_id, (value, change.wrong, was))
    for place in (f"tasks/{task_id}", f"solutions/{task_id}", change.brief_path):
        if (root / place).exists():
            raise SuiteError(place, "exists already", "choose another id or remove it")
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

    from copperbench.suite import load_suite

    suite = load_suite(root)
    suite.task(Path(task).name)  # a slip is said before what performs and grades is loaded

    from copperbench.harness import prove as prove_task
    from copperbench.kicad import find_kicad_cli
    from copperbench.publish import json_bytes
    from copperbench.reporting import encode

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


def _one_of(option: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise typer.BadParameter(f"{option} is one of {', '.join(known)}")
    return text


def _budget(text: str, outcome: ExpectedOutcome) -> tuple[str, float] | None:
    """The budget that a refusal and a flag need and an edit may have."""
    if not text and outcome != "edit":
        raise typer.BadParameter(f"a {outcome} rests on a budget: give --budget KEY=NUMBER")
    if not text:
        return None
    key, _, number = text.partition("=")
    try:
        return key, float(number)
    except ValueError as error:
        raise typer.BadParameter("write --budget KEY=NUMBER, such as led_current_ua=400") from error


def _check(task_id: str, values: tuple[str, ...]) -> None:
    """Refuse what the skeleton's operations could not carry: an odd id, equal values, quotes."""
    import re

    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", task_id):
        raise typer.BadParameter(f"{task_id!r} is no id: use a-z, 0-9 and single hyphens")
    if len(set(values)) < len(values) or not all(re.fullmatch(r"[^\"\\|\s]+", each) for each in values):
        raise typer.BadParameter(
            "three different values are needed: as drawn, asked for, wrong; without spaces or quotes"
        )
