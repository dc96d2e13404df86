"""Killed before any step that it takes, each of our verbs loses nothing finished and leaves nothing half done.

`copperbench sandbox`, `run` (with a solution, and with an outside harness) and `score` run in a process of their own,
which is killed at a chosen step (a file opened, a name made or changed, a program started), counted inside the phase
in question, so the kills cover every phase evenly whatever the machine does. Then everything that was published has
to be there unchanged, and the same command, given again, has to end as if nothing had happened.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import zstandard

from copperbench import cli, evidence
from copperbench.harness import external, running
from copperbench.kicad import find_kicad_cli
from copperbench.records import read_record, score
from copperbench.records.models import Record
from copperbench.sandbox import open_seal, read_sandbox

TASK, BOARD, DATE = "do-raise-led-resistor", "copperbench-ldo-sensor", "2026-01-02"
HARNESS = Path(__file__).parents[1] / "harness/fake_harness.py"
PARTS = ("config", "schema", f"tasks/{TASK}", f"solutions/{TASK}", f"fixtures/{BOARD}")
VERSION, LATER = "1.2.3", "99.0.0"
PHASES = ("sandbox", "run", "harness", "seal", "verify", "score", "publish", "supersede")
ALONE = ("run", "harness", "publish", "supersede")
"""Phases that a kill may leave finished: each kill has a run of its own. Elsewhere four go on after one another."""

STEPS = ("open", "os.", "shutil.", "tempfile.", "fcntl.", "subprocess.Popen")
_REPLACING = re.compile(r"\.run-\d+\.json\.[0-9a-f]{8}")
"""A whole new record on the way to its place: the one name that a kill may leave, until the next call."""


@dataclass
class Killer:
    """Counts the steps of one phase in this process, and kills it before the step numbered `at`."""

    phase: str
    at: int
    depth: dict[str, int] = field(default_factory=dict)
    steps: int = 0

    def watch(self) -> None:
        sys.addaudithook(self.note)
        self.wrap(running, "seal_run", "seal")
        self.wrap(external, "run_process", "harness")
        self.wrap(evidence, "verify", "verify")
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

    def note(self, event: str, args: tuple[object, ...]) -> None:
        if self.phase not in self.depth or not event.startswith(STEPS):
            return
        if threading.current_thread() is not threading.main_thread() or str(args[:1])[2:].startswith("/proc"):
            return  # how often an observer looks depends on the machine
        self.steps += 1
        if self.steps == self.at:
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Bench:
    """A checkout of one task, and the verbs that are killed: build, run, score, and score under a new version."""

    root: Path
    scratch: Path
    kicad: str
    outside: bool

    @property
    def model(self) -> str:
        return "fake-model" if self.outside else "harness-gold"

    @property
    def archive(self) -> Path:
        return self.root / f"build/sandboxes/{'fake' if self.outside else 'builtin'}/{TASK}.tar.zst"

    def record(self, repeat: int) -> str:
        return f"results/{DATE}/{self.model}/{TASK}/run-{repeat}.json"

    def commands(self, repeat: int) -> dict[str, list[str]]:
        """What leads to a finished record, in order; every one may be given any number of times."""
        entry = {
            "command": [sys.executable, str(HARNESS)],
            "modes": {"do": {"arguments": ["do", "{request}", "--model", "{model}"], "options": {}}},
        }
        model = {"id": "done", "provider": "fake", "segment": "scripted", "pinning": "weak", "harness": "fake"}
        value = {"model": model, "harness": entry, "price": None, "ablations": {}}
        made_by = ["--harness", "fake", "--harness-entry", json.dumps(entry)] if self.outside else []
        given = ["--contender", json.dumps(value)] if self.outside else []
        place = self.record(repeat)
        return {
            "sandbox": ["sandbox", TASK, *made_by, "--out", str(self.archive)],
            "run": ["run", f"{place[:-5]}/run.json", "--sandbox", str(self.archive), "--suite", VERSION, *given],
            "score": ["score", place, "--suite", VERSION, "--kicad-cli", self.kicad],
            "supersede": ["score", place, "--suite", LATER, "--kicad-cli", self.kicad],
        }

    def give(self, name: str, repeat: int, phase: str = "", at: int = 0) -> int:
        """Give a command in a process that is killed at a step of a phase; how many steps there were if it was not.

        -1 where it was killed.
        """
        suite = self.root / "config/suite.yaml"
        version = LATER if name == "supersede" else VERSION
        suite.write_text(re.sub(r"(?m)^suiteVersion:.*", f"suiteVersion: {version}", suite.read_text()))
        told, teller = os.pipe()
        child = os.fork()
        if child == 0:
            self._be_killed(self.commands(repeat)[name], phase, at, teller)
        os.close(teller)
        _, status = os.waitpid(child, 0)
        with os.fdopen(told, "rb") as pipe:
            said = pipe.read()
        if os.WIFSIGNALED(status):
            assert at, "nobody killed it"
            return -1
        assert os.WEXITSTATUS(status) == 0, (self.scratch / "said").read_text() + said.decode()
        return int(said)

    def _be_killed(self, argv: list[str], phase: str, at: int, teller: int) -> None:
        code = 1
        try:
            tempfile.tempdir = str(self.scratch)
            os.chdir(self.root)
            sys.stdout = sys.stderr = (self.scratch / "said").open("w")
            sys.argv = ["copperbench", *argv]
            killer = Killer(phase, at)
            killer.watch()
            try:
                with killer.within(argv[0]):
                    cli.main()
            except SystemExit as end:
                code = int(end.code or 0)
            sys.stdout.flush()
            os.write(teller, str(killer.steps).encode())
        except Exception as error:  # noqa: BLE001 - told by the parent
            os.write(teller, repr(error).encode())
        finally:
            os._exit(code)

    def published(self) -> dict[Path, bytes]:
        """Everything under results/ and superseded/ that has a name of its own."""
        files = [*self.root.glob("results/**/*"), *self.root.glob("superseded/**/*")]
        return {path: path.read_bytes() for path in files if path.is_file() and not path.name.startswith(".")}

    def hidden(self) -> list[str]:
        places = [self.root / name for name in ("results", "superseded", "build")]
        return [path.name for place in places for path in place.rglob(".*") if path.is_file()]


def make_bench(root: Path, place: Path, phase: str) -> Bench:
    checkout, scratch = place / "checkout", place / "scratch"
    for part in PARTS:
        shutil.copytree(root / part, checkout / part)
    scratch.mkdir()
    kicad = find_kicad_cli() if phase == "verify" else None
    made = Bench(checkout, scratch, str(kicad.path) if kicad else "/nonexistent", phase == "harness")
    made.give("sandbox", 1)
    return made


def verb(phase: str) -> str:
    """The verb that a phase is part of."""
    return {"harness": "run", "seal": "run", "verify": "score", "publish": "score"}.get(phase, phase)


def inside(phase: str) -> str:
    """The phase as the Killer counts it."""
    return "publish" if phase == "supersede" else phase


def kill_all_over(bench: Bench, phase: str, kills: int) -> int:
    """Kill at that many steps spread over a phase, holding after each that nothing was lost or left half done."""
    for repeat in (1, 2):  # the first makes the folders, which is no step of later ones
        prepare(bench, phase, repeat)
        steps = bench.give(verb(phase), repeat, inside(phase))
        finish(bench, repeat)
    assert steps >= 5, f"{phase} is watched"
    whole = {path.name: path.read_bytes() for path in bench.published() if path.parent.name == "run-1"}
    done, each_round = 0, 1 if phase in ALONE else 4
    for number in range(kills):
        repeat = 3 + number // each_round
        if number % each_round == 0:
            prepare(bench, phase, repeat)
        before = bench.published()
        done += bench.give(verb(phase), repeat, inside(phase), at=1 + number * steps // kills) == -1
        hold(bench, before, whole)
        if number % each_round == each_round - 1 or number == kills - 1:
            finish(bench, repeat)
    return done


def prepare(bench: Bench, phase: str, repeat: int) -> None:
    """Whatever comes before a phase, finished."""
    if phase == "sandbox":
        bench.archive.unlink()
        return
    for name in ("run", "score")[: {"run": 0, "score": 1, "supersede": 2}[verb(phase)]]:
        bench.give(name, repeat)


def hold(bench: Bench, before: dict[Path, bytes], whole: dict[str, bytes]) -> None:
    """After a kill: what was finished is there to the byte, and what is there is finished."""
    after = bench.published()
    kept = set(after.values())
    for path, data in before.items():
        assert after.get(path) == data or (data in kept and path in after), f"{path} was lost"
    for path, data in after.items():
        hold_whole(path, data, None if bench.outside else whole.get(path.name))
    if bench.archive.exists():
        assert read_sandbox(bench.archive).info.task_id == TASK
    hidden = [name for name in bench.hidden() if not name.endswith(".claim")]
    assert [name for name in hidden if not _REPLACING.fullmatch(name)] == []


def hold_whole(path: Path, data: bytes, expected: bytes | None) -> None:
    """A published file is whole; where every run leaves the same, it is that to the byte."""
    if path.name == "transcript.jsonl":
        assert json.loads(data.splitlines()[-1])["type"] == "run-end", f"{path} is half written"
    elif path.name == "end-state.tar.zst":
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            assert reader.read(), f"{path} is half written"
    elif path.name == "run.json":
        open_seal(path.parent)
    elif path.suffix == ".json":
        assert isinstance(json.loads(data), dict), f"{path} is half written"
    if path.name in ("transcript.jsonl", "end-state.tar.zst", "verify.json") and expected is not None:
        assert data == expected, f"{path} is another"


def finish(bench: Bench, repeat: int) -> None:
    """The next invocation goes on: a whole record of a whole run, and no trace of the kills."""
    for command in bench.commands(repeat):
        bench.give(command, repeat)
    record = read_record(bench.root / bench.record(repeat), bench.root)
    assert isinstance(record, Record)
    assert record.stamps.suite_version == LATER
    assert bench.hidden() == []


def needs_kicad(phase: str) -> object:
    return pytest.param(phase, marks=[pytest.mark.kicad] if phase == "verify" else [])


@pytest.mark.parametrize("phase", [needs_kicad(phase) for phase in PHASES])
def test_a_kill_here_and_there_loses_nothing(root, tmp_path, phase):
    assert kill_all_over(make_bench(root, tmp_path, phase), phase, 2) == 2


@pytest.mark.slow
@pytest.mark.parametrize("phase", [needs_kicad(phase) for phase in PHASES])
def test_thirty_kills_all_over_each_phase_lose_nothing(root, tmp_path, phase):
    assert kill_all_over(make_bench(root, tmp_path, phase), phase, 30) >= 28
