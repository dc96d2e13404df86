"""The committed leaderboard is the one that the committed records give, and the one in the folder is no hand's work."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_leaderboard_is_what_the_committed_records_give(project):
    committed = subprocess.run(["git", "show", ":LEADERBOARD.md"], cwd=ROOT, capture_output=True, check=True).stdout
    (project.folder / "LEADERBOARD.md").write_bytes(committed)
    project.call("git", "init", "-q")
    records = ["git", "ls-files", ":(glob)results/*/*/*/run-*.json"]
    listed = subprocess.run(records, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        target = project.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(subprocess.run(["git", "show", f":{name}"], cwd=ROOT, capture_output=True).stdout)
    result = project.call("copperbench", "leaderboard", "--check", ok=False)
    assert result.returncode == 0, f"{result.stderr}(a clean clone's `copperbench leaderboard` writes the right page)"


def test_the_leaderboard_in_the_folder_is_the_committed_one_or_that_of_the_records_here():
    committed = subprocess.run(["git", "show", ":LEADERBOARD.md"], cwd=ROOT, capture_output=True, check=True).stdout
    if (ROOT / "LEADERBOARD.md").read_bytes() != committed:
        command = [Path(sys.executable).with_name("copperbench"), "leaderboard", "--check"]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
