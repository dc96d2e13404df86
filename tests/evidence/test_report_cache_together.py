"""The cache of KiCad's reports under many hands: processes at the same designs while somebody deletes the folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from copperbench.evidence.report_cache import ReportCache
from copperbench.kicad import Report, Violation

PROCESSES, ROUNDS, DESIGNS = 5, 120, 4
_WORKER = """
import sys
from pathlib import Path
from copperbench.evidence.report_cache import ReportCache
from copperbench.kicad import Report, Violation

folder, rounds, designs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
cache, made = ReportCache(folder, "10.0.6"), 0

def about(design):
    def make():
        global made
        made += 1
        return Report("erc", "10.0.6", (Violation("x", "error", "/", f"of design {design} " + "y" * 5000),), (), ())
    return make

for each in range(rounds):
    design = each % designs
    found = cache.report("erc", f"key-{design}", about(design)).violations[0].description
    assert found == f"of design {design} " + "y" * 5000, found[:60]
print(made)
"""


def start(folder: Path, rounds: int = ROUNDS) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _WORKER, str(folder), str(rounds), str(DESIGNS)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_many_processes_get_the_right_report_while_the_cache_is_deleted_again_and_again(tmp_path):
    folder, over = tmp_path / "cache", threading.Event()

    def delete():
        while not over.is_set():
            shutil.rmtree(folder, ignore_errors=True)

    deleting = threading.Thread(target=delete)
    deleting.start()
    try:
        ended = [
            (process.communicate()[1], process.returncode) for process in [start(folder) for _ in range(PROCESSES)]
        ]
    finally:
        over.set()
        deleting.join()
    assert ended == [("", 0)] * PROCESSES


def test_many_processes_share_what_was_made(tmp_path):
    first = start(tmp_path / "cache")
    assert first.communicate()[0].strip() == str(DESIGNS)
    others = [start(tmp_path / "cache") for _ in range(PROCESSES)]
    assert [process.communicate()[0].strip() for process in others] == ["0"] * PROCESSES


@pytest.mark.parametrize("obstacle", ["a file", "a name too long"])
def test_a_cache_that_cannot_be_written_costs_the_call_and_nothing_else(tmp_path, obstacle):
    folder = tmp_path / ("cache" if obstacle == "a file" else "c" * 300)
    if obstacle == "a file":
        folder.write_text("in the way")
    made = Report("erc", "10.0.6", (Violation("x", "error", "/", "y"),), (), ())
    assert ReportCache(folder, "10.0.6").report("erc", "key", lambda: made) == made
