"""One run from its claim to its seal: performed once, in a sandbox of its own, published whole (STANDARD 2)."""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from copperbench import __version__
from copperbench.errors import CopperbenchError, SealBroken, SuiteError
from copperbench.harness.in_process import Job, Performance, Performing
from copperbench.harness.stopping import Stop, stoppable
from copperbench.records import RecordPlace
from copperbench.sandbox import (
    DEFAULT_LIMITS,
    HarnessStamp,
    RunFacts,
    SandboxInfo,
    SealLimits,
    claim,
    drop_stale_claim,
    open_seal,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import Fixture, Suite, Task, verify_tree

Perform = Callable[[Job, Stop], Performance]
Sealed = Literal["sealed", "kept", "quarantined"]
_MORE_PLACES = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - mkdtemp makes a private folder in them


@dataclass(frozen=True, slots=True)
class RunOrder:
    """A run that is due: its place under results/, who performs it, and what it starts from.

    `archive` is the sandbox; `suite_version` is what the caller planned with and must be the suite's own.
    `admission` is entered once the run is claimed and before anything of it is made, and left when it is over: it
    raises when the run may not start. `limits` bound what is sealed of what the run leaves.
    """

    place: RecordPlace
    performer: Performing
    archive: Path
    suite_version: str
    repeats_planned: int = 1
    isolation: str = "none"
    fixtures: Path = Path("fixtures")
    admission: Callable[[], AbstractContextManager[None]] = nullcontext
    limits: SealLimits = DEFAULT_LIMITS


def carry_out(order: RunOrder, suite: Suite, perform: Perform) -> Sealed:
    """Perform a run unless it is sealed already, and seal what it left (STANDARD 2, 3).

    `kept`: evidence was there and is whole; nothing was performed. `sealed`: performed, evidence published.
    `quarantined`: performed, and what it left held a credential (STANDARD 12). INT and TERM let `perform` end
    early or not, as it likes; what it left is sealed all the same. Raises SealBroken for damaged evidence,
    RunClaimed when another process is at it, OperationFailed, FixtureMismatch and CopperbenchError when the run
    cannot be performed; then nothing is published.
    """
    if _is_sealed(order.place):
        drop_stale_claim(order.place.folder)
        return _kept(order.place)
    if order.place.path.exists():
        raise CopperbenchError(
            order.place.name,
            "is a record whose evidence is gone; it stays as it is",
            f"`copperbench redo {order.place.name}` moves it aside and makes the run due",
        )
    if order.suite_version != suite.version:
        raise SuiteError(
            "--suite", f"{order.suite_version} is not this suite, which is {suite.version}", "plan the run again"
        )
    task = suite.task(order.place.task)
    fixture = suite.fixture(task.fixture_id)
    verify_tree(fixture, order.fixtures / fixture.id / "tree")
    with claim(order.place.folder):
        if _is_sealed(order.place):  # by whoever held the claim before us
            return _kept(order.place)
        with order.admission():
            return _perform_and_seal(order, task, fixture, perform)


def _perform_and_seal(order: RunOrder, task: Task, fixture: Fixture, perform: Perform) -> Sealed:
    with stoppable() as stop, _folder_outside_repositories() as root:
        info = unpack_sandbox(order.archive, root)
        if info.task_id != task.id:
            raise SealBroken(order.archive, f"is the sandbox of {info.task_id}, not of {task.id}", "name the right one")
        if stop.signal is not None:  # nothing was performed yet, so there is nothing to seal
            raise KeyboardInterrupt
        started, clock = datetime.now(UTC), time.monotonic()
        performance = perform(Job(order.performer, task, fixture, root, info.baseline_sha, info.scaffold), stop)
        facts = _facts(order, task, fixture, info, performance, started, time.monotonic() - clock)
        sealed = seal_run(
            order.place.folder,
            facts,
            root,
            order.archive,
            order.fixtures / fixture.id / "tree",
            performance.transcript,
            order.limits,
            secrets=performance.agent.secrets if performance.agent is not None else (),
            quarantine_root=order.place.root / "quarantine",
        )
    return "sealed" if sealed.quarantine is None else "quarantined"


def _is_sealed(place: RecordPlace) -> bool:
    return place.is_sealed


def _kept(place: RecordPlace) -> Sealed:
    open_seal(place.folder)
    return "kept"


def _facts(
    order: RunOrder,
    task: Task,
    fixture: Fixture,
    info: SandboxInfo,
    performance: Performance,
    started: datetime,
    seconds: float,
) -> RunFacts:
    performer, place, agent = order.performer, order.place, performance.agent
    solution = performer.solution
    stamp = HarnessStamp(performer.slug, __version__, solution_sha256=solution.sha256 if solution is not None else None)
    return RunFacts(
        model_slug=place.model,
        run_mode=performer.run_mode,
        repeat=place.repeat,
        repeats_planned=order.repeats_planned,
        campaign=place.campaign,
        harness=stamp if agent is None else agent.harness,
        model=None if agent is None else agent.model,
        started_at=started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        duration_ms=round(seconds * 1000),
        exit=performance.exit,
        caps={"turns": task.caps.turns, "wallClockSec": task.caps.wall_clock_s},
        ablations={} if agent is None else agent.ablations,
        baseline_sha=info.baseline_sha,
        setup_skipped=info.setup_skipped,
        environment={
            "platform": f"{sys.platform}-{platform.machine()}",
            "pythonVersion": platform.python_version(),
            "copperbenchVersion": __version__,
            "nodeVersion": None if agent is None else agent.node_version,
        },
        cost=None if agent is None else agent.cost,
        isolation=order.isolation,
        suite_version=order.suite_version,
        run_relevant_hash=task.run_relevant_hash,
        task_manifests=task.manifests,
        fixture_manifest=fixture.manifest,
        files={},
    )


@contextmanager
def _folder_outside_repositories() -> Iterator[Path]:
    """A fresh private folder with no repository around it: a tool that looks upwards must find the sandbox's own."""
    for parent in dict.fromkeys((tempfile.gettempdir(), *_MORE_PLACES)):
        place = Path(parent).resolve()
        if place.is_dir() and not any((folder / ".git").exists() for folder in (place, *place.parents)):
            with tempfile.TemporaryDirectory(
                prefix="copperbench-run-", dir=place, ignore_cleanup_errors=True
            ) as folder:
                yield Path(folder) / "sandbox"
            return
    raise CopperbenchError(
        tempfile.gettempdir(), "lies in a git repository, as does every other temporary folder", "set TMPDIR elsewhere"
    )
