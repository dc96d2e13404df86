"""How long the reports of big campaigns take: `python tests/bench/bench_reports.py [RUNS]`.

10,000 records become an aggregate and a leaderboard; RUNS runs (default 1,000) become a site. Prints one line for
each promise, `value bound what`, and exits with 1 where one does not hold. Times are processor times, children
included, so that a busy machine measures the same as an idle one; fewer runs than 1,000 are scaled up. Without
kicad-cli nothing is drawn, and the line says so.

What takes time is kicad-cli: some 0.3 s for each schematic that was never drawn. So it matters how many there are.
Repeats of a task agree in most of what they draw (the 60 published runs of agents left 6 schematics); models vary
more than simulated agents do, and a bench of equal runs would measure nothing. Here every second run leaves a
schematic that no other run left, the rest leave one of four, one of them the untouched one; half of the runs are on
a board of one sheet, half on one of six. Documents, page and diff are every run's own. The line after it is the worst
case, which no campaign is: each run has a schematic of its own. Nothing is promised of it, and few runs stand for it.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from copperbench.kicad import find_kicad_cli
from copperbench.records import record_place
from copperbench.records.score import Scorer
from copperbench.reporting.site import build_site
from copperbench.sandbox import (
    CostStamp,
    ExitFacts,
    HarnessStamp,
    ModelStamp,
    RunFacts,
    build_sandbox,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import Suite, load_suite

ROOT = Path(__file__).resolve().parents[2]
DATE = "2026-01-02"
TASKS = {"do-raise-led-resistor": "copperbench-ldo-sensor", "do-stiffen-sensor-pullups": "copperbench-sensor-hub"}
EDITED = {
    "copperbench-ldo-sensor": ("copperbench-ldo-sensor.kicad_sch", "1k"),
    "copperbench-sensor-hub": ("channel.kicad_sch", "10k"),
}
"""A sheet of each board and a value on it that a run changes."""
TASK = next(iter(TASKS))
RECORDS, MODELS = 10_000, 100
FIRST = 16
"""So many runs leave every schematic that runs share: what drawing those takes does not grow with the runs."""
WORST = 100
"""So many runs stand for 1,000 in the worst case, of which nothing is promised."""
CORES = 2
"""On how many cores the site's three minutes are promised."""


def main() -> int:
    """Measure, print, and say whether every bound holds."""
    runs = int("".join(sys.argv[1:2]) or 1_000)
    kept = True
    with tempfile.TemporaryDirectory() as scratch:
        for value, bound, what in measurements(Path(scratch), runs):
            holds = bound is None or value <= bound
            kept &= holds
            promise = "" if bound is None else f"at most {bound:g}  "
            sys.stdout.write(f"{value:8.1f}  {promise}{what}{'' if holds else '  MISSED'}\n")
            sys.stdout.flush()
    return 0 if kept else 1


def measurements(scratch: Path, runs: int) -> Iterator[tuple[float, float | None, str]]:
    """Each measured value, its bound where one is promised, and what it is."""
    root = checkout(scratch / "many")
    multiply(root, sealed(root, load_suite(root), 0, "2k"))
    used: dict[str, tuple[float, int]] = {
        verb: measured(lambda verb=verb: call("copperbench", verb, "--root", str(root)))  # type: ignore[misc]
        for verb in ("aggregate", "leaderboard")
    }
    yield sum(seconds for seconds, _ in used.values()), 20, f"aggregate and leaderboard of {RECORDS} records, seconds"
    yield max(peak for _, peak in used.values()), 500, "their peak memory, MiB"
    what = f"on {CORES} cores, {'drawn' if find_kicad_cli() else 'NOT drawn (no kicad-cli)'}, seconds"
    for name, value, bound, made in (
        ("of a campaign", shared_value, 180, runs),
        ("each drawn anew", own_value, None, min(runs, WORST)),
    ):
        seconds, largest = site_of(checkout(scratch / name), made, value)
        yield seconds / CORES, bound, f"site of 1,000 runs {name}, {what}"
        yield largest, 500, f"its biggest page ({name}), kB"


def own_value(number: int) -> str:
    """A value that no other run leaves."""
    return f"{number + 1}R"


def shared_value(number: int) -> str | None:
    """What the runs of a campaign leave: every second run a value of its own, the rest one of four, None untouched."""
    return own_value(number) if number // len(TASKS) % 2 else (None, "1k1", "2k2", "3k3")[number // 4 % 4]


def site_of(root: Path, runs: int, value: Callable[[int], str | None]) -> tuple[float, float]:
    """Processor seconds of the site of 1,000 runs, worked out from those of `runs`, and its biggest page in kB."""
    suite, cli = load_suite(root), find_kicad_cli()

    def site() -> float:
        return measured(lambda: build_site(root, suite, root / "build/site", cli))[0]

    for number in range(FIRST):
        sealed(root, suite, number, value(number))
    site()  # imports, and the drawings of the baselines and of what runs share
    once = site()
    for number in range(FIRST, FIRST + runs):
        sealed(root, suite, number, value(number))
    seconds = once + (site() - once) / runs * 1_000
    return seconds, max(path.stat().st_size for path in (root / "build/site").rglob("*.html")) / 1_000


def checkout(root: Path) -> Path:
    """A checkout with two tasks."""
    for task, board in TASKS.items():
        for name in (f"fixtures/{board}", f"tasks/{task}", f"solutions/{task}"):
            shutil.copytree(ROOT / name, root / name)
    shutil.copytree(ROOT / "config", root / "config")
    return root


def sealed(root: Path, suite: Suite, number: int, value: str | None) -> Path:
    """Seal and grade the run `number`, which left `value` on a sheet and a line in a document; its record's place."""
    name = list(TASKS)[number % len(TASKS)]
    task, fixture = suite.task(name), suite.fixture(TASKS[name])
    tree = ROOT / "fixtures" / fixture.id / "tree"
    archive, sandbox = root / f"{name}.tar.zst", root / "run"
    if not archive.exists():
        archive.write_bytes(build_sandbox(task, fixture, tree).data)
    info = unpack_sandbox(archive, sandbox)
    with (sandbox / "docs/DECISIONS.md").open("a", encoding="utf-8") as decisions:
        decisions.write(f"Run {number} chose {value}.\n")
    if value is not None:
        sheet, old = EDITED[fixture.id]
        text = (sandbox / sheet).read_text(encoding="utf-8")
        (sandbox / sheet).write_text(text.replace(f'"{old}"', f'"{value}"', 1), encoding="utf-8")
    model = ModelStamp(f"model-{number // 2 % 10}", "p", "flag", "api-cheap", "strong", None)
    facts = RunFacts(
        model_slug=f"model-{number // 2 % 10}",
        run_mode="agent",
        repeat=number // 20 + 1,
        repeats_planned=3,
        campaign=DATE,
        harness=HarnessStamp("reference", "1.0", None),
        model=model,
        started_at=f"{DATE}T03:04:05Z",
        duration_ms=12_000,
        exit=ExitFacts(0, None, None, None),
        caps={"turns": 40, "wallClockSec": 1200},
        ablations={},
        baseline_sha=info.baseline_sha,
        setup_skipped=(),
        environment={"platform": "linux-x86_64", "pythonVersion": "3.11.9", "copperbenchVersion": "0.1.0"},
        cost=CostStamp(0.25, "1.0.0", None),
        isolation="none",
        suite_version=suite.version,
        run_relevant_hash=task.run_relevant_hash,
        task_manifests=task.manifests,
        fixture_manifest=fixture.manifest,
        files={},
    )
    place = record_place(Path(f"results/{DATE}/{facts.model_slug}/{name}/run-{facts.repeat}.json"), root)
    seal_run(place.folder, replace(facts), sandbox, archive, tree, transcript())
    shutil.rmtree(sandbox)
    Scorer(suite, root / "fixtures", None).score(place)
    return place.path


def transcript() -> bytes:
    """Thirty turns, each with a page of tool output."""
    events: list[tuple[str, dict[str, Any]]] = [("run-start", {"request": "raise it", "config": {"maxTurns": 40}})]
    for turn in range(30):
        calls = [{"id": str(turn), "name": "read_file", "args": {"path": "docs/BOM.md"}}]
        events.append(("assistant", {"text": f"Turn {turn}: reading on.", "toolCalls": calls}))
        events.append(("tool", {"name": "read_file", "args": calls[0]["args"], "result": "a line of output\n" * 120}))
    events.append(("run-end", {"exitPath": "done", "turnsUsed": 30, "maxTurns": 40, "tokensIn": 9, "tokensOut": 1}))
    rows = (json.dumps({"ts": f"{DATE}T03:04:05.000Z", "type": kind, "data": data}) for kind, data in events)
    return "".join(f"{row}\n" for row in rows).encode()


def multiply(root: Path, path: Path) -> None:
    """Make one record into many: of other models and repeats, every third a failure."""
    record = json.loads(path.read_bytes())
    for number in range(RECORDS):
        model, repeat = f"model-{number % MODELS}", number // MODELS + 1
        record["run"] |= {"model": model, "repeat": repeat}
        record["model"]["id"] = model
        failed = number % 3 == 0
        record |= {"verdict": "fail" if failed else "pass", "failureCategory": "wrong-target" if failed else None}
        record["firstFailedRequired"] = record["assertions"][0]["id"] if failed else None
        for each in record["assertions"]:
            each["status"] = "fail" if failed and each is record["assertions"][0] else "pass"
        target = root / f"results/{DATE}/{model}/{TASK}/run-{repeat}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record))


def call(*command: str) -> None:
    """Run one of our verbs."""
    program = str(Path(sys.executable).parent / command[0])
    subprocess.run([program, *command[1:]], check=True, capture_output=True)


def measured(work: Callable[[], object]) -> tuple[float, int]:
    """Processor seconds, children included, that `work` takes, and the children's peak memory so far in MiB."""

    def seconds() -> float:
        used = os.times()
        return used.user + used.system + used.children_user + used.children_system

    before = seconds()
    work()
    return seconds() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main())
