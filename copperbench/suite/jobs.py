"""What the jobs of a campaign are made of and need of a machine: for the workflow and its schedulers (STANDARD 14)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from copperbench.suite.loading import Suite

_SCORE_MB, _SCORE_LINES_PER_MB = 700, 2000
_RUN_MB, _RUN_LINES_PER_MB = 1500, 1000
_MINUTES_BESIDE = 10


@dataclass(frozen=True, slots=True)
class Shard:
    """Runs of one task and date, by the paths of their records: either those of models, or the in-process ones."""

    date: str
    task: str
    of_models: bool
    records: tuple[str, ...]

    @property
    def key(self) -> str:
        """What the names of the rules end in that perform or grade them together."""
        return f"{'models_' if self.of_models else ''}{self.task}_{self.date}".replace("-", "_")

    @property
    def name(self) -> str:
        """The name of the rule that grades them."""
        return f"score_{self.key}"

    @property
    def seals(self) -> tuple[str, ...]:
        """What makes each of them sealed: its `run.json`."""
        return tuple(f"{record[:-5]}/run.json" for record in self.records)

    @property
    def stamp(self) -> str:
        """The file that says that they were performed together."""
        return f"build/runs/{self.date}/{self.task}.done"


def shards(records: Iterable[str]) -> tuple[Shard, ...]:
    """The records of each task and date, to be graded in one call that reads what they share but once.

    Runs of models and those in process are apart: who wants the one kind graded has not asked for the other. Made of
    paths alone, so that a process on another machine makes the same ones; `records` have the form of paths of records.
    """
    found: dict[tuple[str, str, bool], list[str]] = {}
    for record in records:
        _, date, model, task, _ = record.split("/")
        found.setdefault((date, task, not model.startswith("harness-")), []).append(record)
    return tuple(Shard(*key, tuple(sorted(found[key]))) for key in sorted(found))


def batches(planned: Iterable[str], is_there: Callable[[str], bool]) -> tuple[Shard, ...]:
    """The tasks and dates of whose planned runs none is there yet, to be performed in one call each.

    `planned` are the records of runs that are performed in process: those of a task take a moment each, and less than
    a program needs to start. Where a run is there the others are performed one by one, so that one that fails keeps
    none of the others from its grade twice.
    """
    return tuple(shard for shard in shards(planned) if not any(map(is_there, shard.records)))


@dataclass(frozen=True, slots=True)
class Needs:
    """Memory (megabytes) and time (minutes) that jobs may take, by the size of the task's fixture.

    Bounds for a scheduler, generous on purpose: a job that is killed for a megabyte costs more than one that waits. A
    task or fixture that the suite lacks needs what the smallest needs.
    """

    suite: Suite

    def score_mb(self, task: str) -> int:
        """Grading, with the kicad-cli that it calls."""
        return _SCORE_MB + self._lines(task) // _SCORE_LINES_PER_MB

    def score_minutes(self, task: str, runs: int = 1) -> int:
        """Grading so many runs, none of which KiCad has judged yet."""
        return _MINUTES_BESIDE + runs * (1 + self._lines(task) // 100_000)

    def measure_mb(self, fixture: str) -> int:
        """Measuring a fixture as shipped: KiCad's two reports, as in a grade."""
        return _SCORE_MB + self._lines_of(fixture) // _SCORE_LINES_PER_MB

    def measure_minutes(self, fixture: str) -> int:
        """Measuring a fixture as shipped."""
        return _MINUTES_BESIDE + 1 + self._lines_of(fixture) // 100_000

    def batch_minutes(self, runs: int) -> int:
        """Performing so many runs in process, one after the other."""
        return _MINUTES_BESIDE + runs

    def run_mb(self, task: str) -> int:
        """A run: the harness beside the kicad-cli that it calls."""
        return _RUN_MB + self._lines(task) // _RUN_LINES_PER_MB

    def run_minutes(self, task: str) -> int:
        """A run: its wall-clock cap, and ten minutes to set up, stop and seal."""
        cap_s = self.suite.task(task).caps.wall_clock_s if self.suite.has_task(task) else 0.0
        return _MINUTES_BESIDE + math.ceil(cap_s / 60)

    def _lines(self, task: str) -> int:
        return self._lines_of(self.suite.task(task).fixture_id) if self.suite.has_task(task) else 0

    def _lines_of(self, fixture: str) -> int:
        if fixture not in self.suite.fixture_ids():
            return 0
        scale = self.suite.fixture(fixture).scale
        return scale.get("schematicLines", 0) + scale.get("boardLines", 0)
