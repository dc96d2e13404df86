"""Progress of a campaign for Snakemake: one line a stage, and at the end the jobs that failed with what shows each.

Snakemake finds this module by its name (`--logger copperbench`, which profiles/default sets). On a terminal the lines
stay in place; elsewhere a line is written when a stage has moved on by a tenth. A dry run speaks as Snakemake does.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

if TYPE_CHECKING:
    from rich.live import Live

STAGES = ("fixtures", "sandboxes", "runs", "grades", "reports")
_STAGE_OF = {"fixture_stamp": "fixtures", "baseline": "fixtures", "sandbox": "sandboxes", "run": "runs"}
_TARGETS = frozenset({"leaderboard", "matrix", "discriminate", "profile", "total"})
_TOLD = ("Nothing to be done", "nothing to be done")
_SAID_AT_THE_END = (
    "RuleException:\nCalledProcessError in file",
    "Cannot restore ",
    "Exiting because a job execution failed.",
)
_CANNOT_START = re.compile(r"Missing input files for rule run:.*?affected files:\n *(model .*)$", re.DOTALL)
_LOG_LINES = 8


def stage_of(rule: str) -> str:
    """The stage that a rule belongs to; those made for the runs of one task have names of their own."""
    if rule.startswith("score"):
        return "grades"
    if rule.startswith("run_"):
        return "runs"
    return _STAGE_OF.get(rule, "reports")


@dataclass
class Stage:
    """The jobs of a stage: how many there are, how many are at work, done and failed."""

    name: str
    total: int = 0
    running: int = 0
    done: int = 0
    failed: int = 0
    began: float | None = None
    told: int = -1

    def eta_s(self, now: float) -> float | None:
        """Seconds left at the pace so far; None before the first is done and after the last."""
        ended = self.done + self.failed
        left = self.total - ended
        if self.began is None or not ended or left <= 0:
            return None
        return (now - self.began) / ended * left

    def tenth(self) -> int:
        """How many tenths of it are over."""
        return 10 * (self.done + self.failed) // max(1, self.total)


@dataclass(frozen=True)
class Failure:
    """A job that failed: what it was for, the logs that say why, and what the executor said."""

    what: str
    logs: tuple[str, ...]
    said: str = ""


@dataclass
class Progress:
    """What the events of a workflow say so far. Times are seconds of a clock of the caller's."""

    stages: dict[str, Stage] = field(default_factory=lambda: {name: Stage(name) for name in STAGES})
    failures: dict[int, Failure] = field(default_factory=dict)
    usd: float = 0.0
    costed: int = 0
    uncosted: int = 0
    over: bool = False
    _jobs: dict[int, tuple[str, str, tuple[str, ...]]] = field(default_factory=dict)
    _at_work: set[int] = field(default_factory=set)

    def plan(self, stats: dict[str, Any]) -> None:
        """Take up how many jobs of each rule there are."""
        for stage in self.stages.values():
            stage.total = 0
        for rule, count in stats.items():
            if rule not in _TARGETS:
                self.stages[stage_of(rule)].total += int(count)

    def start(self, job: int, rule: str, what: str, output: tuple[str, ...], now: float) -> None:
        """A job has begun."""
        if rule in _TARGETS or job in self._at_work:
            return
        stage = self.stages[stage_of(rule)]
        stage.began = now if stage.began is None else stage.began
        stage.running += 1
        self._jobs[job] = (rule, what, output)
        self._at_work.add(job)

    def finish(self, job: int) -> None:
        """A job is done; a run's cost is read from what it sealed."""
        if job not in self._at_work:
            return
        self._at_work.discard(job)
        rule, _, output = self._jobs[job]
        stage = self.stages[stage_of(rule)]
        stage.running -= 1
        stage.done += 1
        if rule == "run" and output:
            self._pay(Path(output[0]))

    def fail(self, job: int, rule: str, logs: tuple[str, ...], said: str = "") -> None:
        """A job has failed."""
        _, what, _ = self._jobs.get(job, (rule, rule, ()))
        if job in self._at_work:
            self._at_work.discard(job)
            self.stages[stage_of(rule)].running -= 1
        if job not in self.failures:
            self.stages[stage_of(rule)].failed += 1
        self.failures[job] = Failure(what, logs, said)

    def lines(self, now: float) -> Iterator[str]:
        """A line for each stage that has jobs."""
        for stage in self.stages.values():
            if stage.total:
                yield self.line(stage, now)

    def line(self, stage: Stage, now: float) -> str:
        """How a stage stands: counts, what runs have cost so far, the time that is left."""
        parts = [f"{stage.name:<9} {stage.done:>5}/{stage.total}"]
        parts += [f"{stage.running} at work"] if stage.running else []
        parts += [f"{stage.failed} failed"] if stage.failed else []
        if stage.name == "runs" and stage.done:
            parts += [f"${self.usd:.2f} so far"] if self.costed else []
            parts += [f"{self.uncosted} uncosted"] if self.uncosted else []
        left_s = None if self.over else stage.eta_s(now)
        parts += [f"about {_duration(left_s)} left"] if left_s is not None else []
        return ", ".join(parts)

    def report(self) -> Iterator[str]:
        """The failures, each with the end of its log and the command that shows all of it."""
        if self.failures:
            yield f"failed: {len(self.failures)}"
        for failure in self.failures.values():
            yield f"- {failure.what}"
            yield from (f"    {line}" for line in failure.said.splitlines())
            for log in failure.logs:
                yield from (f"    {line}" for line in _end_of(Path(log)))
                yield f"    cat {log}"

    def _pay(self, sealed: Path) -> None:
        try:
            facts = json.loads(sealed.read_bytes())
            usd, is_agent = facts["cost"]["usd"], facts["model"] is not None
        except (OSError, ValueError, KeyError, TypeError):
            return
        if usd is not None:
            self.usd += float(usd)
            self.costed += 1
        elif is_agent:
            self.uncosted += 1


def plainly(said: str) -> str:
    """What Snakemake says, for who reads it: why a run cannot start, and nothing that the list of failures repeats."""
    if said.startswith(_SAID_AT_THE_END):
        return ""
    cannot_start = _CANNOT_START.search(said)
    return cannot_start[1].strip() if cannot_start else said


def path_of(said: str) -> str:
    """The path of an output as Snakemake's events name it: flags stand behind it, as in `run.json (update)`."""
    return re.sub(r" \([a-z, ]+\)$", "", said)


class LogHandler(LogHandlerBase):
    """What Snakemake's events are handed to."""

    def __post_init__(self) -> None:
        self.progress = Progress()
        self._live: Live | None = None
        self._closed = False
        self._stream = sys.stdout if getattr(self.common_settings, "stdout", False) else sys.stderr

    def emit(self, record: logging.LogRecord) -> None:
        """Take an event up, and show what has changed."""
        try:
            event = getattr(record, "event", None)
            if self.common_settings.dryrun or self.common_settings.verbose:
                self._say(self.format(record))
            elif event is None or event in (LogEvent.ERROR, LogEvent.RUN_INFO):
                self._message(record, event)
            else:
                self._event(record, event)
        except Exception:  # noqa: BLE001 - a fault in what is merely shown must not end a campaign
            self.handleError(record)

    def close(self) -> None:
        """Leave the last state of every stage, and the failures, on the screen."""
        if not self._closed:
            self._closed = self.progress.over = True
            if self._live is not None:
                self._live.update(self._shown())
                self._live.stop()
            else:
                for stage in self.progress.stages.values():
                    self._tell(stage, anyway=stage.done + stage.failed > 0)
            for line in self.progress.report():
                self._say(line)
        super().close()

    def _message(self, record: logging.LogRecord, event: object) -> None:
        if event == LogEvent.RUN_INFO:
            self.progress.plan(getattr(record, "stats", {}))
        elif event == LogEvent.ERROR or record.levelno >= logging.WARNING:
            self._say(plainly(self.format(record)))
        elif any(told in record.getMessage() for told in _TOLD):
            self._say(record.getMessage())

    def _event(self, record: logging.LogRecord, event: object) -> None:
        now = time.monotonic()
        facts = vars(record)
        if event == LogEvent.JOB_INFO:
            rule, what = str(facts["rule_name"]), facts.get("rule_msg")
            output = tuple(path_of(str(each)) for each in facts.get("output") or ())
            self.progress.start(int(facts["jobid"]), rule, str(what or rule), output, now)
        elif event == LogEvent.JOB_FINISHED:
            self.progress.finish(int(facts["job_id"]))
        elif event == LogEvent.JOB_ERROR:
            logs = tuple(str(path).split(" (")[0] for path in facts.get("log") or ())
            self.progress.fail(int(facts["jobid"]), str(facts["rule_name"]), logs, str(facts.get("rule_msg") or ""))
        else:
            return
        self._show()

    def _show(self) -> None:
        if not self._stream.isatty():
            for stage in self.progress.stages.values():
                self._tell(stage)
            return
        if self._live is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(file=self._stream, no_color=self.common_settings.nocolor)
            self._live = Live(console=console, refresh_per_second=4, get_renderable=self._shown)
            self._live.start()

    def _shown(self) -> Any:
        from rich.text import Text

        return Text("\n".join(self.progress.lines(time.monotonic())), no_wrap=True, overflow="ellipsis")

    def _tell(self, stage: Stage, *, anyway: bool = False) -> None:
        """On no terminal: a line when a stage has come another tenth further."""
        if stage.total and stage.began is not None and (stage.tenth() > stage.told or (anyway and stage.told < 10)):
            stage.told = stage.tenth()
            self._say(self.progress.line(stage, time.monotonic()))

    def _say(self, text: str) -> None:
        if not text:
            return
        if self._live is not None and not self._closed:
            self._live.console.print(text, markup=False, highlight=False)
        else:
            print(text, file=self._stream, flush=True)

    @property
    def writes_to_stream(self) -> bool:
        """It takes the place of Snakemake's own lines."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """Snakemake's own log file stays as it is."""
        return False

    @property
    def has_filter(self) -> bool:
        """Snakemake's filter does: `-q` and `-p` mean what they mean."""
        return False

    @property
    def has_formatter(self) -> bool:
        """Errors and dry runs read as Snakemake writes them."""
        return False

    @property
    def needs_rulegraph(self) -> bool:
        """Counts are enough."""
        return False


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _end_of(log: Path) -> list[str]:
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - 4000))
            return file.read().decode("utf-8", errors="replace").splitlines()[-_LOG_LINES:]
    except OSError:
        return []
