"""`pip install .` gives both commands, whole: schemas, templates, prompts and completion, away from any checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the pinned tools that are installed."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([*build, str(root)], check=True, capture_output=True, text=True)
    return next(folder.glob("copperbench-*.whl"))


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of a fresh environment that has the wheel, and this one's dependencies by a path file."""
    folder = tmp_path_factory.mktemp("venv")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    install = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--quiet", "--no-deps"]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True, text=True)
    ours = next(Path(path) for path in sys.path if Path(path).name == "site-packages")
    (site / "dependencies.pth").write_text(f"{ours}\n")
    return folder / "bin"


def call(installed: Path, *command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [installed / command[0], *command[1:]], cwd=cwd, env=environment, capture_output=True, text=True
    )


def test_the_wheel_holds_every_schema(wheel: Path, root: Path):
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {f"copperbench/schema/{path.name}" for path in (root / "schema").iterdir()}
    assert wanted - set(names) == set()


def test_the_wheel_holds_every_file_of_the_package_that_is_no_code(wheel: Path, root: Path):
    listed = subprocess.run(["git", "ls-files", "copperbench"], cwd=root, capture_output=True, text=True, check=True)
    assert set(listed.stdout.splitlines()) - set(zipfile.ZipFile(wheel).namelist()) == set()


def test_the_wheel_carries_the_licence_and_the_notice(wheel: Path):
    names = {Path(name).name for name in zipfile.ZipFile(wheel).namelist() if "dist-info" in name}
    assert {"LICENSE", "NOTICE"} <= names


def test_an_installed_copperbench_reads_a_checkout_that_it_is_not_part_of(installed: Path, root: Path, tmp_path: Path):
    done = call(installed, "copperbench", "hash", str(root / "fixtures/copperbench-ldo-sensor/tree"), cwd=tmp_path)
    assert done.stdout.strip() in (root / "fixtures/copperbench-ldo-sensor/fixture.json").read_text()


def test_an_installed_copperbench_finds_its_schemas_and_templates(installed: Path, root: Path, tmp_path: Path):
    done = call(installed, "copperbench", "leaderboard", "--root", str(root), "--out", "page.md", cwd=tmp_path)
    assert (done.returncode, (tmp_path / "page.md").is_file()) == (0, True), done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_copperbench_completes_in_each_shell(installed: Path, tmp_path: Path, shell: str):
    done = call(installed, "copperbench", "--show-completion", shell, cwd=tmp_path)
    sign = {"bash": "COMPREPLY", "zsh": "compdef", "fish": "complete --command"}[shell]
    assert (done.returncode, "COPPERBENCH_COMPLETE" in done.stdout, sign in done.stdout) == (0, True, True), done.stderr


def test_completion_says_the_verbs(installed: Path, tmp_path: Path):
    script = call(installed, "copperbench", "--show-completion", "bash", cwd=tmp_path).stdout
    asked = "COMP_WORDS=(copperbench rep); COMP_CWORD=1; _copperbench_completion copperbench; echo ${COMPREPLY[@]}"
    environment = os.environ | {"PATH": f"{installed}:{os.environ['PATH']}"}
    said = subprocess.run(["bash", "-c", f"{script}\n{asked}"], env=environment, capture_output=True, text=True)
    assert said.stdout.split() == ["reproduce"]


def test_the_agents_completion_knows_its_commands_and_their_options(installed: Path, tmp_path: Path):
    script = call(installed, "copperbench-agent", "--show-completion", "bash", cwd=tmp_path).stdout
    asked = 'COMP_WORDS=(copperbench-agent --json do --max-t); COMP_CWORD=3; _copperbench_agent; echo "${COMPREPLY[@]}"'
    said = subprocess.run(["bash", "-c", f"{script}\n{asked}"], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["--max-turns", "--max-tokens"]
