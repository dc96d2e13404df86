"""`copperbench rubric`: ask a model to judge runs; off unless called."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer


def command(
    records: Annotated[list[Path], typer.Argument(help="results/<date>/<model>/<task>/run-<n>.json")],
    endpoint: Annotated[str, typer.Option(help="The base address of an OpenAI-compatible endpoint.")],
    model: Annotated[str, typer.Option(help="The judge's model id.")],
    key_env: Annotated[str | None, typer.Option(help="The variable that holds the key.")] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print what became of each as JSON.")] = False,
) -> None:
    """Have runs judged by their task's rubric; the answer lies in run-<n>.rubric.json and enters no figure.

    A judgement that is there is kept. This verb asks a model, and may cost money.
    Example: copperbench rubric results/2026-01-02/m/t/run-1.json --endpoint http://localhost:8080/v1 --model judge
    """
    from copperbench.errors import HarnessUnavailable
    from copperbench.records import record_place

    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise HarnessUnavailable("--key-env", f"the variable {key_env} is not set", "export it")
    places = [record_place(record, root) for record in records]  # a slip in a path is said before anything is loaded
    from copperbench.rubric import Endpoint, judge
    from copperbench.suite import load_suite

    suite = load_suite(root)
    outcomes = {}
    for place in places:
        outcomes[place.name] = judge(place, suite.task(place.task), Endpoint(endpoint, model, key))
    print(json.dumps(outcomes) if as_json else "\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()))
