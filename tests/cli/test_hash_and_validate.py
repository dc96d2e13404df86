"""The promises of `copperbench hash` and `copperbench validate` as a user meets them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BOARD = "fixtures/copperbench-ldo-sensor"
HASH = "bc3cff4dda5d81301500888ab3de74ee1fcd516b7f69924bb923a3a3763190f8"


def copperbench(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from copperbench.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A checkout with our one-sheet board and no task."""
    folder = tmp_path / "checkout"
    shutil.copytree(root / "config", folder / "config")
    shutil.copytree(root / BOARD, folder / BOARD)
    shutil.copy(root / "NOTICE", folder / "NOTICE")
    return folder


def edit_manifest(checkout: Path, **scale: object) -> None:
    path = checkout / BOARD / "fixture.json"
    value = json.loads(path.read_text())
    value["scale"].update(scale)
    path.write_text(json.dumps(value))


def test_hash_prints_the_hash_alone(checkout):
    assert copperbench("hash", f"{BOARD}/tree", cwd=checkout).stdout == f"{HASH}\n"


def test_hash_check_passes_on_a_true_copy(checkout):
    done = copperbench("hash", "--check", BOARD, cwd=checkout)
    assert (done.returncode, done.stdout) == (0, f"{HASH}\n")


def test_hash_check_names_both_hashes_and_exits_1(checkout):
    (checkout / BOARD / "tree/extra").write_text("x")
    done = copperbench("hash", "--check", BOARD, cwd=checkout)
    assert (done.returncode, done.stdout, f"expected {HASH}, found " in done.stderr) == (1, "", True)


@pytest.mark.parametrize(
    "arguments", [["hash", "nowhere"], ["hash", "--check", "nowhere"], ["hash"], ["validate", "nowhere"]]
)
def test_bad_usage_is_exit_code_2_and_nothing_on_stdout(checkout, arguments):
    done = copperbench(*arguments, cwd=checkout)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False)


def test_a_sound_fixture_is_silent(checkout):
    done = copperbench("validate", BOARD, cwd=checkout)
    assert (done.returncode, done.stdout) == (0, "")


def test_findings_are_lines_on_stdout_and_exit_code_1(checkout):
    edit_manifest(checkout, symbols=99)
    done = copperbench("validate", BOARD, cwd=checkout)
    assert (done.returncode, done.stdout.startswith(f"{BOARD}/fixture.json: $.scale.symbols: 99 is not what")) == (
        1,
        True,
    )


def test_a_net_that_the_board_does_not_have_is_found(checkout):
    edit_manifest(checkout, signalNets=["NO_SUCH_NET"])
    done = copperbench("validate", BOARD, cwd=checkout)
    assert "$.scale.signalNets: NO_SUCH_NET: no net of the schematic has this name" in done.stdout


def test_a_fixture_schematic_that_cannot_be_read_is_one_finding(checkout):
    manifest = json.loads((checkout / BOARD / "fixture.json").read_text())
    sheet = checkout / BOARD / "tree" / manifest["artifacts"]["schematic"]
    sheet.write_text(f"(kicad_sch (version {manifest['kicad']['fileFormatVersion']})\n")
    manifest["sha256"] = copperbench("hash", f"{BOARD}/tree", cwd=checkout).stdout.strip()
    (checkout / BOARD / "fixture.json").write_text(json.dumps(manifest))
    done = copperbench("validate", BOARD, cwd=checkout)
    (line,) = done.stdout.splitlines()
    assert (done.returncode, line.endswith("refuse this board (STANDARD 13) [schematic]")) == (1, True)


def test_json_says_findings_and_what_was_skipped(checkout):
    shutil.rmtree(checkout / BOARD / "tree")
    said = json.loads(copperbench("validate", "--json", BOARD, cwd=checkout).stdout)
    assert [finding["rule"] for finding in said["findings"]] == ["tree"]


def test_an_unreadable_suite_is_one_line_on_stderr(checkout):
    (checkout / "config/suite.yaml").write_text("suiteVersion: 1\n")
    done = copperbench("validate", cwd=checkout)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_lock_is_written_once_and_kept(checkout):
    (checkout / "config/suite.lock").unlink(missing_ok=True)
    copperbench("validate", "--write-lock", cwd=checkout)
    first = (checkout / "config/suite.lock").read_bytes()
    copperbench("validate", "--write-lock", cwd=checkout)
    assert (checkout / "config/suite.lock").read_bytes() == first


def test_a_forgotten_bump_stops_the_lock_from_being_written(checkout):
    (checkout / "config/suite.lock").unlink(missing_ok=True)
    copperbench("validate", "--write-lock", cwd=checkout)
    edit_manifest(checkout, symbols=99)
    done = copperbench("validate", "--write-lock", cwd=checkout)
    assert (done.returncode, "fixture copperbench-ldo-sensor changed since suiteVersion" in done.stderr) == (2, True)
