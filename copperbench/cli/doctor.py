"""`copperbench doctor`: what is installed, what is missing, and what each missing part costs a grade."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from copperbench.errors import CopperbenchError

if TYPE_CHECKING:
    from copperbench.suite import Fixture, Suite

OLDEST_PYTHON = (3, 11)
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

    Exit code 1 when something is there and wrong: grades made with it would be wrong, or not made. What is merely
    missing costs what its line says. Example: copperbench doctor
    """
    checks = [_python(), _kicad(), _git(), _isolation(), *_parts(), *_suite(root)]
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            cost = f" -- {check.cost}" if check.status != "ok" and check.cost else ""
            print(f"{check.status:8} {check.name}: {check.detail}{cost}")
    if any(check.status == "wrong" for check in checks):
        raise typer.Exit(1)


def _python() -> Check:
    found = platform.python_version()
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", "wrong", f"{found}, 3.11 or later is needed", "nothing of this is sure to work")
    return Check("python", "ok", f"{found} at {sys.executable}")


def _parts() -> list[Check]:
    """The programs and packages beyond the core; none of them changes a grade that is made."""
    programs = {
        "snakemake": "no campaign can be made as a workflow; single verbs, grading and `reproduce` work without it",
        "copperbench-agent": "models cannot run in the reference harness; grading does not need it",
        "copperhead": "models whose harness is copperhead cannot run; grading does not need it",
        "latexmk": "the paper's PDF cannot be built (`make paper`); its numbers and all grades do not need it",
    }
    packages = {
        "pyarrow": "`export --format parquet` does not work (`pip install copperbench[export]`); grades are the same",
    }
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    checks = []
    for name, cost in programs.items():
        path = shutil.which(name, path=beside)
        checks.append(Check(name, "ok" if path else "missing", path or "not on PATH", cost))
    for name, cost in packages.items():
        there = find_spec(name) is not None
        checks.append(Check(name, "ok" if there else "missing", "installed" if there else "not installed", cost))
    return checks


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


def _suite(root: Path) -> list[Check]:
    """The checkout's suite and its boards."""
    from copperbench.suite import load_suite
    from copperbench.suite.lock import check_lock

    cost = "nothing can be graded here; a checkout of the benchmark holds tasks, fixtures and config"
    if not (root / "config" / "suite.yaml").is_file():
        return [Check("suite", "missing", f"no config/suite.yaml in {root.resolve()}; --root names a checkout", cost)]
    try:
        suite = load_suite(root)
        findings = check_lock(suite)
        if findings:
            said = f"{findings[0].what} ({len(findings)} finding(s))"
            return [Check("suite", "wrong", said, "records made now cannot be compared with others"), *_fixtures(suite)]
        return [Check("suite", "ok", f"version {suite.version}, {len(suite.task_ids())} tasks"), *_fixtures(suite)]
    except CopperbenchError as error:
        return [Check("suite", "wrong", str(error), cost)]


def _fixtures(suite: Suite) -> list[Check]:
    from copperbench.suite import verify_tree

    root = suite.root
    checks = []
    for name in sorted({suite.task(task).fixture_id for task in suite.task_ids()}):
        tree = root / "fixtures" / name / "tree"
        tasks = sum(suite.task(task).fixture_id == name for task in suite.task_ids())
        if suite.fixture(name).availability == "published-only":
            cost = f"its {tasks} task(s) are skipped: the board is published only, and its tree cannot be had"
        else:
            cost = f"its {tasks} task(s) are skipped; {_way_to_get(suite.fixture(name))}"
        if not tree.is_dir():
            checks.append(Check(f"fixture {name}", "missing", "its tree is not here", cost))
            continue
        try:
            verify_tree(suite.fixture(name), tree)
            checks.append(Check(f"fixture {name}", "ok", "in place, hash verified"))
        except CopperbenchError as error:
            checks.append(Check(f"fixture {name}", "wrong", str(error), cost))
    return checks


def _way_to_get(fixture: Fixture) -> str:
    """How a board that is not here is obtained, and what for where that is not plain."""
    if fixture.availability == "committed":
        return f"it is committed: `git checkout -- fixtures/{fixture.id}` restores it"
    if fixture.upstream is not None and fixture.upstream.package is not None:
        return f"it is out of {fixture.upstream.package.name}: `copperbench fixture get {fixture.id} --from DIR`"
    return f"`copperbench fixture get {fixture.id}` fetches it"
