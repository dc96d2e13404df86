"""`copperbench run`: perform one run and seal what it leaves."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from copperbench.harness import Agent, Confinement, Isolation, Perform, Performing, RunOrder
    from copperbench.records import RecordPlace
    from copperbench.sandbox import SealLimits
    from copperbench.suite import Suite, Task

    Admission = Callable[[], AbstractContextManager[None]]


def command(
    run_jsons: Annotated[list[Path], typer.Argument(help="results/<date>/<model>/<task>/run-<n>/run.json")],
    sandbox: Annotated[Path, typer.Option(help="The starting state: an archive that `copperbench sandbox` made.")],
    suite: Annotated[str, typer.Option(help="The suite version that the run was planned with.")],
    repeats_planned: Annotated[int, typer.Option(min=1, help="How many repeats the campaign plans.")] = 1,
    isolation: Annotated[str, typer.Option(help="How the harness is confined.")] = "none",
    contender: Annotated[
        str | None, typer.Option(metavar="JSON", help="{model, harness, price, ablations} of a run with a model.")
    ] = None,
    kicad_cli: Annotated[str | None, typer.Option(help="The kicad-cli that the harness is to use.")] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="What the campaign may cost at most.")] = None,
    worst_usd: Annotated[float | None, typer.Option(min=0, help="What this run can cost at most.")] = None,
    seal_limits: Annotated[
        str | None, typer.Option(metavar="JSON", help="{file_bytes, total_bytes, paths, depth} that a run may leave.")
    ] = None,
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each run's folder and what was done as a line of JSON.")
    ] = False,
) -> None:
    """Perform a run in a sandbox of its own and publish the sealed evidence; run.json comes last.

    A run that is sealed already is verified and kept: it is never performed twice. Exit code 0 whenever evidence is
    in place, whatever it is worth. A run with a model gets its entry as --contender; one that cannot start (no key, no
    endpoint, no harness) says why and leaves nothing. Several runs of one task may be named, each of which gets a
    sandbox of its own; one that cannot be performed is said on stderr and keeps none of the others from it.
    Example: copperbench run results/2026-01-02/harness-gold/do-rename-net/run-1/run.json
    --sandbox build/sandboxes/builtin/do-rename-net.tar.zst --suite 0.1.0
    """
    places = [_place(run_json, root) for run_json in run_jsons]  # a slip in a path is said before anything is loaded

    from copperbench.errors import CopperbenchError
    from copperbench.harness import RunOrder, parse_isolation
    from copperbench.suite import load_suite

    loaded = load_suite(root)
    trees, limits = fixtures or root / "fixtures", _limits(seal_limits)
    terms = _Terms(contender, kicad_cli, parse_isolation(isolation), max_usd, worst_usd)
    worst = 0
    for place in places:
        try:
            who, perform, confined, admission = _who(place, loaded, terms)
            order = RunOrder(place, who, sandbox, suite, repeats_planned, confined, trees, admission, limits)
            _carry_out(order, loaded, perform, as_json=as_json)
        except CopperbenchError as error:
            print(error, file=sys.stderr)
            worst = max(worst, error.exit_code)
    if worst:
        raise typer.Exit(worst)


@dataclass(frozen=True, slots=True)
class _Terms:
    """What the command line says of a run with a model."""

    contender: str | None
    kicad_cli: str | None
    isolation: Isolation
    max_usd: float | None
    worst_usd: float | None


def _place(run_json: Path, root: Path) -> RecordPlace:
    from copperbench.errors import CopperbenchError
    from copperbench.records import record_place

    if run_json.name != "run.json":
        raise CopperbenchError(run_json, "is no run.json", "name results/<date>/<model>/<task>/run-<n>/run.json")
    return record_place(run_json.parent.with_suffix(".json"), root)


def _who(place: RecordPlace, suite: Suite, terms: _Terms) -> tuple[Performing, Perform, str, Admission]:
    """Who performs the run of that place, how, confined by what, and what lets it start."""
    from copperbench.errors import HarnessUnavailable
    from copperbench.harness import confinement, perform, performer

    task = suite.task(place.task)
    who = performer(suite, task.id, place.model)
    if who is not None:  # what is performed in this process is confined by nothing
        return who, perform, "none", nullcontext
    if terms.contender is None:
        what = "is no model of config/models.yaml, and no harness here performs it"
        raise HarnessUnavailable(place.model, what, "add its entry, or name one that is there or harness-<name>")
    wrap = confinement(terms.isolation, place.root)
    agent = _agent(place.model, terms.contender, terms.kicad_cli, wrap)
    admission = partial(_admitted, agent, task, place, terms.max_usd, terms.worst_usd)
    return agent, agent.perform, "none" if wrap is None else wrap.name, admission


def _carry_out(order: RunOrder, suite: Suite, perform: Perform, *, as_json: bool) -> None:
    from copperbench.harness import carry_out

    done = carry_out(order, suite, perform)
    if done == "quarantined":
        _say_what_lies_aside(order.place)
    if as_json:
        folder = order.place.folder.relative_to(order.place.root).as_posix()
        print(json.dumps({"run": folder, "result": done}))


def _say_what_lies_aside(place: RecordPlace) -> None:
    from copperbench.sandbox import open_seal, quarantine_notices

    finding = open_seal(place.folder).facts.quarantine
    assert finding is not None
    for notice in quarantine_notices(place.root / "quarantine", finding["id"]):
        print(notice, file=sys.stderr)


def _agent(slug: str, contender: str, kicad_cli: str | None, wrap: Confinement | None) -> Agent:
    from copperbench.harness import Agent
    from copperbench.suite import parse_contender

    return Agent(parse_contender(slug, contender.encode(), "--contender"), os.environ, kicad_cli, wrap)


@contextmanager
def _admitted(
    agent: Agent, task: Task, place: RecordPlace, max_usd: float | None, worst_usd: float | None
) -> Iterator[None]:
    """Let a run start that has its key and its harness, and whose worst case fits into what is left of the sum."""
    from copperbench.harness import Budget

    agent.check(task)
    if max_usd is None:
        yield
        return
    with Budget(max_usd, place.root / "build/spending" / place.campaign).admitted(place, worst_usd):
        yield


def _limits(given: str | None) -> SealLimits:
    """The seal limits of --seal-limits; the standing ones for what it does not name."""
    from copperbench.errors import CopperbenchError
    from copperbench.sandbox import DEFAULT_LIMITS
    from copperbench.suite import parse_json

    if given is None:
        return DEFAULT_LIMITS
    named = parse_json(given.encode("utf-8"), "--seal-limits")
    known = ("file_bytes", "total_bytes", "paths", "depth")
    if not isinstance(named, dict) or any(key not in known or type(named[key]) is not int for key in named):
        raise CopperbenchError("--seal-limits", "is no object of whole numbers", f"name some of {', '.join(known)}")
    return replace(DEFAULT_LIMITS, **named)
