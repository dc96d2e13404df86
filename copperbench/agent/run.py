"""One agent run from preflight to run-end: what starts it, what it leaves, and how it gets back on failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from copperbench.agent.checks import Checks
from copperbench.agent.conversation import opening
from copperbench.agent.design import Design
from copperbench.agent.differences import differences
from copperbench.agent.endpoint import Endpoint
from copperbench.agent.facts import run_end, run_start
from copperbench.agent.gates import Gates
from copperbench.agent.loop import Course, Ending, Loop
from copperbench.agent.main import HARNESS_NAME
from copperbench.agent.redaction import Redactor
from copperbench.agent.repository import CommitFailed, Repository, Snapshot
from copperbench.agent.session import Session
from copperbench.agent.settings import Order
from copperbench.agent.stopping import Interrupted, Stop, interruptible
from copperbench.agent.summary import append_changelog, write_summary
from copperbench.agent.tools import Tool, choose_tools
from copperbench.agent.transcript import TranscriptWriter
from copperbench.agent.workspace import Workspace
from copperbench.errors import CopperbenchError, HarnessUnavailable

if TYPE_CHECKING:
    from copperbench.kicad import KicadCli

Outcome = Literal["success", "refused", "failure"]


@dataclass(frozen=True, slots=True)
class Result:
    """How a run ended, as `do --json` prints it; `summary` is the model's, or the reason of a failure."""

    outcome: Outcome
    exit_path: str
    summary: str
    transcript_dir: str
    files_touched: tuple[str, ...]
    commit: str | None
    stats: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run takes from outside: kicad-cli where there is one, a way to report progress, a way to wait."""

    cli: KicadCli | None
    say: Callable[[str], None] = lambda _text: None
    sleep: Callable[[float], None] = time.sleep


def perform(order: Order, surroundings: Surroundings) -> Result:
    """Perform one run (STANDARD 2, 3).

    Raises HarnessUnavailable before anything is made when it cannot start, and Interrupted, everything put back and
    written down, when a signal ended it.
    """
    started, clock = datetime.now(UTC), time.perf_counter()
    repository = Repository(order.root)
    snapshot = repository.snapshot()
    state = repository.state(snapshot)
    if state.uncommitted and not order.allow_dirty:
        what = f"the working tree is not clean ({state.uncommitted[0]})"
        raise HarnessUnavailable(order.root, what, "commit first, or pass --allow-dirty")
    tools = choose_tools(order.ablations.tools)
    design = Design(Workspace(order.root), snapshot)
    messages = opening(design, order.ablations.prompt_variant, order.task_prompt)
    endpoint = Endpoint(
        order.model,
        timeout_s=order.turn_timeout_s,
        max_tokens=order.max_tokens,
        retries=order.retries,
        on_timeout=lambda tried: transcript.event("turn-timeout", ms=int(order.turn_timeout_s * 1000), attempt=tried),
        sleep=surroundings.sleep,
    )
    redact = Redactor((order.model.key,))
    transcript = TranscriptWriter(order.root, started, redact)
    checks = Checks(design, surroundings.cli, own_rules=order.command == "create")
    gates = Gates(frozenset(tool.name for tool in tools), order.max_repair_cycles)
    session = Session(order.command, transcript.run_id, design.workspace, design, checks, gates, transcript.event)
    run = _Run(order, repository, snapshot, session, transcript, endpoint, tools, redact, surroundings.say, clock)
    with transcript, interruptible() as stop:
        transcript.event("run-start", **run_start(order, session, state, transcript, started))
        return run.go(messages, stop)


@dataclass(slots=True)
class _Run:
    order: Order
    repository: Repository
    snapshot: Snapshot
    session: Session
    transcript: TranscriptWriter
    endpoint: Endpoint
    tools: tuple[Tool, ...]
    redact: Redactor
    watcher: Callable[[str], None]
    clock: float
    course: Course = field(default_factory=Course)

    def go(self, messages: list[Mapping[str, Any]], stop: Stop) -> Result:
        """Loop, then conclude; whatever else happens, the tree is put back."""
        if self.order.command == "sync":
            self.session.gates.owe("drift")
        provider = self.order.model.provider
        loop = Loop(self.endpoint, provider, self.session, self.tools, self.order.max_turns, self.course, self._say)
        try:
            ending = loop.run(messages)
            stop.concluding = True
            return self._concluded(ending)
        except Interrupted as order:
            self.transcript.event("run-interrupted", signal=str(order))
            self._finished(None, self._put_back())
            raise
        except Exception:
            self._put_back()
            raise

    def _say(self, text: str) -> None:
        with suppress(OSError):  # whoever watched may be gone; the run is not for him
            self.watcher(self.redact(text))

    def _concluded(self, ending: Ending) -> Result:
        touched, commit = tuple(self.session.workspace.touched), None
        if ending.exit_path == "done":
            try:
                commit = self._commit(ending)
            except CommitFailed as error:
                ending = Ending("commit-failed", str(error))
        if ending.exit_path == "refused":
            self._put_back()
            self.transcript.event("run-refused", summary=ending.text)
        elif ending.exit_path != "done":
            self.transcript.event("run-failed", reason=ending.text, exitPath=ending.exit_path)
            self._put_back()
        stats = self._finished(ending, touched)
        outcome: Outcome = {"done": "success", "refused": "refused"}.get(ending.exit_path, "failure")  # type: ignore[assignment]
        kept = touched if ending.exit_path == "done" else ()
        return Result(
            outcome, ending.exit_path, self.redact(ending.text), str(self.transcript.folder), kept, commit, stats
        )

    def _commit(self, ending: Ending) -> str | None:
        """The run's one commit, or None of a dry run; a changelog that cannot be written stops nothing."""
        session = self.session
        if self.order.dry_run:
            self._say(differences(self.snapshot, self.order.root, self.repository.changed(self.snapshot)))
            self._put_back()
            return None
        try:
            append_changelog(session.workspace, session.design.settings.docs, self.order, session)
        except (CopperbenchError, OSError) as error:
            self.transcript.event("changelog-append-failed", error=session.relative(str(error)))
        message = f"{HARNESS_NAME}: {self.order.request}\n\n{ending.text}\n\n"
        commit = self.repository.commit(f"{message}Verification: {session.gates.verification()}\n")
        self.transcript.event("run-committed", commit=commit, files=list(session.workspace.touched))
        return commit

    def _put_back(self) -> tuple[str, ...]:
        """Make the tree what it was; returns what had been changed."""
        changed = self.repository.changed(self.snapshot)
        try:
            self.repository.restore(self.snapshot)
        except OSError as error:
            self.transcript.event("restore-failed", error=self.session.relative(str(error)))
        return changed

    def _finished(self, ending: Ending | None, files: tuple[str, ...]) -> Mapping[str, Any]:
        seconds = {
            "run": time.perf_counter() - self.clock,
            "model": self.endpoint.waited_s,
            "kicad": self.session.checks.kicad_s,
        }
        exit_path = None if ending is None else ending.exit_path
        stats = run_end(self.order, self.session, self.course.replies, exit_path, seconds)
        self.transcript.event("run-end", **stats)
        summary = write_summary(self.order, self.session, ending, stats, self.course.plan, files)
        self.transcript.note("summary.md", summary)
        return stats
