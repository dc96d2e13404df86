"""What a seal costs: the difference to the fixture's own file, however big that is."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.sandbox import build_sandbox, open_seal, seal_run, unpack_sandbox
from copperbench.suite import load_suite

OWN, MICROPHONE = "copperbench-sensor-hub", "antmicro-microphone-board"


@pytest.fixture(params=[OWN, MICROPHONE])
def board(request, root) -> tuple[str, Path]:
    """A fixture and its tree: one of our own, and one from the folder of third-party boards where that is there."""
    if request.param == OWN:
        return OWN, root / "fixtures" / OWN / "tree"
    return request.param, request.getfixturevalue("shared") / "fixtures" / request.param / "tree"


@pytest.mark.parametrize("suffix", [".kicad_sch", ".kicad_pcb"])
def test_a_one_line_edit_of_the_biggest_sheet_and_layout_costs_kilobytes(board, suffix, root, facts, tmp_path):
    name, tree = board
    suite = load_suite(root)
    fixture = suite.fixture(name)
    task = next(task for task in map(suite.task, suite.task_ids()) if task.fixture_id == name)
    archive, box, run = tmp_path / "start.tar.zst", tmp_path / "box", tmp_path / "results/2026-12-31/m/t/run-1"
    archive.write_bytes(build_sandbox(replace(task, seed=()), fixture, tree).data)
    unpack_sandbox(archive, box)
    sheet = max(box.rglob(f"*{suffix}"), key=lambda path: path.stat().st_size)
    text = sheet.read_bytes()
    sheet.write_bytes(re.sub(rb"\n([ \t]*\(uuid \"?)[0-9a-f]{8}", rb"\n\g<1>00c0ffee", text, count=1))
    assert sheet.read_bytes() != text
    seal_run(run, facts, box, archive, tree, b"{}\n")
    size = (run / "end-state.tar.zst").stat().st_size
    assert open_seal(run).read_end(sheet.relative_to(box).as_posix(), tree) == sheet.read_bytes()
    assert size < 64 * 1024
