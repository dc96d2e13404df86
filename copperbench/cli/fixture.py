"""`copperbench fixture`: put third-party boards in place, verified by their canonical hash; take new ones in."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copperbench.cli import fixture_new
from copperbench.errors import FixtureMismatch

if TYPE_CHECKING:
    from copperbench.suite import Fixture, Suite
    from copperbench.suite.obtain import Obtained

STORE_VARIABLE = "COPPERBENCH_FIXTURE_STORE"
_FETCH_LIMIT_S = 600.0
_FETCH_LIMIT_OF_ALL_S = 120.0

app = typer.Typer(
    name="fixture",
    help="The boards that tasks start from: get, new, sweep. Example: copperbench fixture get --all --json",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.callback()
def _fixture() -> None:
    """The boards that tasks start from."""


app.command()(fixture_new.new)
app.command()(fixture_new.sweep)


@app.command()
def get(
    fixture_id: Annotated[str | None, typer.Argument(metavar="ID", help="A fixture, as its folder is called.")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Every fixture that can be had; lists those that cannot.")
    ] = False,
    store: Annotated[Path | None, typer.Option(help=f"A folder of boards (default: {STORE_VARIABLE}).")] = None,
    clone: Annotated[str | None, typer.Option("--from", help="A clone that holds the pinned commit.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Fill a fixture's tree from a store, a local clone or its upstream; print its canonical hash.

    Without --store and --from a store is looked for where COPPERBENCH_FIXTURE_STORE says and in ../shared/fixtures,
    then git fetches the pinned commit. The hash is verified before the tree is put in place. With --all a fetch gets
    two minutes, and the exit code is 1 when a fixture could not be had. A variant's tree is made from its original's.
    Example: copperbench fixture get antmicro-microphone-board
    """
    from copperbench.suite import load_suite

    if every == (fixture_id is not None) or (every and clone):
        raise typer.BadParameter("name one fixture, or --all (and no --from) for every one")
    suite = load_suite(root)
    places = store or _default_store(root)
    if fixture_id is not None:
        obtained = _obtain(suite, suite.fixture(fixture_id), places, clone, _FETCH_LIMIT_S)
        row = {"id": fixture_id, "sha256": obtained.sha256, "source": obtained.source}
        print(json.dumps(row) if as_json else obtained.sha256)
        return
    rows: list[dict[str, str | None]] = []
    missing = 0
    for each in map(suite.fixture, suite.fixture_ids()):
        try:
            obtained = _obtain(suite, each, places, None, _FETCH_LIMIT_OF_ALL_S)
            rows.append({"id": each.id, "sha256": obtained.sha256, "source": obtained.source})
        except FixtureMismatch as error:
            rows.append({"id": each.id, "sha256": None, "source": str(error)})
            missing += each.availability != "published-only"
    _print_all(rows, as_json)
    if missing:
        raise typer.Exit(1)


def _obtain(suite: Suite, fixture: Fixture, store: Path | None, clone: str | None, limit_s: float) -> Obtained:
    """A variant of a board that is not ours is made from its original, which is obtained first (STANDARD 10)."""
    from copperbench.suite.obtain import obtain

    if fixture.variant is None or fixture.upstream is None:
        folder = suite.root / "fixtures" / fixture.id
        return obtain(fixture, folder, store=store, clone=clone, fetch_limit_s=limit_s)
    from copperbench.variants import regenerate

    _obtain(suite, suite.fixture(fixture.variant.of), store, clone, limit_s)
    return regenerate(suite, fixture.id)


def _default_store(root: Path) -> Path | None:
    named = os.environ.get(STORE_VARIABLE)
    beside = root / ".." / "shared" / "fixtures"
    return Path(named) if named else beside if beside.is_dir() else None


def _print_all(rows: list[dict[str, str | None]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        if row["sha256"]:
            print(f"{row['id']}: {row['sha256']} ({row['source']})")
        else:
            print(f"skipped {row['id']}: {row['source']}", file=sys.stderr)
