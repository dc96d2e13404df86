"""`copperbench fixture new` and `fixture sweep`: boards on their way in."""

from __future__ import annotations

import json
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from copperbench.errors import SuiteError

if TYPE_CHECKING:
    from copperbench.curation import Row, Source
    from copperbench.suite import Tier

_UPSTREAM = re.compile(r"(https://\S+?)@([0-9a-f]{40})")
_SWEEP_LIMIT_S = 1800.0


def new(
    upstream: Annotated[
        str, typer.Argument(metavar="URL@COMMIT", help="Upstream's https address, @, a full commit id.")
    ] = "",
    fixture_id: Annotated[str, typer.Option("--id", help="The new fixture's id (default: upstream's name).")] = "",
    local: Annotated[
        Path | None, typer.Option(help="A clone that holds the commit, or a plain folder with its files.")
    ] = None,
    own: Annotated[bool, typer.Option("--own", help="A board of our own, from the plain folder --local.")] = False,
    project: Annotated[str, typer.Option(help="The .kicad_pro, where there are several.")] = "",
    licence_file: Annotated[str, typer.Option(help="The file that covers the design files.")] = "",
    licence: Annotated[str, typer.Option(metavar="SPDX", help="What a text is that is not recognised.")] = "",
    tier: Annotated[str, typer.Option(help="simple, medium or hard (default: by size).")] = "",
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Prepare a fixture: licence, format, design files only, hash, scale, baselines, skeleton README and manifest.

    Works offline with --local. A board that cannot be a fixture is refused with the rule that refuses it, exit code 1,
    and nothing is written. What a person has to judge is left as a TO DO and listed on stderr.
    Example: copperbench fixture new https://example.org/a/board@COMMIT --local ../board --id a-board
    """
    from datetime import UTC, datetime

    from copperbench.curation import Wish, prepare
    from copperbench.kicad import require_kicad_cli

    url, commit = _provenance(upstream, own, local)
    if tier not in ("", "simple", "medium", "hard"):
        raise typer.BadParameter("--tier is simple, medium or hard")
    name = fixture_id or re.sub(r"[^a-z0-9]+", "-", (url or str(local)).rstrip("/").split("/")[-1].lower()).strip("-")
    cli = require_kicad_cli(kicad_cli)
    today = datetime.now(UTC).date().isoformat() if url else ""
    wish = Wish(name, url, commit, today, project, licence_file, licence, cast("Tier", tier) if tier else None)
    with ExitStack() as stack:
        prepared = prepare(_source(stack, url, commit, local), wish, root / "fixtures", cli)
    if as_json:
        print(json.dumps({"folder": str(prepared.folder), "sha256": prepared.sha256, "toDo": list(prepared.to_do)}))
        return
    print(prepared.sha256)
    for number, step in enumerate(prepared.to_do, 1):
        print(f"{number}. {step}", file=sys.stderr)


def _provenance(upstream: str, own: bool, local: Path | None) -> tuple[str, str]:
    if own:
        if upstream or local is None:
            raise SuiteError("--own", "a board of our own has no upstream", "name its folder with --local alone")
        return "", ""
    match = _UPSTREAM.fullmatch(upstream)
    if match is None:
        what = f"{upstream!r} is not URL@COMMIT" if upstream else "URL@COMMIT is missing"
        raise SuiteError("fixture new", what, "give upstream's https address, @ and the full commit id of 40 digits")
    if "@" in match[1]:
        # The address is published with the board.
        raise SuiteError("fixture new", "the address names a user", "leave user and password out of it")
    return match[1], match[2]


def _source(stack: ExitStack, url: str, commit: str, local: Path | None) -> Source:
    """A commit where `local` is a repository or nothing is local; else a plain folder, taken as it is."""
    from copperbench.curation import folder_source, repository_source

    if local is not None and (not url or not _is_repository(local)):
        if url:
            print(f"{local}: is no repository: that its files are those of {commit} is not verified", file=sys.stderr)
        return folder_source(local)
    return stack.enter_context(repository_source(url, commit, local))


def _is_repository(folder: Path) -> bool:
    return (folder / ".git").exists() or ((folder / "objects").is_dir() and (folder / "HEAD").is_file())


def sweep(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders that hold KiCad projects.")],
    out: Annotated[Path | None, typer.Option(help="Also keep the rows as JSON here, as they come.")] = None,
    kicad_cli: Annotated[str | None, typer.Option("--kicad-cli", help="The kicad-cli to use.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rows as JSON.")] = False,
) -> None:
    """Measure every KiCad project under some folders, on copies, and print a table of what KiCad finds in each.

    The verdict is about format, loading and counts: clean, to account for, or refused with the rule. Licence and
    purpose are for a person to judge. Large boards take minutes.
    Example: copperbench fixture sweep ~/candidates > sweep.md
    """
    from dataclasses import replace

    from copperbench.curation import find_projects, folder_source, measure_candidate, sweep_json, sweep_table
    from copperbench.kicad import require_kicad_cli
    from copperbench.publish import publish

    cli = replace(require_kicad_cli(kicad_cli), time_limit_s=_SWEEP_LIMIT_S)
    rows: list[Row] = []
    for folder in folders:
        source = folder_source(folder)
        for project in find_projects(source):
            print(f"measuring {project} ...", file=sys.stderr)
            rows.append(measure_candidate(source, project, project.removesuffix(".kicad_pro"), cli))
            if out is not None:
                publish(out, sweep_json(rows))
    if not rows:
        raise SuiteError(folders[0], "holds no KiCad project", "name folders with .kicad_pro files in them")
    sys.stdout.write(sweep_json(rows).decode("ascii") if as_json else sweep_table(rows))
