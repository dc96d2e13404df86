"""Validating a suite, whole or in part: every refusal names file, JSON path, rule and remedy (STANDARD 1, 4, 7, 13)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError, SuiteError
from copperbench.suite.findings import Finding, Skipped, Validation, from_error, schema_findings
from copperbench.suite.fixture_rules import ExtraCheck, check_fixture
from copperbench.suite.loading import Suite, load_suite
from copperbench.suite.lock import check_lock
from copperbench.suite.reading import parse_json, parse_yaml, read_bytes
from copperbench.suite.solution_rules import check_solutions
from copperbench.suite.task_rules import check_task

OUTCOMES = ("edit", "refusal", "flag")
_CONFIGS = {
    "config/config.yaml": "config",
    "config/models.yaml": "models",
    "config/pricing.json": "pricing",
}
_PARTS = ("tasks", "solutions", "fixtures")


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a call looks at: ids by part, and whether the rules about the suite as a whole apply."""

    tasks: tuple[str, ...]
    solutions: tuple[str, ...]
    fixtures: tuple[str, ...]
    whole: bool


def validate(root: Path, paths: Sequence[Path] = (), extra_checks: Sequence[ExtraCheck] = ()) -> list[Finding]:
    """The findings of `examine`."""
    return list(examine(root, paths, extra_checks).findings)


def examine(root: Path, paths: Sequence[Path] = (), extra_checks: Sequence[ExtraCheck] = ()) -> Validation:
    """Hold the suite at `root`, or the parts that `paths` name, against the standard.

    A path names a task, solution or fixture folder or anything in it, one of the folders `tasks`, `solutions`,
    `fixtures`, or `config`; a task brings its solutions along. Without paths everything is looked at, and the
    suite as a whole. `extra_checks` are run on every fixture whose tree is present and has its hash.

    Raises SuiteError when `config/suite.yaml` cannot be read or a path is no part of the suite.
    """
    suite = load_suite(root)
    scope = _scope(suite, paths)
    findings: list[Finding] = []
    skipped: list[Skipped] = []
    for fixture_id in scope.fixtures:
        found, left_out = check_fixture(suite, fixture_id, extra_checks)
        findings += found
        skipped += left_out
    for task_id in scope.tasks:
        findings += check_task(suite, task_id)
    for task_id in scope.solutions:
        findings += check_solutions(suite, task_id)
    if scope.whole:
        findings += _whole(suite)
    return Validation(tuple(dict.fromkeys(findings)), tuple(skipped))


def _scope(suite: Suite, paths: Sequence[Path]) -> _Scope:
    chosen = [_part(suite, path) for path in paths] or [("", "")]
    named: dict[str, set[str]] = {part: set() for part in _PARTS}
    for part, name in chosen:
        for each in _PARTS:
            if part in ("", each):
                named[each] |= {name} if name else set(_names(suite, each))
    named["solutions"] |= named["tasks"]
    tasks, solutions, fixtures = (tuple(sorted(named[part])) for part in _PARTS)
    return _Scope(tasks, solutions, fixtures, whole=any(part in ("", "config") for part, _ in chosen))


def _part(suite: Suite, path: Path) -> tuple[str, str]:
    """The part of the suite and the name in it that a path stands for; empty strings for all."""
    try:
        steps = path.resolve().relative_to(suite.root.resolve()).parts
    except (ValueError, OSError, RuntimeError) as error:
        raise SuiteError(path, "lies outside the suite", f"name a path under {suite.root}") from error
    if not path.exists():
        raise SuiteError(path, "does not exist", "name a task, a solution, a fixture or config")
    if not steps:
        return "", ""
    part, name = steps[0], steps[1] if len(steps) > 1 else ""
    if part == "config":
        return "config", ""
    if part not in _PARTS or (name and name not in _names(suite, part)):
        raise SuiteError(path, "is no part of the suite", f"name something under {', '.join(_PARTS)} or config")
    return part, name


def _names(suite: Suite, part: str) -> tuple[str, ...]:
    if part == "fixtures":
        return suite.fixture_ids()
    return suite.task_ids() if part == "tasks" else suite.solved_ids()


def _whole(suite: Suite) -> list[Finding]:
    findings = [*_configs(suite.root), *_same_but_case(suite), *_outcomes(suite)]
    for name in suite.named:
        try:
            suite.select(name)
        except SuiteError as error:
            findings.append(from_error(error, "selection"))
    try:
        findings += check_lock(suite)
    except CopperbenchError as error:
        findings.append(from_error(error, "readable"))
    return findings


def _configs(root: Path) -> Iterator[Finding]:
    for where, kind in _CONFIGS.items():
        if (root / where).exists():
            try:
                parse = parse_json if where.endswith(".json") else parse_yaml
                yield from schema_findings(kind, parse(read_bytes(root / where, where), where), where)
            except SuiteError as error:
                yield from_error(error, "readable")


def _same_but_case(suite: Suite) -> Iterator[Finding]:
    """Ids that differ only in the case of letters are one folder on some systems."""
    for part in _PARTS:
        seen: dict[str, str] = {}
        for name in _names(suite, part):
            if name.casefold() in seen:
                what = f"differs from {seen[name.casefold()]} only in the case of letters"
                yield Finding(f"{part}/{name}", "duplicate-id", what, "rename it (STANDARD 1.1)")
            seen[name.casefold()] = name


def _outcomes(suite: Suite) -> Iterator[Finding]:
    """The suite must hold edit, refusal and flag tasks, or a rate of it would mean nothing (STANDARD 5)."""
    present = set()
    for task_id in suite.task_ids():
        try:
            present.add(suite.task(task_id).expected_outcome)
        except SuiteError:
            return  # a task that cannot be read may be the missing one; its own finding stands already
    for outcome in OUTCOMES:
        if outcome not in present:
            yield Finding("tasks", "outcome", f"no task expects {outcome!r}", "add one (STANDARD 5)")
