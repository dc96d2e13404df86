"""`copperbench run`: perform one run and seal what it leaves."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    run_json: Annotated[Path, typer.Argument(help="results/<date>/<model>/<task>/run-<n>/run.json")],
    sandbox: Annotated[Path, typer.Option(help="The starting state: an archive that `copperbench sandbox` made.")],
    suite: Annotated[str, typer.Option(help="The suite version that the run was planned with.")],
    repeats_planned: Annotated[int, typer.Option(min=1, help="How many repeats the campaign plans.")] = 1,
    isolation: Annotated[str, typer.Option(help="How the harness is confined.")] = "none",
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the run's folder and what was done as JSON.")] = False,
) -> None:
    """Perform a run in a sandbox of its own and publish the sealed evidence; run.json comes last.

    A run that is sealed already is verified and kept: it is never performed twice. Exit code 0 whenever evidence is
    in place, whatever it is worth.
    Example: copperbench run results/2026-01-02/harness-gold/do-rename-net/run-1/run.json
    --sandbox build/sandboxes/builtin/do-rename-net.tar.zst --suite 0.1.0
    """
    from copperbench.errors import CopperbenchError, HarnessUnavailable
    from copperbench.harness import RunOrder, carry_out, perform, performer
    from copperbench.publish import json_bytes
    from copperbench.records import record_place
    from copperbench.suite import load_suite

    if run_json.name != "run.json":
        raise CopperbenchError(run_json, "is no run.json", "name results/<date>/<model>/<task>/run-<n>/run.json")
    place = record_place(run_json.parent.with_suffix(".json"), root)
    loaded = load_suite(root)
    who = performer(loaded, loaded.task(place.task).id, place.model)
    if who is None:
        raise HarnessUnavailable(place.model, "no harness here performs this model", "use a harness-<name> slug")
    order = RunOrder(place, who, sandbox, suite, repeats_planned, isolation, fixtures or root / "fixtures")
    done = carry_out(order, loaded, perform)
    if as_json:
        folder = place.folder.relative_to(root).as_posix()
        sys.stdout.write(json_bytes({"run": folder, "result": done}).decode("ascii"))
