"""The stranger's path: a fresh clone, no key, no network, no kicad-cli, and every published campaign is identical."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAIN = "from copperbench.cli import main; main()"


def published() -> list[str]:
    """The campaigns that are committed."""
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", "HEAD", "results/"], cwd=ROOT, capture_output=True, text=True
    )
    return [name for name in listed.stdout.split() if re.fullmatch(r"results/\d{4}-\d\d-\d\d", name)]


CAMPAIGNS = published()
pytestmark = [
    pytest.mark.skipif(not CAMPAIGNS, reason="no campaign is committed (`make campaign` makes one)"),
    pytest.mark.xdist_group("stranger"),
]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stranger") / "copperbench"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def isolated(clone: Path, tmp_path_factory: pytest.TempPathFactory):
    """Run Python in the clone, in a network namespace of its own with nothing in it, and with no program on PATH."""
    unshare = shutil.which("unshare")
    prefix = [unshare, "--map-root-user", "--net"] if unshare else []
    if not unshare or subprocess.run([*prefix, sys.executable, "-c", ""], capture_output=True).returncode != 0:
        pytest.skip("needs unshare and the right to make a network namespace")
    empty = str(tmp_path_factory.mktemp("empty"))
    bare = {"PATH": empty, "HOME": empty, "TMPDIR": empty, "PYTHONPATH": str(clone), "PYTHONDONTWRITEBYTECODE": "1"}

    def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*prefix, sys.executable, "-c", code, *arguments]
        return subprocess.run(command, cwd=clone, env=bare, capture_output=True, text=True)

    return run


@pytest.fixture(scope="module", params=CAMPAIGNS)
def reproduced(isolated, request: pytest.FixtureRequest) -> subprocess.CompletedProcess[str]:
    return isolated(MAIN, "reproduce", request.param)


def test_there_is_no_network_where_the_stranger_stands(isolated):
    done = isolated("import socket; socket.create_connection(('127.0.0.1', 9), 1)")
    assert "Network is unreachable" in done.stderr


def test_a_published_campaign_is_identical(reproduced):
    assert reproduced.stdout.splitlines()[-1:] == ["identical"], reproduced.stdout + reproduced.stderr


def test_nothing_of_the_clone_is_changed_by_it(reproduced, clone: Path):
    said = subprocess.run(["git", "status", "--porcelain"], cwd=clone, capture_output=True, text=True, check=True)
    assert said.stdout == ""


@pytest.mark.parametrize("campaign", CAMPAIGNS)
def test_a_published_campaign_says_what_it_is_made_of(clone: Path, campaign: str):
    records = list((clone / campaign).glob("*/*/run-*.json"))
    assert records
    text = (clone / campaign / "README.md").read_text()
    assert "No model was asked" in text


def test_no_published_file_names_the_machine_that_made_it(clone: Path):
    texts = [path for path in (clone / "results").rglob("*") if path.suffix in (".json", ".jsonl", ".md")]
    places = re.compile(rf"{re.escape(str(Path.home()))}/|/tmp/|/home/")
    assert [str(path) for path in texts if places.search(path.read_text())] == []
