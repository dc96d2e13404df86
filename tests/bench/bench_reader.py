"""How fast the KiCad readers are, as ratios in one run: `python tests/bench/bench_reader.py [DEMOS]`.

DEMOS is the folder of KiCad's demo projects (default: KICAD_DEMOS, else /opt/kicad/usr/share/kicad/demos). Prints one
line for each promise, `ratio bound what`, and exits with 1 where one does not hold. Needs kicad-cli for two of them.
Times are processor times, children included, so that a busy machine measures the same as an idle one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import sexpdata

from copperbench.kicad import load_board
from copperbench.kicad.drawing_reader import read_tree

THOR = "jetson-agx-thor-baseboard/jetson-agx-thor-baseboard"
WREN = "vme-wren/vme-wren"
MEBIBYTE = 1024


def main() -> int:
    """Measure, print, and say whether every bound holds."""
    given = "".join(sys.argv[1:2]) or os.environ.get("KICAD_DEMOS") or "/opt/kicad/usr/share/kicad/demos"
    demos = Path(given)
    if not (demos / f"{THOR}.kicad_sch").exists():
        sys.stderr.write(f"{demos}: no KiCad demos there; KICAD_EXTRA=kicad-demos installs them\n")
        return 2
    kept = True
    for ratio, bound, what in measurements(demos):
        holds = ratio <= bound
        kept &= holds
        sys.stdout.write(f"{ratio:8.3f}  at most {bound:g}  {what}{'' if holds else '  MISSED'}\n")
    return 0 if kept else 1


def measurements(demos: Path) -> Iterator[tuple[float, float, str]]:
    """Each measured value, its bound, and what it is."""
    sheets = [path.read_bytes() for path in sorted((demos / THOR).parent.glob("*.kicad_sch"))]
    ours = seconds(lambda: [read_tree(data, "sheet") and None for data in sheets])
    theirs = seconds(lambda: [sexpdata.loads(data.decode()) and None for data in sheets], times=1)
    yield ours / theirs, 0.1, "reading Thor's schematic: time of sexpdata"
    if shutil.which("kicad-cli"):
        for name in (THOR, WREN):
            yield netlist_ratio(demos / f"{name}.kicad_sch"), 0.5, f"netlist of {Path(name).name}: time of kicad-cli"
    yield peak_mib(demos / f"{THOR}.kicad_sch"), 120, "peak memory of Thor's netlist, MiB"
    board = demos / f"{THOR}.kicad_pcb"
    ours = seconds(lambda: load_board(board), times=2)
    theirs = seconds(lambda: sexpdata.loads(board.read_text(encoding="utf-8")), times=1)
    yield ours / theirs, 0.1, "footprints and nets of Thor's board: time of sexpdata"


def netlist_ratio(root: Path) -> float:
    """Whole processes: `copperbench netlist --json` over `kicad-cli sch export netlist`, best of three."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "design")
        shutil.copytree(root.parent, copy, ignore=shutil.ignore_patterns("*.kicad_pcb", "*.step", "*.wrl"))
        sheet = str(copy / root.name)
        own = [str(Path(sys.executable).parent / "copperbench"), "netlist", sheet, "--json"]
        kicad = ["kicad-cli", "sch", "export", "netlist", "-o", f"{scratch}/netlist", sheet]
        variables = ("KICAD_CONFIG_HOME", "KICAD_DOCUMENTS_HOME", "KICAD_CACHE_HOME")
        environment = dict(os.environ) | dict.fromkeys(variables, scratch)

        def run(command: list[str]) -> None:
            subprocess.run(command, env=environment, check=True, capture_output=True)

        return seconds(lambda: run(own)) / seconds(lambda: run(kicad))


def peak_mib(root: Path) -> float:
    """Peak resident memory of a process that reads a schematic and makes its netlist, in MiB."""
    program = (
        "import resource, sys; from pathlib import Path; from copperbench.kicad import load_schematic, netlist;"
        "netlist(load_schematic(Path(sys.argv[1]))); print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    said = subprocess.run([sys.executable, "-c", program, str(root)], check=True, capture_output=True, text=True)
    return int(said.stdout) / MEBIBYTE


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least of several processor times that `work` takes, processes it starts included."""

    def spent() -> float:
        now = os.times()
        return now.user + now.system + now.children_user + now.children_system

    def once() -> float:
        start = spent()
        work()
        return spent() - start

    return min(once() for _ in range(times))


if __name__ == "__main__":
    sys.exit(main())
