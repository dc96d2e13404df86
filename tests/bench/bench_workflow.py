"""What planning, grading and running cost, at growing sizes: measured in copies of this checkout, never in results/.

    python tests/bench/bench_workflow.py [--small] [--only PART] [DEMOS]

DEMOS is the folder of KiCad's demo boards; without it the big board is left out. PART is one of verbs, boards,
reading, planning, grading, running.

Prints one line a measurement: value, bound where one was promised, what, unit and size. Processor time counts
children; wall-clock is given where the promise is about it, and means something on a quiet machine alone.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from copperbench.kicad import find_kicad_cli
from copperbench.sandbox import parse_run
from copperbench.sandbox.run_json import run_json

ROOT = Path(__file__).resolve().parents[2]
DATE = "2026-01-02"
SEED_TASK = "do-raise-led-resistor"
MICROPHONE = "do-rename-net"
BIG_EDIT = ("do-flag-connector-enable", "trap-fixes-the-schematic")
"""A run that leaves a changed sheet and layout on the biggest board."""
TURN_S = 2.0
AT_A_TIME = 6
"""Runs of the slow server under way together: as many as two cores feed; more would wait for cores, not the model."""
SLIPS = {
    "hash": ["no-tree"],
    "validate": ["--root", "no-checkout"],
    "fixture": ["get", "no-fixture"],
    "baseline": ["no-fixture", "--out", "out"],
    "symbols": ["no-sheet"],
    "netlist": ["no-sheet"],
    "drift": ["no-design"],
    "check": ["no-design", "--kicad-cli", "no-program"],
    "sandbox": ["no-task", "--out", "out"],
    "plan": ["--root", "no-checkout"],
    "run": ["no-record", "--sandbox", "no-sandbox", "--suite", "0"],
    "score": ["no-record"],
    "aggregate": ["--root", "no-checkout", "--out", "out"],
    "leaderboard": ["--aggregate", "no-aggregate"],
    "reproduce": ["no-campaign"],
    "task": ["prove", "no-task"],
    "compare": ["no-aggregate"],
    "export": ["--out", "out", "--root", "no-checkout"],
    "plots": ["--aggregate", "no-aggregate"],
    "redo": ["no-record"],
    "du": ["--root", "no-checkout"],
    "gc": ["--root", "no-checkout"],
    "unseal": ["no-record", "--out", "out"],
    "discriminate": ["--root", "no-checkout"],
    "profile": ["--root", "no-checkout"],
    "variant": ["no-task", "--seed", "1"],
    "site": ["--root", "no-checkout"],
    "rubric": ["no-record", "--endpoint", "http://127.0.0.1:1", "--model", "none"],
    "paper": ["numbers", "no-campaign", "--root", "no-checkout"],
    "standard": ["--root", "no-checkout"],
    "doctor": ["no-argument"],
}
"""What makes a verb end as soon as it looks at what it was given."""


@dataclass(frozen=True)
class Spent:
    """One command: seconds on the clock, processor seconds with children, peak megabytes of the biggest process."""

    wall_s: float
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True)
class Checkout:
    """A copy of this checkout's committed and new files, with a campaign of its own."""

    folder: Path

    def run(self, *command: str, ok: bool = True) -> Spent:
        """Run a command in it and say what it took."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        # boards are sought where this checkout would seek them
        store = os.environ.get("COPPERBENCH_FIXTURE_STORE", str(ROOT.parent / "shared/fixtures"))
        environment = os.environ | {"PATH": path, "PYTHONPATH": str(self.folder), "COPPERBENCH_FIXTURE_STORE": store}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.monotonic()
        with (self.folder / "said.txt").open("wb") as said:
            process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=said, stderr=said)
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if ok and process.returncode:
            text = (self.folder / "said.txt").read_text(errors="replace")
            raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}\n{text[-3000:]}")
        return Spent(time.monotonic() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)

    def configure(self, **settings: Any) -> None:
        """Change keys of the campaign."""
        path = self.folder / "config/config.yaml"
        path.write_text(yaml.safe_dump(yaml.safe_load(path.read_text()) | settings))


def checkout(folder: Path) -> Checkout:
    """A copy whose campaign has one task."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        source = ROOT / name
        if source.is_file() and not name.startswith(("tests/", "results/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, folder / name, follow_symlinks=False)
    made = Checkout(folder)
    made.configure(suite=[SEED_TASK], harnesses=["noop", "gold"], date=DATE, isolation="none")
    return made


def grow_tasks(where: Checkout, count: int) -> list[str]:
    """So many tasks, all of them the seed under another id."""
    seed = where.folder / "tasks" / SEED_TASK
    names = [f"do-bench-{number:03}" for number in range(count)]
    for name in names:
        shutil.copytree(seed, where.folder / "tasks" / name)
        path = where.folder / "tasks" / name / "task.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"id": name}))
        shutil.copytree(where.folder / "solutions" / SEED_TASK, where.folder / "solutions" / name)
    return names


def grow_models(where: Checkout, count: int) -> list[str]:
    """So many scripted models."""
    entry = {"provider": "scripted", "segment": "scripted", "pinning": "strong", "harness": "reference"}
    entry |= {"endpoint": "http://127.0.0.1:9", "keyEnv": "PATH"}
    models = {f"bench-{number:02}": entry | {"id": f"compat:bench-{number:02}"} for number in range(count)}
    (where.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": models}))
    return list(models)


def planning(scratch: Path, models: int, tasks: int, repeats: int) -> Iterator[Measured]:
    """A matrix nobody has run yet, and the same when all of it is there."""
    where = checkout(scratch / "planning")
    names, slugs = grow_tasks(where, tasks), grow_models(where, models)
    where.configure(suite=names, models=slugs, harnesses=[], repeats=repeats)
    size = models * tasks * repeats
    spent = where.run("snakemake", "matrix", "-n", "--quiet", "all")
    yield Measured("dry run of a matrix", spent.wall_s, "s", 30, size)
    yield Measured("dry run of a matrix, processor time", spent.cpu_s, "s CPU", None, size)
    yield Measured("dry run of a matrix, peak memory", spent.peak_mb, "MB", 600, size)
    for model in slugs:
        for name in names:
            for repeat in range(1, repeats + 1):
                folder = where.folder / f"results/{DATE}/{model}/{name}/run-{repeat}"
                folder.mkdir(parents=True)
                (folder / "run.json").write_text("{}")
                folder.with_suffix(".json").write_text("{}")
    spent = where.run("snakemake", "matrix")
    yield Measured("a finished matrix, nothing to do", spent.wall_s, "s", 10, size)
    yield Measured("a finished matrix, processor time", spent.cpu_s, "s CPU", None, size)
    yield Measured("a finished matrix, peak memory", spent.peak_mb, "MB", 600, size)


def reading(scratch: Path, models: int, tasks: int) -> Iterator[Measured]:
    """What it takes to read the Snakefile, beside a start of snakemake that reads none."""
    where = checkout(scratch / "reading")
    where.configure(suite=grow_tasks(where, tasks), models=grow_models(where, models), harnesses=[], repeats=3)
    start = median(where.run("snakemake", "--version").cpu_s for _ in range(3))
    read = median(where.run("snakemake", "--list-target-rules").cpu_s for _ in range(3))
    size = models * tasks * 3
    yield Measured("reading the Snakefile, start of snakemake not counted", read - start, "s CPU", 1.5, size)
    yield Measured("start of snakemake", start, "s CPU", None, 1)


def grade_again(scratch: Path, counts: tuple[int, ...]) -> Iterator[Measured]:
    """Grading sealed runs again through the workflow."""
    where = checkout(scratch / "again")
    where.run("snakemake", "leaderboard")
    sealed = where.folder / f"results/{DATE}/harness-gold/{SEED_TASK}/run-1"
    rate = {}
    for count in counts:
        _repeat(where, sealed, count)
        spent = where.run("snakemake", "leaderboard", "--forcerun", "score")
        rate[count] = spent.cpu_s / count
        yield Measured("sealed runs graded again", spent.wall_s, "s", 180 if count == 1000 else None, count)
        yield Measured("sealed runs graded again, each of them", 1000 * spent.cpu_s / count, "ms CPU", None, count)
    first, last = rate[counts[0]], rate[counts[-1]]
    yield Measured("grading again: processor time a run, most runs over fewest", last / first, "ratio", 1.2, counts[-1])


def _repeat(where: Checkout, sealed: Path, count: int) -> None:
    """Copies of a sealed run as other campaigns' runs, so that they share nothing but their task."""
    facts = parse_run((sealed / "run.json").read_bytes(), str(sealed))
    for number in range(count):
        date = f"2025-{1 + number // 280:02}-{1 + number // 10 % 28:02}"
        folder = where.folder / f"results/{date}/harness-gold/{SEED_TASK}/run-{1 + number % 10}"
        if not folder.exists():
            shutil.copytree(sealed, folder)
            (folder / "run.json").unlink()
            (folder / "run.json").write_bytes(run_json(replace(facts, campaign=date, repeat=1 + number % 10)))


def verbs(scratch: Path) -> Iterator[Measured]:
    """How long a verb takes to start: until it says that it cannot use what it was given.

    In rounds over all of them: a machine that is slow for some seconds is slow for one start of many.
    """
    where = checkout(scratch / "verbs")
    rounds = [
        {verb: where.run("copperbench", verb, *slip, ok=False).cpu_s for verb, slip in SLIPS.items()} for _ in range(7)
    ]
    for verb in SLIPS:
        yield Measured(f"start of copperbench {verb}", median(each[verb] for each in rounds[1:]), "s CPU", 0.15, 1)


def boards(scratch: Path, demos: str) -> Iterator[Measured]:
    """Grading one sealed run that KiCad has judged before: on the microphone board, and on a board of 20 MB."""
    for task, performer, most_s, most_mb in ((MICROPHONE, "gold", 0.3, None), (*BIG_EDIT, 2.0, 300.0)):
        where = checkout(scratch / task)
        if not _tree(where, task, "" if task == MICROPHONE else demos):
            sys.stderr.write(f"{task}: its board is not here, nothing measured\n")
            continue
        where.configure(suite=[task], large=True)
        record = f"results/{DATE}/harness-{performer}/{task}/run-1.json"
        where.run("snakemake", record)
        score = ["copperbench", "score", record, "--cache", "build/reports"]
        spent = [where.run(*score) for _ in range(12)][1:]
        yield Measured(f"grading one run of {task}", median(each.cpu_s for each in spent), "s CPU", most_s, 1)
        yield Measured(f"grading one run of {task}, memory", max(each.peak_mb for each in spent), "MB", most_mb, 1)


def _tree(where: Checkout, task: str, source: str) -> bool:
    """Put the tree of a task's fixture in place, from this checkout, `source` or its upstream; False where none is."""
    fixture = json.loads((where.folder / f"tasks/{task}/task.json").read_text())["fixture"]["path"]
    here = ROOT / fixture / "tree"
    if here.is_dir():
        shutil.copytree(here, where.folder / fixture / "tree", dirs_exist_ok=True)
    else:
        name = fixture.removeprefix("fixtures/")
        where.run("copperbench", "fixture", "get", name, *(["--from", source] if source else []), ok=False)
    return (where.folder / fixture / "tree").is_dir()


def overhead(scratch: Path, runs: int) -> Iterator[Measured]:
    """Our own processor time in a matrix over what the model and kicad-cli take: a server that takes 2 s a turn."""
    scripted = _module(ROOT / "tests/agent/scripted.py")
    kicad = find_kicad_cli()
    if kicad is None:
        return

    class Slow(scripted.Server):  # type: ignore[name-defined,misc]
        def answer(self, body: bytes) -> Any:
            return replace(super().answer(body), delay_s=TURN_S)

    where = checkout(scratch / "overhead")
    server = Slow()
    entry = {"id": "compat:careful", "provider": "scripted", "segment": "scripted", "pinning": "strong"}
    entry |= {"harness": "reference", "endpoint": server.url, "keyEnv": "PATH"}
    (where.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": {"careful": entry}}))
    spent_by_kicad = scratch / "kicad.times"
    wrapper = scratch / "kicad-cli"
    wrapper.write_text(
        f'#!/bin/bash\nTIMEFORMAT="%U %S"\n{{ time "{kicad.path}" "$@" 2>&3; }} 3>&2 2>> "{spent_by_kicad}"\n'
    )
    wrapper.chmod(0o755)
    where.configure(models=["careful"], harnesses=[], repeats=runs, kicad_cli=str(wrapper))
    together = [f"agent={AT_A_TIME}", f"provider_scripted={AT_A_TIME}"]
    spent = where.run("snakemake", "matrix", "--cores", str(AT_A_TIME), "--resources", *together)
    server.close()
    kicad_s = sum(float(part) for part in spent_by_kicad.read_text().split())
    waited_s = TURN_S * len(server.requests)
    own_s = spent.cpu_s - kicad_s
    yield Measured("time of the model in a run", waited_s / runs, "s", None, runs)
    yield Measured("processor time of kicad-cli in a run", kicad_s / runs, "s CPU", None, runs)
    yield Measured("own processor time in a run, all of the workflow in it", own_s / runs, "s CPU", None, runs)
    yield Measured(
        "own processor time over model and kicad-cli time", own_s / (waited_s + kicad_s), "ratio", 0.15, runs
    )
    yield Measured("the whole matrix", spent.wall_s, "s", None, runs)


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("copperbench_bench_scripted", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Measured:
    """A value in its unit, the bound that was promised, and at how many runs."""

    what: str
    value: float
    unit: str
    bound: float | None
    runs: int

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return self.bound is None or self.value <= self.bound

    def __str__(self) -> str:
        bound = "" if self.bound is None else f"  at most {self.bound:g}"
        size = "" if self.runs == 1 else f", {self.runs:,} runs"
        return f"{self.value:10.3f}{bound}  {self.what} ({self.unit}{size}){'' if self.holds else '  MISSED'}"


def main() -> int:
    """Measure and print; exit code 1 when a bound was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demos", nargs="?", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--only", default="", choices=PARTS)
    given = parser.parse_args()
    kept = True
    with tempfile.TemporaryDirectory(prefix="copperbench-bench-") as folder:
        scratch = Path(folder)
        for name, part in _parts(scratch, given.demos, small=given.small).items():
            for each in part() if given.only in ("", name) else ():
                kept &= each.holds
                sys.stdout.write(f"{each}\n")
                sys.stdout.flush()
    return 0 if kept else 1


PARTS = ("verbs", "boards", "reading", "planning", "grading", "running")


def _parts(scratch: Path, demos: str, *, small: bool) -> dict[str, Callable[[], Iterator[Measured]]]:
    made: tuple[Callable[[], Iterator[Measured]], ...] = (
        lambda: verbs(scratch),
        lambda: boards(scratch, "" if small else demos),
        lambda: reading(scratch, *((2, 5) if small else (50, 200))),
        lambda: planning(scratch, *((2, 5, 2) if small else (20, 100, 3))),
        lambda: grade_again(scratch, (5, 10) if small else (250, 1000)),
        lambda: overhead(scratch, 2 if small else 200),
    )
    return dict(zip(PARTS, made, strict=True))


if __name__ == "__main__":
    sys.exit(main())
