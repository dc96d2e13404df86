"""Killed before any step that it takes, each of our processes loses nothing finished and leaves nothing half done.

A process is killed at a chosen step (a file opened, a name made or changed, a program started), counted inside the
phase in question, so the kills cover every phase evenly whatever the machine does. Then everything that was
published has to be there unchanged, and the same command, given again, has to end as if nothing had happened.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from copperbench.harness import RunOrder, carry_out, perform, performer, running
from copperbench.kicad import find_kicad_cli
from copperbench.publish import publish
from copperbench.records import read_record, record_place, score
from copperbench.records.models import Record
from copperbench.records.score import Scorer
from copperbench.sandbox import build_sandbox, open_seal, read_sandbox
from copperbench.suite import Suite, load_suite

TASK = "do-raise-led-resistor"
PHASES = ("sandbox", "run", "seal", "verify", "score", "publish", "supersede")
KILLS_PER_ROUND = {"run": 1, "publish": 1, "supersede": 1}  # elsewhere four on one run, each going on after the other
_REPLACING = re.compile(r"\.run-\d+\.json\.[0-9a-f]{8}")
"""A whole new record on the way to its place: the one name that a kill may leave, until the next call."""

EVENTS = ("open", "os.", "shutil.", "tempfile.", "fcntl.", "subprocess.Popen")


@dataclass
class Killer:
    """Counts the steps of one phase in this process, and kills it before the step numbered `at`."""

    phase: str
    at: int
    depth: dict[str, int] = field(default_factory=dict)
    steps: int = 0

    def watch(self) -> None:
        sys.addaudithook(lambda event, _: self.note(event))
        self.wrap(running, "seal_run", "seal")
        self.wrap(score, "verify", "verify")
        self.wrap(score, "publish_record", "publish")

    def wrap(self, module: object, name: str, phase: str) -> None:
        original = getattr(module, name)

        def within(*args: object, **named: object) -> object:
            with self.within(phase):
                return original(*args, **named)

        setattr(module, name, within)

    @contextmanager
    def within(self, phase: str) -> Iterator[None]:
        """A phase lasts until its function returns; what it calls in another phase does not count."""
        before = dict(self.depth)
        self.depth = {phase: 1}
        try:
            yield
        finally:
            self.depth = before

    def note(self, event: str) -> None:
        if self.phase in self.depth and event.startswith(EVENTS):
            self.steps += 1
            if self.steps == self.at:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Bench:
    """A folder for results, and the commands that are killed: build, run, score, and score under a new version."""

    suite: Suite
    folder: Path
    scratch: Path

    @property
    def archive(self) -> Path:
        return self.folder / "build/sandboxes/builtin/start.tar.zst"

    def commands(self, repeat: int, phase: str) -> dict[str, Callable[[], object]]:
        """What leads to a finished record, in order; every one may be given any number of times."""
        task = self.suite.task(TASK)
        fixture = self.suite.fixture(task.fixture_id)
        fixtures = self.suite.root / "fixtures"
        who = performer(self.suite, TASK, "harness-gold")
        assert who is not None
        place = record_place(Path(f"results/2026-01-02/harness-gold/{TASK}/run-{repeat}.json"), self.folder)
        order = RunOrder(place, who, self.archive, self.suite.version, fixtures=fixtures)
        cli = find_kicad_cli() if phase == "verify" else None
        later = replace(self.suite, version="99.0.0")
        return {
            "sandbox": lambda: publish(self.archive, build_sandbox(task, fixture, fixtures / fixture.id / "tree").data),
            "run": lambda: carry_out(order, self.suite, perform),
            "score": lambda: Scorer(self.suite, fixtures, cli).score(place),
            "supersede": lambda: Scorer(later, fixtures, cli).score(place),
        }

    def killed(self, phase: str, repeat: int, at: int) -> int:
        """Give the command of a phase in a process that is killed at a step; how many steps there were if it was not.

        -1 where it was killed.
        """
        told, teller = os.pipe()
        child = os.fork()
        if child == 0:
            self._be_killed(phase, repeat, at, teller)
        os.close(teller)
        _, status = os.waitpid(child, 0)
        with os.fdopen(told, "rb") as pipe:
            steps = pipe.read()
        if os.WIFSIGNALED(status):
            return -1
        assert os.WEXITSTATUS(status) == 0, "the command failed by itself"
        return int(steps)

    def _be_killed(self, phase: str, repeat: int, at: int, teller: int) -> None:
        try:
            tempfile.tempdir = str(self.scratch)
            killer = Killer("publish" if phase == "supersede" else phase, at)
            command = {"sandbox": "sandbox", "run": "run", "seal": "run", "supersede": "supersede"}.get(phase, "score")
            commands = self.commands(repeat, phase)
            killer.watch()
            with killer.within(command if command != "supersede" else "score"):
                commands[command]()
            os.write(teller, str(killer.steps).encode())
            os._exit(0)
        finally:
            os._exit(1)

    def published(self) -> dict[Path, bytes]:
        """Everything under results/ and superseded/ that has a name of its own."""
        files = [*self.folder.glob("results/**/*"), *self.folder.glob("superseded/**/*")]
        return {path: path.read_bytes() for path in files if path.is_file() and not path.name.startswith(".")}

    def hidden(self) -> list[str]:
        return [path.name for path in self.folder.rglob(".*") if path.is_file()]


@pytest.fixture
def bench(root: Path, tmp_path: Path) -> Bench:
    folder, scratch = tmp_path / "checkout", tmp_path / "scratch"
    for each in (folder, scratch):
        each.mkdir()
    made = Bench(load_suite(root), folder, scratch)
    made.commands(1, "")["sandbox"]()
    return made


def kill_all_over(bench: Bench, phase: str, kills: int) -> int:
    """Kill at that many steps spread over a phase, holding after each that nothing was lost or left half done."""
    for repeat in (1, 2):  # the first makes the folders, which is no step of later ones
        prepare(bench, phase, repeat)
        steps = bench.killed(phase, repeat, at=0)
        finish(bench, phase, repeat)
    assert steps >= 5, f"{phase} is watched"
    whole = {path.name: path.read_bytes() for path in bench.published() if path.parent.name == "run-1"}
    done, each_round = 0, KILLS_PER_ROUND.get(phase, 4)
    for number in range(kills):
        repeat = 3 + number // each_round
        if number % each_round == 0:
            prepare(bench, phase, repeat)
        before = bench.published()
        done += bench.killed(phase, repeat, at=1 + number * steps // kills) == -1
        hold(bench, before, whole)
        if number % each_round == each_round - 1 or number == kills - 1:
            finish(bench, phase, repeat)
    return done


def prepare(bench: Bench, phase: str, repeat: int) -> None:
    """Whatever comes before a phase, finished."""
    commands = bench.commands(repeat, phase)
    if phase == "sandbox":
        bench.archive.unlink()
        return
    for name in ("run", "score")[: {"run": 0, "seal": 0, "supersede": 2}.get(phase, 1)]:
        commands[name]()


def hold(bench: Bench, before: dict[Path, bytes], whole: dict[str, bytes]) -> None:
    """After a kill: what was finished is there to the byte, and what is there is finished."""
    after = bench.published()
    kept = set(after.values())
    for path, data in before.items():
        assert after.get(path) == data or (data in kept and path in after), f"{path} was lost"
    for path, data in after.items():
        if path.name in ("transcript.jsonl", "end-state.tar.zst"):
            assert data == whole[path.name], f"{path} is half written"
        elif path.name == "run.json":
            open_seal(path.parent)
        elif path.suffix == ".json" and path.name != "verify.json":
            assert isinstance(json.loads(data), dict), f"{path} is half written"
    if bench.archive.exists():
        assert read_sandbox(bench.archive).info.task_id == TASK
    hidden = [name for name in bench.hidden() if not name.endswith(".claim")]
    assert [name for name in hidden if not _REPLACING.fullmatch(name)] == []


def finish(bench: Bench, phase: str, repeat: int) -> None:
    """The next invocation goes on: a whole record of a whole run, and no trace of the kills."""
    for command in bench.commands(repeat, phase).values():
        command()
    record = read_record(bench.folder / f"results/2026-01-02/harness-gold/{TASK}/run-{repeat}.json", bench.folder)
    assert isinstance(record, Record)
    assert record.stamps.suite_version == "99.0.0"
    assert bench.hidden() == []


def needs_kicad(phase: str) -> object:
    return pytest.param(phase, marks=[pytest.mark.kicad] if phase == "verify" else [])


@pytest.mark.parametrize("phase", [needs_kicad(phase) for phase in PHASES])
def test_a_kill_here_and_there_loses_nothing(bench, phase):
    assert kill_all_over(bench, phase, 2) == 2


@pytest.mark.slow
@pytest.mark.parametrize("phase", [needs_kicad(phase) for phase in PHASES])
def test_thirty_kills_all_over_each_phase_lose_nothing(bench, phase):
    assert kill_all_over(bench, phase, 30) >= 28
