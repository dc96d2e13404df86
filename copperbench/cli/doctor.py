"""`copperbench doctor`: what is installed, what is missing, and what each missing part costs a grade."""

from __future__ import annotations

import json
import platform
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from copperbench.errors import CopperbenchError

BASELINE_MAJOR = 10
"""The major version of kicad-cli that the committed baselines were measured with (STANDARD 13)."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked for: `status` is `ok`, `missing` or `wrong`; `cost` says what its absence means."""

    name: str
    status: str
    detail: str
    cost: str = ""


def command(
    root: Annotated[Path, typer.Option(help="The checkout to look at.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Say what is installed, what is missing, and what each missing part would cost a grade.

    Exit code 1 when something that a grade needs is missing. Example: copperbench doctor
    """
    checks = [_python(), _kicad(), _git(), _isolation(), *_fixtures(root)]
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            cost = f" -- {check.cost}" if check.status != "ok" and check.cost else ""
            print(f"{check.status:8} {check.name}: {check.detail}{cost}")
    if any(check.status == "wrong" for check in checks):
        raise typer.Exit(1)


def _python() -> Check:
    return Check("python", "ok", platform.python_version())


def _kicad() -> Check:
    from copperbench.kicad import find_kicad_cli

    cost = "ERC and DRC assertions are unevaluable, and runs whose required assertions need them unscoreable"
    try:
        found = find_kicad_cli()
    except CopperbenchError as error:
        return Check("kicad-cli", "wrong", str(error), cost)
    if found is None:
        return Check("kicad-cli", "missing", "not on PATH and not named in COPPERBENCH_KICAD_CLI", cost)
    if found.major != BASELINE_MAJOR:
        return Check("kicad-cli", "wrong", f"{found.path} is {found.version}, baselines need {BASELINE_MAJOR}.x", cost)
    return Check("kicad-cli", "ok", f"{found.version} at {found.path}")


def _git() -> Check:
    path = shutil.which("git")
    cost = "third-party boards cannot be fetched from their upstreams; grading does not need it"
    return Check("git", "ok" if path else "missing", path or "not on PATH", cost)


def _isolation() -> Check:
    from copperbench.harness.isolation import working_bwrap

    path, why = working_bwrap()
    cost = "agents run without process isolation, and their runs say so; in-process runs and grading do not need it"
    return Check("bubblewrap", "ok" if path else "missing", str(path) if path else why, cost)


def _fixtures(root: Path) -> list[Check]:
    from copperbench.suite import load_suite, verify_tree

    suite = load_suite(root)
    checks = []
    for name in sorted({suite.task(task).fixture_id for task in suite.task_ids()}):
        tree = root / "fixtures" / name / "tree"
        tasks = sum(suite.task(task).fixture_id == name for task in suite.task_ids())
        cost = f"its {tasks} task(s) are skipped; `copperbench fixture get {name}` fetches it"
        if not tree.is_dir():
            checks.append(Check(f"fixture {name}", "missing", "its tree is not here", cost))
            continue
        try:
            verify_tree(suite.fixture(name), tree)
            checks.append(Check(f"fixture {name}", "ok", "in place, hash verified"))
        except CopperbenchError as error:
            checks.append(Check(f"fixture {name}", "wrong", str(error), cost))
    return checks
