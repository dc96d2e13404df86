"""The in-process harnesses: noop, gold and the traps, performed from data without a model (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from copperbench.errors import SuiteError
from copperbench.harness.stopping import Stop
from copperbench.harness.transcript import Event, conclusion, finish, run_end, run_start, transcript_bytes
from copperbench.sandbox import CostStamp, ExitFacts, HarnessStamp, ModelStamp, apply_operation, commit_all
from copperbench.suite import Fixture, Operation, RunMode, Solution, Suite, Task

SLUG_PREFIX = "harness-"
NOOP = "noop"
FIRST_COMMIT = 1_767_229_200  # 2026-01-01T01:00:00Z, an hour after the baseline
_SECONDS_BETWEEN_COMMITS = 60
_TREE_PATHS = ("path", "from", "to")


class Performing(Protocol):
    """Who performs a run, as far as its seal is concerned: the slug of its runs, their mode, the solution followed."""

    @property
    def slug(self) -> str:
        """The model slug of its runs."""

    @property
    def run_mode(self) -> RunMode:
        """What kind of run a record calls it."""

    @property
    def solution(self) -> Solution | None:
        """The known answer that it follows; None for all others."""


@dataclass(frozen=True, slots=True)
class Performer:
    """Who performs an in-process run: `noop` has no solution, `gold` and `trap-<name>` follow theirs."""

    name: str
    solution: Solution | None

    @property
    def slug(self) -> str:
        """The model slug of its runs, and the name of the harness: `harness-gold`."""
        return SLUG_PREFIX + self.name

    @property
    def run_mode(self) -> RunMode:
        """What kind of run a record calls it."""
        if self.solution is None:
            return "noop"
        return "gold" if self.name == "gold" else "trap"


@dataclass(frozen=True, slots=True)
class Job:
    """One run to perform: the task on its fixture, in the unpacked sandbox at `root` with its baseline commit.

    `scaffold` says whose init made the sandbox's documents.
    """

    performer: Performing
    task: Task
    fixture: Fixture
    root: Path
    baseline_sha: str
    scaffold: str = "builtin"


@dataclass(frozen=True, slots=True)
class AgentStamps:
    """What is known of an agent's run only when it is over; `secrets` are the values that it was handed."""

    harness: HarnessStamp
    model: ModelStamp
    cost: CostStamp
    ablations: Mapping[str, Any]
    node_version: str | None
    secrets: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Performance:
    """What performing left besides the sandbox: the transcript, what the runner saw of the end, an agent's stamps."""

    transcript: bytes
    exit: ExitFacts
    agent: AgentStamps | None = None


def performer(suite: Suite, task_id: str, slug: str) -> Performer | None:
    """The in-process performer of a model slug; None for a slug that names a model.

    Raises SuiteError for a `harness-` slug that the task has no solution for.
    """
    if not slug.startswith(SLUG_PREFIX):
        return None
    name = slug.removeprefix(SLUG_PREFIX)
    if name == NOOP:
        return Performer(NOOP, None)
    solutions = {solution.name: solution for solution in suite.solutions(task_id)}
    if name not in solutions:
        known = ", ".join((NOOP, *solutions))
        raise SuiteError(f"solutions/{task_id}", f"there is no {name!r}", f"one of {known}")
    return Performer(name, solutions[name])


def perform(job: Job, _stop: Stop) -> Performance:
    """Perform a run in its sandbox: the same commits and the same transcript wherever and whenever (STANDARD 12).

    It takes a moment and always ends by itself, so a stop is not heeded: half a known answer would be graded as one.
    Raises OperationFailed when a step does not apply to the sandbox; such a run must not be sealed.
    """
    solution = job.performer.solution
    exit_path = solution.exit_path if solution is not None else "done"
    model = job.performer.slug.replace("-", ":", 1)
    events = (
        run_start(job.task, job.fixture, model, job.baseline_sha),
        *(_steps(job, solution) if solution is not None else ()),
        run_end(job.task, exit_path, turns=0 if solution is None else 1),
    )
    code = 0 if exit_path in ("done", "refused") else 1
    return Performance(transcript_bytes(events), ExitFacts(code=code, signal=None, cap=None, tampered=None))


def _steps(job: Job, solution: Solution) -> Iterator[Event]:
    """Take every step of the solution, yielding its events and then those of the model's last turn."""
    where = f"solutions/{job.task.id}/{solution.name}.json"
    commit: str | None = None
    commits = 0
    for number, step in enumerate(solution.steps):
        if step.kind == "event":
            yield Event(step.args["type"], step.args["data"])
        elif step.kind == "commit":
            when = FIRST_COMMIT + commits * _SECONDS_BETWEEN_COMMITS
            commit = commit_all(job.root, step.args["message"], when=when)
            commits += 1
        else:
            apply_operation(job.root, step, f"{where}: $.steps[{number}]")
    yield from finish(solution.exit_path, solution.summary)
    yield from conclusion(solution.exit_path, solution.summary, commit, _touched(solution.steps))


def _touched(steps: tuple[Operation, ...]) -> tuple[str, ...]:
    return tuple(sorted({step.args[key] for step in steps for key in _TREE_PATHS if key in step.args}))
