"""Every bench, one after the other, into docs/performance.md and docs/performance-history.jsonl.

    python tests/bench/bench_speed.py [DEMOS] [--small]

DEMOS is the folder of KiCad's demo boards. Each bench runs in a process of its own and prints lines of
`value  at most bound  what`. Exit code 1 where a promise is not kept. --small tries all of it at sizes that say
nothing, and writes into build/bench/ instead.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

from copperbench.kicad import find_kicad_cli
from copperbench.publish import marked

ROOT = Path(__file__).resolve().parents[2]
PAGE, HISTORY = "performance.md", "performance-history.jsonl"
LINE = re.compile(r"\s*(?P<value>-?[\d.]+)\s+(?:at most (?P<bound>\S+)\s+)?(?P<what>.+?)(?:\s+MISSED)?\s*")
BENCHES = {
    "bench_reader.py": "Reading KiCad, beside sexpdata and kicad-cli",
    "bench_agent.py": "The reference harness",
    "bench_reports.py": "Reports of big campaigns",
    "bench_workflow.py": "Planning, grading and running",
}
PEERS = ("snakemake", "sexpdata", "dulwich", "jsonschema", "zstandard", "numpy")
_SHOWN_BEFORE = 5


@dataclass(frozen=True)
class Value:
    """One line of a bench."""

    bench: str
    what: str
    value: float
    bound: float | None

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return self.bound is None or self.value <= self.bound


def measure(bench: str, arguments: Sequence[str]) -> list[Value]:
    """Run a bench and read what it prints; what it says besides goes to stderr."""
    command = [sys.executable, str(ROOT / "tests/bench" / bench), *arguments]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, cwd=ROOT).stdout
    sys.stdout.write(said)
    matches = [LINE.fullmatch(line) for line in said.splitlines()]
    values = [
        Value(bench, match["what"], float(match["value"]), float(match["bound"]) if match["bound"] else None)
        for match in matches
        if match
    ]
    return values or [Value(bench, "the bench did not come to an end", 1.0, 0.0)]


def machine() -> dict[str, str]:
    """What the figures were measured on, without any name or address."""
    model = re.search(r"model name\s*:\s*(.+)", _read(Path("/proc/cpuinfo")))
    kicad = find_kicad_cli()
    facts = {"processor": model[1] if model else platform.machine(), "cores": str(os.cpu_count())}
    facts |= {"system": f"{platform.system()} {platform.release()}", "python": platform.python_version()}
    facts["kicad-cli"] = kicad.version if kicad else "none"
    return facts | {name: version(name) for name in PEERS}


def history(folder: Path) -> list[dict[str, object]]:
    """The measurements so far, oldest first."""
    return [json.loads(line) for line in _read(folder / HISTORY).splitlines() if line]


def page(values: Sequence[Value], facts: dict[str, str], day: str, before: Sequence[dict[str, object]]) -> str:
    """The page: the machine, every value with its bound, and the median of the measurements before."""
    lines = [
        "# Performance",
        "",
        f"Written by `make bench-speed` on {day}; do not edit. Processor times count the children;",
    ]
    lines += ["wall-clock figures mean something on a quiet machine alone. Ratios hold from machine to machine.", ""]
    lines += [", ".join(f"{name} {value}" for name, value in facts.items()) + ".", ""]
    for bench, title in BENCHES.items():
        lines += [f"## {title}", "", f"`tests/bench/{bench}`", ""]
        lines += ["| measured | value | at most | holds | median before |", "|---|---|---|---|---|"]
        for each in (value for value in values if value.bench == bench):
            bound = "" if each.bound is None else f"{each.bound:g}"
            holds = "" if each.bound is None else "yes" if each.holds else "**no**"
            lines.append(f"| {each.what} | {each.value:g} | {bound} | {holds} | {_median(each, before)} |")
        lines.append("")
    return "\n".join(lines)


def _median(value: Value, before: Sequence[dict[str, object]]) -> str:
    key = f"{value.bench}: {value.what}"
    known = [float(str(figures[key])) for each in before if key in (figures := dict(each["values"]))]  # type: ignore[call-overload]
    return f"{median(known[-_SHOWN_BEFORE:]):g}" if known else ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def write(values: Sequence[Value], folder: Path) -> None:
    """Write the page, and add a line to the history."""
    day, facts = datetime.now(UTC).date().isoformat(), machine()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text(marked(page(values, facts, day, history(folder))), encoding="utf-8")
    figures = {f"{value.bench}: {value.what}": value.value for value in values}
    with (folder / HISTORY).open("a", encoding="utf-8") as file:
        file.write(json.dumps({"day": day, "machine": facts, "values": figures}, sort_keys=True) + "\n")


def main() -> int:
    """Measure, write page and history."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("demos", nargs="?", default="")
    parser.add_argument("--small", action="store_true")
    given = parser.parse_args()
    arguments = {
        "bench_reader.py": [given.demos],
        "bench_agent.py": [],
        "bench_reports.py": ["20"] if given.small else [],
        "bench_workflow.py": [*(["--small"] if given.small else []), given.demos],
    }
    values = [value for bench in BENCHES for value in measure(bench, arguments[bench])]
    write(values, ROOT / ("build/bench" if given.small else "docs"))
    return 0 if all(value.holds for value in values) else 1


if __name__ == "__main__":
    sys.exit(main())
