"""How long the reports of big campaigns take: `python tests/bench/bench_reports.py [RUNS]`.

10,000 records become an aggregate and a leaderboard; RUNS runs (default 1,000), each with an end state of its own,
become a site. Prints one line for each promise, `value bound what`, and exits with 1 where one does not hold. Times
are processor times, children included, so that a busy machine measures the same as an idle one; fewer runs than
1,000 are scaled up. Without kicad-cli nothing is drawn, and the line says so.
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
BOARD, TASK, DATE = "copperbench-ldo-sensor", "do-raise-led-resistor", "2026-01-02"
RECORDS, MODELS = 10_000, 100
CORES = 2
"""On how many cores the site's three minutes are promised."""


def main() -> int:
    """Measure, print, and say whether every bound holds."""
    runs = int("".join(sys.argv[1:2]) or 1_000)
    kept = True
    with tempfile.TemporaryDirectory() as scratch:
        for value, bound, what in measurements(Path(scratch), runs):
            holds = value <= bound
            kept &= holds
            sys.stdout.write(f"{value:8.1f}  at most {bound:g}  {what}{'' if holds else '  MISSED'}\n")
            sys.stdout.flush()
    return 0 if kept else 1


def measurements(scratch: Path, runs: int) -> Iterator[tuple[float, float, str]]:
    """Each measured value, its bound, and what it is."""
    root, tree = checkout(scratch / "many"), ROOT / "fixtures" / BOARD / "tree"
    place = sealed(root, load_suite(root), tree, 0)
    multiply(root, place)
    used: dict[str, tuple[float, int]] = {
        verb: measured(lambda verb=verb: call("copperbench", verb, "--root", str(root)))  # type: ignore[misc]
        for verb in ("aggregate", "leaderboard")
    }
    yield sum(seconds for seconds, _ in used.values()), 20, f"aggregate and leaderboard of {RECORDS} records, seconds"
    yield max(peak for _, peak in used.values()), 500, "their peak memory, MiB"
    root = checkout(scratch / "site")
    suite, cli = load_suite(root), find_kicad_cli()

    def site() -> float:
        return measured(lambda: build_site(root, suite, root / "build/site", cli) and None)[0]

    sealed(root, suite, tree, 0)
    site()  # imports, and the baseline's drawing
    once = site()
    for number in range(1, runs + 1):
        sealed(root, suite, tree, number)
    seconds = once + (site() - once) / runs * 1_000
    what = "drawn" if cli else "NOT drawn (no kicad-cli)"
    yield seconds / CORES, 180, f"site of 1,000 distinct runs on {CORES} cores, {what}, seconds"
    pages = [path.stat().st_size for path in (root / "build/site").rglob("*.html")]
    yield max(pages) / 1_000, 500, "the biggest page, kB"


def checkout(root: Path) -> Path:
    """A checkout with one task."""
    for name in (f"fixtures/{BOARD}", f"tasks/{TASK}", f"solutions/{TASK}", "config"):
        shutil.copytree(ROOT / name, root / name)
    return root


def sealed(root: Path, suite: Suite, tree: Path, number: int) -> Path:
    """Seal and grade a run that left a value of its own; the place of its record."""
    task, fixture = suite.task(TASK), suite.fixture(BOARD)
    archive, sandbox = root / "sandbox.tar.zst", root / "run"
    if not archive.exists():
        archive.write_bytes(build_sandbox(task, fixture, tree).data)
    info = unpack_sandbox(archive, sandbox)
    for path, old, new in ((fixture.schematic, '"1k"', f'"{number}k"'), ("docs/BOM.md", "| 1k |", f"| {number}k |")):
        text = (sandbox / path).read_text(encoding="utf-8")
        (sandbox / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    model = ModelStamp(f"model-{number % 10}", "p", "flag", "api-cheap", "strong", None)
    facts = RunFacts(
        model_slug=f"model-{number % 10}",
        run_mode="agent",
        repeat=number // 10 + 1,
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
    place = record_place(Path(f"results/{DATE}/{facts.model_slug}/{TASK}/run-{facts.repeat}.json"), root)
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


def measured(work: Callable[[], None]) -> tuple[float, int]:
    """Processor seconds, children included, that `work` takes, and the children's peak memory so far in MiB."""

    def seconds() -> float:
        used = os.times()
        return used.user + used.system + used.children_user + used.children_system

    before = seconds()
    work()
    return seconds() - before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024


if __name__ == "__main__":
    sys.exit(main())
