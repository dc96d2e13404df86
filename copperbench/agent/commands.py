"""The commands behind the command line: orders made from options, environment and config, and their results."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.agent.settings import (
    Ablations,
    Command,
    Order,
    ProjectSettings,
    Retries,
    choose_model,
    read_settings,
)
from copperbench.errors import HarnessUnavailable

if TYPE_CHECKING:
    from copperbench.agent.check import Item
    from copperbench.agent.run import Result
    from copperbench.kicad import KicadCli

_SYNC_REQUEST = "resolve design-state inconsistencies found by sync"
_SCHEMATIC_IS_RIGHT = (
    "The schematic is what is built: make the documents follow it, not the other way round, and change no design file."
)
_MOST_BRIEF = 200_000


def carry_out(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Carry out the command and return its exit code. Raises CopperbenchError for whatever keeps it from starting."""
    root = Path(options.repo).resolve()
    if not root.is_dir():
        raise HarnessUnavailable(options.repo, "is no folder", "name the project's repository with --repo")
    command: Mapping[str, Callable[[argparse.Namespace, Path, Mapping[str, str]], int]] = {
        "init": _init,
        "do": _do,
        "check": _check,
        "verify": _check,
        "sync": _sync,
        "create": _create,
    }
    return command[options.command](options, root, environment)


def _init(options: argparse.Namespace, root: Path, _environment: Mapping[str, str]) -> int:
    from copperbench.agent.init import init

    done = init(root, options.path, force=options.force)
    lists = {"created": done.created, "skipped": done.skipped, "refused": done.refused}
    if options.json:
        _print_json({name: list(paths) for name, paths in lists.items()})
    else:
        print("\n".join(f"{name} {path}" for name, paths in lists.items() for path in paths))
    return 1 if done.refused else 0


def _do(options: argparse.Namespace, root: Path, environment: Mapping[str, str]) -> int:
    settings = read_settings(root)
    order = _order(options, root, environment, settings, "do", options.request, options.request)
    order = replace(order, allow_dirty=options.allow_dirty, dry_run=options.dry_run)
    result = _performed(order, options, environment)
    if options.json:
        _print_json(_as_json(result))
    else:
        print(f"{result.exit_path}: {result.summary}\ntranscript: {result.transcript_dir}")
    return 1 if result.outcome == "failure" else 0


def _check(options: argparse.Namespace, root: Path, environment: Mapping[str, str]) -> int:
    from copperbench.agent.check import check, project

    found = check(project(root), _kicad(environment))
    if options.json:
        _print_json(found)
    else:
        for name, part in found.items():
            print(f"{name}: {json.dumps(part, sort_keys=True)}")
    return 0 if found["ok"] else 1


def _sync(options: argparse.Namespace, root: Path, environment: Mapping[str, str]) -> int:
    from copperbench.agent.check import inconsistencies, project, requirement_violations
    from copperbench.agent.conversation import prompt

    design = project(root)
    items, violations = inconsistencies(design), requirement_violations(design)
    if options.json:
        _print_json({"resolvable": [_item_json(item) for item in items], "violations": list(violations)})
    else:
        lines = [f"{item.kind} {item.doc}: {item.claim}, actual {item.actual}" for item in items]
        print("\n".join([*lines, *(f"violation: {each['description']}" for each in violations)]) or "in sync")
    if violations:
        return 2
    if options.dry_run or not items:
        return 0
    listed = "\n".join(f"- {item.kind}, {item.doc}: {item.claim}; actual: {item.actual}" for item in items)
    task = prompt("sync", items=listed, rule=options.request or _SCHEMATIC_IS_RIGHT)
    request = options.request or _SYNC_REQUEST
    order = _order(options, root, environment, read_settings(root), "sync", request, task)
    result = _performed(order, options, environment)
    print(f"{result.exit_path}: {result.summary}", file=sys.stderr if options.json else sys.stdout)
    return 0 if result.outcome == "success" else 1


def _create(options: argparse.Namespace, root: Path, environment: Mapping[str, str]) -> int:
    from copperbench.agent import create
    from copperbench.agent.check import check, project
    from copperbench.agent.conversation import prompt

    place = Path(options.brief)
    data = place.read_bytes()[:_MOST_BRIEF]
    brief = data.decode("utf-8", "replace")
    create.configure(root, create.slug(brief))
    name = place.resolve().relative_to(root).as_posix() if place.resolve().is_relative_to(root) else None
    marked = (name or f"external:{place.name}", hashlib.sha256(data).hexdigest())
    for index, stage in enumerate(create.STAGES, start=1):
        if create.is_complete(stage, root):
            print(f"{stage.name}: complete")
            continue
        settings = read_settings(root)
        task = prompt("create", stage=stage.name, task=stage.task, brief=brief)
        request = f"create pipeline stage: {stage.name}"
        order = _order(options, root, environment, settings, "create", request, task)
        turns = options.max_turns or settings.stage_max_turns.get(stage.name, settings.max_turns)
        staged = (stage.name, index, len(create.STAGES))
        order = replace(order, allow_dirty=True, max_turns=turns, stage=staged, brief=marked)
        result = _performed(order, options, environment)
        print(f"{stage.name}: {result.exit_path}: {result.summary}")
        if result.outcome != "success" or not create.is_complete(stage, root):
            print(f"{stage.name}: not complete; the later stages were not started", file=sys.stderr)
            return 1
    print(f"not supported by this harness: {', '.join(create.UNSUPPORTED)}", file=sys.stderr)
    return 0 if check(project(root), _kicad(environment))["ok"] else 1


def _order(
    options: argparse.Namespace,
    root: Path,
    environment: Mapping[str, str],
    settings: ProjectSettings,
    command: Command,
    request: str,
    task: str,
) -> Order:
    tools = tuple(filter(None, (name.strip() for name in options.tools.split(",")))) if options.tools else None
    cycles = options.max_repair_cycles
    return Order(
        root=root,
        command=command,
        request=request,
        task_prompt=task,
        model=choose_model(options.model, environment, settings),
        max_turns=options.max_turns or settings.max_turns,
        max_repair_cycles=settings.max_repair_cycles if cycles is None else cycles,
        turn_timeout_s=options.turn_timeout or settings.turn_timeout_s,
        max_tokens=options.max_tokens,
        dry_run=getattr(options, "dry_run", False),
        ablations=Ablations(options.prompt_variant, tools, cycles),
        retries=Retries(options.retries, options.retry_delay, options.timeout_retries),
    )


def _performed(order: Order, options: argparse.Namespace, environment: Mapping[str, str]) -> Result:
    from copperbench.agent.run import Surroundings, perform

    stream = sys.stderr if options.json or order.command == "create" else sys.stdout

    def say(text: str) -> None:
        print(text, file=stream, flush=True)

    return perform(order, Surroundings(_kicad(environment), say))


def _kicad(environment: Mapping[str, str]) -> KicadCli | None:
    """The kicad-cli to use; one that is named and not there is an error, none at all is not."""
    from copperbench.kicad import find_kicad_cli

    named = environment.get("COPPERHEAD_KICAD_CLI") or environment.get("COPPERBENCH_KICAD_CLI")
    found = find_kicad_cli(named)
    if found is None and named:
        raise HarnessUnavailable(named, "no such kicad-cli", "correct or unset COPPERHEAD_KICAD_CLI")
    return found


def _as_json(result: Result) -> Mapping[str, Any]:
    return {
        "outcome": result.outcome,
        "exitPath": result.exit_path,
        "summary": result.summary,
        "transcriptDir": result.transcript_dir,
        "filesTouched": list(result.files_touched),
        "commit": result.commit,
        "stats": result.stats,
        "cacheHits": 0,
    }


def _item_json(item: Item) -> Mapping[str, str]:
    return {name: getattr(item, name) for name in ("kind", "doc", "claim", "actual", "resolution")}


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2))
