"""`copperbench plan`: what the configured campaign would run, and the most that it could take."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from copperbench.suite import Plan

HEADER = ("model", "harness", "segment", "runs", "due", "turns", "hours", "USD")


def command(
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY=VALUE]...", help="Further keys, as snakemake takes them.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--config", metavar="KEY=VALUE", help="As snakemake's: a key of the config.")
    ] = None,
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
) -> None:
    """Print the planned runs and the worst case of those that are due: turns, wall-clock hours, USD. Starts nothing.

    The worst case is every turn used, with a full context and the longest reply; real runs cost a fraction. A dash
    stands for USD that are none by rule (self-hosted, saved login, scripted), a question mark for an unknown price.
    A model whose runs could not start here is named with the reason.
    Example: copperbench plan --config models=[gpt-5-mini] repeats=1
    """
    from dataclasses import asdict

    from copperbench.publish import json_bytes
    from copperbench.suite import load_campaign

    plan = load_campaign(root, _config(root, [*(settings or []), *(more or [])])).plan()
    if as_json:
        value = asdict(plan) | {"worst_usd": plan.worst_usd}
        sys.stdout.write(json_bytes(_camel(value)).decode("ascii"))
    else:
        sys.stdout.write(_text(plan))


def _config(root: Path, settings: list[str]) -> dict[str, Any]:
    from copperbench.errors import SuiteError
    from copperbench.suite import parse_yaml, read_bytes

    name = "config/config.yaml"
    config: dict[str, Any] = parse_yaml(read_bytes(root / name, name), name) or {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise SuiteError("--config", f"{setting!r} is no KEY=VALUE", "write for example repeats=1")
        config[key] = parse_yaml(value.encode(), f"--config {key}")
    return config


def _text(plan: Plan) -> str:
    cells = [HEADER]
    for row in plan.rows:
        usd = "-" if not row.is_priced else "?" if row.usd is None else f"{row.usd:.2f}"
        hours = f"{row.wall_clock_s / 3600:.1f}"
        counts = (str(row.planned), str(row.due), str(row.turns), hours, usd)
        cells.append((row.model, row.harness, row.segment, *counts))
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADER))]
    lines = [f"campaign {plan.campaign}, suite {plan.suite_version}: {plan.tasks} tasks"]
    lines.append(f"in process, without a model: {plan.in_process} runs, {plan.in_process_due} due")
    if plan.rows:
        table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        unknown = "unknown, for want of a price" if any(row.is_priced for row in plan.rows) else "none, by rule"
        worst = unknown if plan.worst_usd is None else f"{plan.worst_usd:.2f} USD"
        lines += ["", *(line.rstrip() for line in table), "", f"worst case of all due runs: {worst}"]
    else:
        lines.append("no models configured: `models` in config/config.yaml, or --config models=[...]")
    limit = "no max_usd" if plan.max_usd is None else f"max_usd {plan.max_usd:.2f}"
    lines.append(f"spent so far: {plan.spent_usd:.2f} USD; {limit}")
    lines += [f"model {row.model} cannot run: {row.problem}" for row in plan.rows if row.problem]
    lines += [f"left out: {task}: {reason}" for task, reason in plan.skipped.items()]
    return "\n".join(lines) + "\n"


def _camel(value: Any) -> Any:
    """The names as records write them: `wallClockS`."""
    if isinstance(value, dict):
        return {_name(key): _camel(each) if key != "skipped" else dict(each) for key, each in value.items()}
    return [_camel(each) for each in value] if isinstance(value, list | tuple) else value


def _name(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)
