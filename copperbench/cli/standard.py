"""`copperbench standard`: the tables of documents that the code decides."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.reporting.standard import Regions

_FIXTURES = "FIXTURES.md"
_MARKED = {
    "fixtures/FIXTURES.md": ("| project |", "copperbench fixture sweep DIR"),
    "docs/simulated-agents.md": ("", "snakemake profile"),
    "docs/performance.md": ("", "make bench-speed"),
}
"""Documents with a measured text above a mark: how that text begins, and what measures it again."""


def command(
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="One document (default: all that have such tables).")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit code 1 where a table is not today's.")] = (
        False
    ),
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the names of the tables that differ as JSON.")] = False,
) -> None:
    """Fill the regions between `<!-- generated: NAME -->` and `<!-- end -->` from the code and the manifests.

    Those of STANDARD.md come from the code, those of fixtures/FIXTURES.md from the manifests of the fixtures. With
    --check, texts that were measured and carry a mark are held against it too, and what measures them is named.
    Example: copperbench standard --check
    """
    documents = [root / "STANDARD.md", root / "fixtures" / _FIXTURES] if file is None else [file]
    differ = {str(path): _differing(path, root, check) for path in documents}
    marked = _MARKED if file is None else {}
    edited = [(name, how) for name, (begin, how) in marked.items() if not _is_as_measured(root / name, begin)]
    if as_json:
        rows = [{"file": name, "differ": stale} for name, stale in differ.items()]
        print(json.dumps([*rows, *({"file": name, "differ": ["measured"]} for name, _ in edited)]))
    elif not check or not (edited or any(differ.values())):
        for name, stale in differ.items():
            print(f"{name}: {', '.join(stale) or 'nothing'} {'written' if stale else 'to change'}")
    if check:
        for name, stale in differ.items():
            for region in stale:
                print(f"{name}: {region}: is not what the code has; run `copperbench standard`", file=sys.stderr)
        for name, how in edited:
            what = "the text above its mark is not the one that was measured"
            print(f"{name}: {what}; `{how}` makes it again, `git checkout {name}` restores it", file=sys.stderr)
        if edited or any(differ.values()):
            raise typer.Exit(1)


def _differing(path: Path, root: Path, check: bool) -> tuple[str, ...]:
    """The regions of a document that are not today's; they are written unless this is a check."""
    text = _text(path)  # before all else is loaded: a slip in the name shows at once
    from copperbench.publish import publish
    from copperbench.reporting.standard import filled, stale_regions

    regions = _regions(path, root)
    stale = stale_regions(text, str(path), regions)
    if stale and not check:
        publish(path, filled(text, str(path), regions).encode("utf-8"))
    return stale


def _regions(path: Path, root: Path) -> Regions:
    from copperbench.reporting.fixture_tables import fixture_regions
    from copperbench.reporting.standard import REGIONS
    from copperbench.suite import load_suite

    return fixture_regions(load_suite(root)) if path.name == _FIXTURES else REGIONS


def _is_as_measured(path: Path, begin: str) -> bool:
    """Whether the marked text of a document is what was measured; a document that is not there says nothing wrong."""
    from copperbench.publish import is_as_marked

    if not path.is_file():
        return True
    text = _text(path)
    return begin in text and is_as_marked(text[text.index(begin) :])


def _text(path: Path) -> str:
    from copperbench.errors import CopperbenchError

    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CopperbenchError(path, f"cannot be read ({error})", "name the document") from error
