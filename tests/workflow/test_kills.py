"""A verb that Snakemake started is killed, alone or with Snakemake itself: the next call goes on where it was.

The kill comes before a chosen step of the verb that touches what it publishes, so it falls where it should whatever
the machine does.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.sandbox import open_seal, read_sandbox

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow-kills")]
SHIM = '''#!{python}
"""copperbench, killed once at a step of a verb; it counts the steps where there is none to be killed at."""
import os, signal, sys
from pathlib import Path

verb, at, group = os.environ["KILL_VERB"], int(os.environ["KILL_AT"]), os.environ["KILL_GROUP"] == "1"
told = Path(os.environ["KILL_TOLD"])
steps = 0


def note(event, args):
    global steps, at
    words = " ".join(map(str, args))
    steps += event.startswith(("open", "os.")) and ("results/" in words or "build/sandboxes" in words)
    if steps == at and steps:
        at = -1  # what follows is noted too
        told.touch()
        if group:
            os.killpg(0, signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


if verb in ("any", *sys.argv[1:2]) and not told.exists():
    sys.addaudithook(note)
from copperbench.cli import main

try:
    main()
finally:
    if at == 0 and steps:
        told.with_suffix(f".{{sys.argv[1]}}").write_text(str(steps))
'''


class Deadly:
    """A project whose `copperbench` is a shim that is killed."""

    def __init__(self, project, place: Path) -> None:
        self.project, self.told = project, place / "told"
        shim = place / "bin/copperbench"
        shim.parent.mkdir()
        shim.write_text(SHIM.format(python=sys.executable))
        shim.chmod(0o755)
        self.path = f"{shim.parent}{os.pathsep}{project.environment['PATH']}"

    def snakemake(self, verb: str, at: int, *, group: bool = False) -> int:
        """`snakemake leaderboard` in a process group of its own; its exit code."""
        wish = {"KILL_VERB": verb, "KILL_AT": str(at), "KILL_GROUP": str(int(group)), "KILL_TOLD": str(self.told)}
        done = subprocess.run(
            ["snakemake", "leaderboard", "--config", "kicad_cli=/nonexistent"],
            cwd=self.project.folder,
            env=self.project.environment | {"PATH": self.path} | wish,
            capture_output=True,
            check=False,
            start_new_session=True,
        )
        return done.returncode


VERBS = ("sandbox", "run", "score")


@pytest.fixture(scope="module")
def steps(campaign, tmp_path_factory) -> dict[str, int]:
    """How many steps each verb takes, by a campaign that is not killed."""
    place = tmp_path_factory.mktemp("counted")
    shutil.copytree(campaign.folder, place / "project", symlinks=True)
    for made in ("results", "build", ".snakemake"):
        shutil.rmtree(place / "project" / made)
    deadly = Deadly(replace(campaign, folder=place / "project"), place)
    assert deadly.snakemake("any", 0) == 0
    return {verb: int(deadly.told.with_suffix(f".{verb}").read_text()) for verb in VERBS}


@pytest.mark.parametrize("group", [False, True], ids=["the verb alone", "with Snakemake"])
@pytest.mark.parametrize(("verb", "part"), [("sandbox", 0.6), ("run", 0.3), ("run", 0.9), ("score", 0.5)])
def test_a_killed_verb_loses_nothing_and_the_next_call_goes_on(project, steps, tmp_path, verb, part, group):
    deadly = Deadly(project, tmp_path)
    assert deadly.snakemake(verb, max(1, int(steps[verb] * part)), group=group) == (-signal.SIGKILL if group else 1)
    assert deadly.told.exists()
    sealed, performed = project.runs(), project.performed()
    hold(project.folder)
    if group:
        project.snakemake("--unlock")
    assert deadly.snakemake(verb, 0) == 0
    after = project.runs()
    assert {path: after[path] for path in sealed} == sealed
    assert project.performed() - performed == len(after) - len(sealed)
    assert {path.name for path in (project.folder / "results").rglob(".*")} == set()
    assert (project.record("gold").exists(), project.record("noop").exists()) == (True, True)


def hold(folder: Path) -> None:
    """What a kill left under results/ and of the archives is whole."""
    for path in folder.glob("results/*/*/*/run-*/run.json"):
        open_seal(path.parent)
    for path in folder.glob("results/*/*/*/run-*.json"):
        assert isinstance(json.loads(path.read_bytes()), dict)
    for path in folder.glob("build/sandboxes/*/*.tar.zst"):
        assert read_sandbox(path).info.task_id
