"""`copperbench unseal` gives a reader of a verdict the files that it is about."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BOARD = "copperbench-ldo-sensor"


def unseal(place, out: Path) -> subprocess.CompletedProcess[str]:
    code = "from copperbench.cli import main; main()"
    command = [sys.executable, "-c", code, "unseal", place.name, "--out", str(out)]
    return subprocess.run(command, cwd=place.root, capture_output=True, text=True)


def test_start_and_end_differ_by_what_the_run_wrote(checkout, tmp_path):
    place = checkout.seal(writes={"NOTE.md": "done\n"})
    done = unseal(place, tmp_path / "look")
    assert done.returncode == 0, done.stderr
    compared = subprocess.run(["diff", "-rq", "start", "end"], cwd=tmp_path / "look", capture_output=True, text=True)
    assert compared.stdout == "Only in end: NOTE.md\n"


def test_the_board_of_the_fixture_is_among_the_files(checkout, tmp_path):
    unseal(checkout.seal(), tmp_path / "look")
    ours = checkout.root / "fixtures" / BOARD / "tree" / f"{BOARD}.kicad_sch"
    assert (tmp_path / "look/end" / f"{BOARD}.kicad_sch").read_bytes() == ours.read_bytes()


def test_evidence_that_changed_is_not_shown_as_the_runs(checkout, tmp_path):
    place = checkout.seal()
    (place.folder / "transcript.jsonl").write_text("{}\n")
    done = unseal(place, tmp_path / "look")
    assert (done.returncode, done.stderr.count("\n"), (tmp_path / "look").exists()) == (2, 1, False)
    assert "has changed since it was sealed" in done.stderr


def test_a_link_is_named_and_not_made_and_its_name_moves_no_terminal(checkout, tmp_path):
    done = unseal(checkout.seal(links={"a\x1b[2Jb": "/etc/passwd"}), tmp_path / "look")
    assert done.returncode == 0, done.stderr
    assert ("left out: 'a\\x1b[2Jb' (symlink)" in done.stderr, "\x1b" in done.stderr) == (True, False)
    assert not (tmp_path / "look/end/a\x1b[2Jb").is_symlink()


def test_a_folder_that_is_there_is_left_alone(checkout, tmp_path):
    (tmp_path / "look").mkdir()
    done = unseal(checkout.seal(), tmp_path / "look")
    assert (done.returncode, "exists already" in done.stderr) == (2, True)


def test_a_run_without_evidence_is_one_line(checkout, tmp_path):
    done = unseal(checkout.place(), tmp_path / "look")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
