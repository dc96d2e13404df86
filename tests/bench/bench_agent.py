"""What the reference harness itself costs a run: `python tests/bench/bench_agent.py [FIXTURE_STORE]`.

A scripted endpoint plays a careful renamer on the microphone board (where a store has it; else a resistor change on a
board of this project). Prints one line for each promise, `value bound what`, and exits with 1 where one does not hold.
Needs kicad-cli. The harness's own time is processor time, children but kicad-cli included; a busy machine lengthens it
a little, and the least of several runs is taken.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.kicad import find_kicad_cli
from copperbench.sandbox import build_sandbox, unpack_sandbox
from copperbench.suite import load_fixture, load_task

ROOT = Path(__file__).resolve().parents[2]
RUNS = 8
TASKS = ("do-rename-net", "do-raise-led-resistor")
OWN_SECONDS = 0.5
OWN_SHARE = 0.3

# kicad-cli's processor time, as the shell that waited for it counts it, and that shell's own go into a file.
_SHIM = """#!/bin/sh
{kicad} "$@"
code=$?
times >> {log}
exit $code
"""
# Whatever the process and the children that it waited for have used, it says last.
_PROGRAM = """
import atexit, os, sys

def say():
    used = os.times()
    sys.stderr.write(f"\\n{used.user + used.system + used.children_user + used.children_system}")

atexit.register(say)
from copperbench.agent.main import main
main()
"""


@dataclass(frozen=True)
class Spent:
    """Seconds of one run: the harness's own and kicad-cli's processor time; wall-clock time outside both waits."""

    own: float
    kicad: float
    outside: float


def main() -> int:
    """Measure, print, and say whether every bound holds."""
    kicad = find_kicad_cli(os.environ.get("COPPERBENCH_KICAD_CLI"))
    if kicad is None:
        sys.stderr.write("bench_agent: no kicad-cli (COPPERBENCH_KICAD_CLI or PATH)\n")
        return 2
    spec = importlib.util.spec_from_file_location("scripted", ROOT / "tests/agent/scripted.py")
    scripted: Any = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules["scripted"] = scripted
    spec.loader.exec_module(scripted)  # type: ignore[union-attr]
    server = scripted.Server()
    task, archive = starting_state("".join(sys.argv[1:2]))
    runs = [run(archive, server.url, str(kicad.path)) for _ in range(RUNS)]
    server.close()
    least = min(runs, key=lambda each: each.own)
    kept = True
    for value, bound, what in (
        (least.own, OWN_SECONDS, f"processor seconds of the harness itself, {task}"),
        (least.own / least.kicad, OWN_SHARE, "the same as a share of kicad-cli's in that run"),
    ):
        holds = value <= bound
        kept &= holds
        sys.stdout.write(f"{value:8.3f}  at most {bound:g}  {what}{'' if holds else '  MISSED'}\n")
    outside = min(each.outside for each in runs)
    sys.stdout.write(f"{outside:8.3f}  wall-clock seconds outside model and kicad-cli, on a machine as busy as this\n")
    return 0 if kept else 1


def starting_state(store: str) -> tuple[str, bytes]:
    """The task whose board is at hand, and its sandbox."""
    given = store or os.environ.get("COPPERBENCH_FIXTURE_STORE") or str(ROOT.parent / "shared/fixtures")
    for name in TASKS:
        task = load_task(ROOT / "tasks" / name, ROOT)
        fixture = load_fixture(ROOT / "fixtures" / task.fixture_id)
        for tree in (ROOT / "fixtures" / fixture.id / "tree", Path(given) / fixture.id / "tree"):
            if tree.is_dir():
                return name, build_sandbox(task, fixture, tree).data
    raise SystemExit("bench_agent: no fixture tree at hand: copperbench fixture get")


def run(archive: bytes, url: str, kicad: str) -> Spent:
    """One careful run in a sandbox of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log, shim = folder / "kicad.log", folder / "kicad-cli"
        (folder / "archive").write_bytes(archive)
        unpack_sandbox(folder / "archive", folder / "project")
        shim.write_text(_SHIM.format(kicad=kicad, log=log))
        shim.chmod(0o755)
        environment = {"PATH": os.environ["PATH"], "HOME": name, "COPPERHEAD_BASE_URL": url}
        environment |= {"COPPERBENCH_KICAD_CLI": str(shim), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", _PROGRAM, "--repo", str(folder / "project"), "--json", "do", "change it"]
        start = os.times().elapsed
        done = subprocess.run(
            [*command, "--model", "compat:careful"], env=environment, capture_output=True, text=True, check=True
        )
        wall = os.times().elapsed - start
        stats = json.loads(done.stdout)["stats"]
        spent = sum(seconds(line) for line in log.read_text().splitlines())
        waited = (stats["modelMs"] + stats["kicadMs"]) / 1000
        return Spent(float(done.stderr.rpartition("\n")[2]) - spent, spent, wall - waited)


def seconds(line: str) -> float:
    """The sum of a line of the shell's `times`: `0m1.2s 0m0.3s`."""
    parts = (part.removesuffix("s").partition("m") for part in line.split())
    return sum(60 * float(minutes) + float(rest) for minutes, _, rest in parts)


if __name__ == "__main__":
    sys.exit(main())
