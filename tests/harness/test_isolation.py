"""What a confined agent sees: its sandbox, its harness and the network, and nothing of the benchmark."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from copperbench.errors import HarnessUnavailable
from copperbench.harness import isolation
from copperbench.harness.isolation import Confinement, confinement

HIDDEN = ("solutions", "results", "superseded", "quarantine", "fixtures", "tasks", "build/sandboxes", "briefs", ".git")


@dataclass(frozen=True)
class Around:
    """The surroundings of a run, as the adapter makes them."""

    folder: Path
    environment: Mapping[str, str]


class World:
    """A checkout with something to find, a sandbox, and surroundings; `run` says what a confined command prints."""

    def __init__(self, place: Path) -> None:
        self.checkout, self.sandbox, self.private = place / "checkout", place / "sandbox", place / "private"
        for folder in HIDDEN:
            (self.checkout / folder).mkdir(parents=True)
            (self.checkout / folder / "found.txt").write_text("the answer")
        for folder in (self.sandbox, self.private / "work", self.private / "home"):
            folder.mkdir(parents=True)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.private / "home")}

    def confined(self, *visible: Path) -> Confinement:
        found = confinement("auto", self.checkout, visible)
        if found is None:
            pytest.skip("needs bubblewrap (workflow/scripts/install_bwrap.sh) and the right to make namespaces")
        return found

    def run(self, *argv: str, by: Confinement | None = None) -> subprocess.CompletedProcess[str]:
        wrapped = (by or self.confined())(argv, self.sandbox, Around(self.private / "work", self.environment))
        return subprocess.run(
            wrapped, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
        )

    def shell(self, script: str, by: Confinement | None = None) -> str:
        return self.run("/bin/sh", "-c", script, by=by).stdout.strip()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def unconfined(world: World, script: str) -> str:
    return subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize("folder", HIDDEN)
def test_a_confined_agent_cannot_read_the_checkout(world, folder):
    script = f"cat {world.checkout}/{folder}/found.txt"
    assert (unconfined(world, script), world.shell(script)) == ("the answer", "")


@pytest.mark.parametrize("folder", HIDDEN)
def test_no_way_round_leads_into_the_checkout(world, folder):
    """By a link, by a file handle of the runner, by the runner's own root: what a prisoner would try."""
    (world.sandbox / "way").symlink_to(world.checkout / folder)
    (world.sandbox / "answer").symlink_to(world.checkout / folder / "found.txt")
    script = f"cat way/found.txt answer {world.sandbox}/way/found.txt /proc/*/root{world.checkout}/{folder}/found.txt"
    assert "the answer" in unconfined(world, f"cd {world.sandbox}; {script}")
    assert world.shell(f"cd {world.sandbox}; {script}") == ""


def test_the_operators_home_is_out_of_sight(world):
    found = [path for path in Path.home().iterdir() if path.is_file() and os.access(path, os.R_OK)]
    if not found:
        pytest.skip("there is no file in the home of this user")
    assert world.run("cat", str(found[0])).returncode != 0


def test_the_variables_of_the_runner_are_not_to_be_read(world, monkeypatch):
    monkeypatch.setenv("COPPERBENCH_OTHER_KEY", "planted-value")
    assert "planted-value" not in world.shell("cat /proc/*/environ; env")


def test_other_runs_in_temporary_folders_are_out_of_sight(world, tmp_path):
    (tmp_path / "copperbench-run-other").mkdir()
    seen = world.shell(f"ls {tmp_path}")
    assert "copperbench-run-other" not in seen


def test_a_confined_agent_writes_in_its_sandbox(world):
    world.shell(f"echo written > {world.sandbox}/file")
    assert (world.sandbox / "file").read_text() == "written\n"


@pytest.mark.parametrize("place", ["/usr/x", "/etc/x", "/opt/x"])
def test_a_confined_agent_cannot_change_the_system(world, place):
    assert world.run("/bin/sh", "-c", f"touch {place}").returncode != 0


def test_a_confined_agent_sees_no_process_but_its_own(world):
    assert str(os.getpid()) not in world.shell("ls /proc").split()


def test_a_confined_agent_reaches_the_network(world):
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=server.handle_request, daemon=True).start()
    code = f"import socket; print(socket.create_connection(('127.0.0.1', {server.server_port}), 5).getpeername()[0])"
    assert world.run(sys.executable, "-c", code).stdout.strip() == "127.0.0.1"
    server.server_close()


def test_our_own_harness_runs_confined(world, root):
    command = Path(sys.executable).parent / "copperbench-agent"
    if not command.exists():
        pytest.skip("the reference harness is not installed beside this interpreter")
    done = world.run(str(command), "--version")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_harness_in_the_checkout_shows_nothing_else_of_it(world, root):
    here = Confinement(world.confined().bwrap, root)
    done = world.run(sys.executable, "-c", "import copperbench.agent, os; print(os.getcwd())", by=here)
    assert done.stdout.strip() == str(world.private / "work")
    assert world.shell(f"ls {root}/solutions {root}/tasks", by=here) == ""


def test_a_checkout_inside_what_a_harness_needs_is_hidden_all_the_same(world, tmp_path):
    assert world.shell(f"cat {world.checkout}/solutions/found.txt", by=world.confined(tmp_path)) == ""


def test_a_saved_login_is_seen_and_the_checkout_in_its_home_is_not(world, tmp_path):
    (tmp_path / "login").write_text("logged in")
    world.environment["HOME"] = str(tmp_path)
    assert world.shell(f"cat {tmp_path}/login {world.checkout}/solutions/found.txt") == "logged in"


def test_the_exit_code_is_the_commands_own(world):
    assert world.run("/bin/sh", "-c", "exit 7").returncode == 7


def test_none_is_none(world):
    assert confinement("none", world.checkout) is None


def test_without_bubblewrap_auto_is_none_and_bwrap_is_an_error_that_says_so(world, monkeypatch):
    monkeypatch.setattr(isolation.shutil, "which", lambda _: None)
    assert confinement("auto", world.checkout) is None
    with pytest.raises(HarnessUnavailable, match="bwrap is not on PATH; install bubblewrap"):
        confinement("bwrap", world.checkout)


def test_a_bubblewrap_that_may_not_make_namespaces_says_so(world, monkeypatch, tmp_path):
    false = tmp_path / "bwrap"
    false.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    false.chmod(0o755)
    monkeypatch.setattr(isolation.shutil, "which", lambda _: str(false))
    with pytest.raises(HarnessUnavailable, match="No permissions to create new namespace"):
        confinement("bwrap", world.checkout)
