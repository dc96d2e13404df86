"""The house keeps its shape: one-way imports, files of a readable size, no machine of ours in the text."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TRACKED = [
    ROOT / name
    for name in subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    .stdout.rstrip("\0")
    .split("\0")
]
SOURCES = [path for path in TRACKED if path.suffix == ".py" and path.is_file()]


def test_rooms_import_only_rooms_above_them():
    linter = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([linter], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("room", sorted(path.name for path in (ROOT / "copperbench").iterdir() if path.is_dir()))
def test_every_room_says_what_it_is_for(room):
    if room == "__pycache__":
        return
    text = (ROOT / "copperbench" / room / "__init__.py").read_text(encoding="utf-8")
    assert text.startswith('"""')


def test_no_source_file_outgrows_a_reader():
    long = {str(path.relative_to(ROOT)): n for path in SOURCES if (n := len(path.read_text().splitlines())) > 450}
    assert long == {}


def test_no_committed_file_names_a_registry_host():
    hosts = re.compile(
        "|".join(map(re.escape, ["pypi" + ".org", "python" + "hosted", "deb.debian" + ".org", "registry.npm" + "js"]))
    )
    assert [str(path) for path in TRACKED if path.is_file() and hosts.search(path.read_text(errors="replace"))] == []


def test_third_party_design_files_are_not_committed():
    ours = re.compile(r"fixtures/copperbench-[^/]+/tree/")
    trees = [path.relative_to(ROOT).as_posix() for path in TRACKED if "/tree/" in path.as_posix()]
    assert [name for name in trees if name.startswith("fixtures/") and not ours.match(name)] == []


def test_the_map_names_every_room():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = [path.parent.name for path in (ROOT / "copperbench").glob("*/__init__.py")]
    assert [room for room in rooms if f"`{room}/`" not in text] == []
