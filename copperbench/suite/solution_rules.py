"""The rules for reference solutions: one gold, at least three traps, each named and caught (STANDARD 12)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from copperbench.errors import SuiteError
from copperbench.suite.findings import Finding, from_error, schema_findings
from copperbench.suite.kill_matrix import broken_implications, kill_matrix
from copperbench.suite.loading import Suite, load_solution
from copperbench.suite.models import Solution, Task
from copperbench.suite.reading import parse_json, read_bytes
from copperbench.suite.task_rules import bad_patterns, step_patterns

LEAST_TRAPS = 3
_TRAP_NAME = re.compile(r"(?<![A-Za-z0-9-])trap-[a-z0-9]+(?:-[a-z0-9]+)*")
_GOLD_ENDS = {"edit": ("done",), "refusal": ("refused",), "flag": ("done", "refused")}


def check_solutions(suite: Suite, task_id: str) -> list[Finding]:
    """Everything that is wrong with `solutions/<task_id>`; a task that cannot be read is its own finding."""
    folder, where = suite.root / "solutions" / task_id, f"solutions/{task_id}"
    if task_id not in suite.task_ids():
        return [Finding(where, "solutions", "there is no such task", f"add tasks/{task_id} or remove it (STANDARD 12)")]
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    findings = list(_set(names, where))
    solutions: list[Solution] = []
    for name in filter(_is_solution, names):
        faults = _schema(folder / name, f"{where}/{name}")
        findings += faults
        if not faults:
            try:
                solutions.append(load_solution(folder / name))
            except SuiteError as error:
                findings.append(from_error(error, "readable"))
    try:
        task = suite.task(task_id)
    except SuiteError:
        return findings
    for solution in solutions:
        findings += _solution(solution, task, f"{where}/{solution.name}.json")
    if len(solutions) == sum(map(_is_solution, names)):
        findings += _proof(task, solutions, where)
    return findings + list(_named_in_readme(suite.root, task_id, names))


def _is_solution(name: str) -> bool:
    return name == "gold.json" or (name.startswith("trap-") and name.endswith(".json"))


def _set(names: list[str], where: str) -> Iterator[Finding]:
    if "gold.json" not in names:
        yield Finding(f"{where}/gold.json", "gold", "is missing", "prove that the task can be done (STANDARD 12)")
    traps = [name for name in names if _is_solution(name) and name != "gold.json"]
    if len(traps) < LEAST_TRAPS:
        what = f"has {len(traps)} trap solutions, at least {LEAST_TRAPS} are needed"
        yield Finding(where, "traps", what, "write down the wrong answers that the task must catch (STANDARD 12)")
    for name in names:
        if not _is_solution(name):
            yield Finding(f"{where}/{name}", "solutions", "is neither gold.json nor trap-<name>.json", "remove it")


def _schema(path: Path, where: str) -> list[Finding]:
    try:
        return schema_findings("solution", parse_json(read_bytes(path, where), where), where)
    except SuiteError as error:
        return [from_error(error, "readable")]


def _solution(solution: Solution, task: Task, where: str) -> Iterator[Finding]:
    known = {spec.id: spec.required for spec in task.assertions}
    for index, name in enumerate(solution.caught_by):
        if not known.get(name, False):
            what = f"{name!r} is {'not required' if name in known else 'no assertion of the task'}"
            yield Finding(f"{where}: $.caughtBy[{index}]", "caught-by", what, "name required assertions (STANDARD 12)")
    yield from _implications(solution, known, where)
    if solution.name == "gold" and solution.exit_path not in _GOLD_ENDS[task.expected_outcome]:
        what = f"{solution.exit_path!r} is no right ending of a task whose outcome is {task.expected_outcome}"
        yield Finding(f"{where}: $.exitPath", "gold", what, "correct it (STANDARD 5)")
    for index, step in enumerate(solution.steps):
        yield from bad_patterns(step_patterns(step.args, f"{where}: $.steps[{index}]"))


def _implications(solution: Solution, known: dict[str, bool], where: str) -> Iterator[Finding]:
    for implied, by in solution.implied_by.items():
        place = f"{where}: $.impliedBy.{implied}"
        for name in (implied, by):
            if name not in known:
                what = f"{name!r} is no assertion of the task"
                yield Finding(place, "implied-by", what, "name assertions of the task (STANDARD 12)")
        if known.get(implied) and known.get(by) is False:
            what = f"{by!r} is not required, so it cannot stand for {implied!r}, which is"
            yield Finding(place, "implied-by", what, "make it required or name another (STANDARD 12)")
        seen, at = {implied}, by
        while at in solution.implied_by and at not in seen:
            seen.add(at)
            at = solution.implied_by[at]
        if at in seen:
            what = f"{implied!r} is implied in a circle, which proves nothing"
            yield Finding(place, "implied-by", what, "let it end at an assertion with a trap of its own (STANDARD 12)")


def _proof(task: Task, solutions: list[Solution], where: str) -> Iterator[Finding]:
    """The kill matrix as the solutions promise it; whether they keep it is for `copperbench discriminate` to say."""
    implied_by = next((each.implied_by for each in solutions if each.name == "gold"), {})
    caught = {each.name: each.caught_by for each in solutions if each.name != "gold"}
    required = [spec.id for spec in task.required]
    for kill in kill_matrix(required, caught, implied_by):
        if not kill.proven:
            what = f"no trap is caught by {kill.assertion} alone, and gold.json does not say what implies it"
            remedy = "write such a trap or declare it in impliedBy (STANDARD 12)"
            yield Finding(where, "kill-matrix", what, remedy)
    for broken in broken_implications(caught, implied_by):
        what = f"says that {broken.by} passes where {broken.implied} fails, which gold.json says cannot be"
        remedy = "correct caughtBy or impliedBy (STANDARD 12)"
        yield Finding(f"{where}/{broken.run}.json: $.caughtBy", "kill-matrix", what, remedy)


def _named_in_readme(root: Path, task_id: str, names: list[str]) -> Iterator[Finding]:
    """A README names every trap, and every trap that it names exists (STANDARD 1)."""
    place = f"tasks/{task_id}/README.md"
    try:
        text = read_bytes(root / place, place).decode("utf-8", "replace")
    except SuiteError:
        return
    told = set(_TRAP_NAME.findall(text))
    made = {name.removesuffix(".json") for name in names if _is_solution(name)} - {"gold"}
    for name in sorted(made - told):
        yield Finding(place, "trap-named", f"does not mention {name}", "say what it tries and what catches it")
    for name in sorted(told - made):
        remedy = f"write solutions/{task_id}/{name}.json or drop the name (STANDARD 12)"
        yield Finding(place, "trap-named", f"names {name}, which is no trap solution", remedy)
