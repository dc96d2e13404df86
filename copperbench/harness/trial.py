"""Runs of one task in a folder of their own: performed, graded, and no part of any campaign (STANDARD 12)."""

from __future__ import annotations

from pathlib import Path

from copperbench.harness.in_process import Performing
from copperbench.harness.running import Perform, RunOrder, carry_out
from copperbench.kicad import KicadCli
from copperbench.records import Record, read_records, record_place
from copperbench.records.score import Scorer
from copperbench.sandbox import build_sandbox
from copperbench.suite import Suite, verify_tree

_CAMPAIGN = "2026-01-01"


class Trial:
    """A place to try performers on a task. Nothing of the checkout is read but the suite, and nothing of it is written.

    `folder` takes what the runs leave; `fixtures` holds the trees (the suite's own where None); `cache` is a folder of
    KiCad's reports by design. Raises SuiteError, FixtureMismatch and OperationFailed where no run can start.
    """

    def __init__(
        self,
        suite: Suite,
        task_id: str,
        folder: Path,
        cli: KicadCli | None,
        *,
        fixtures: Path | None = None,
        cache: Path | None = None,
    ) -> None:
        self.task = suite.task(task_id)
        self.fixture = suite.fixture(self.task.fixture_id)
        self._suite, self._folder = suite, folder
        self._trees = fixtures or suite.root / "fixtures"
        tree = self._trees / self.fixture.id / "tree"
        verify_tree(self.fixture, tree)
        self._archive = folder / "sandbox.tar.zst"
        self._archive.write_bytes(build_sandbox(self.task, self.fixture, tree).data)
        self._scorer = Scorer(suite, self._trees, cli, cache=cache)

    def run(self, slug: str, who: Performing, act: Perform) -> None:
        """Perform one run under `slug` and grade it. Raises OperationFailed, KicadCliFailed."""
        place = record_place(Path(f"results/{_CAMPAIGN}/{slug}/{self.task.id}/run-1.json"), self._folder)
        carry_out(RunOrder(place, who, self._archive, self._suite.version, fixtures=self._trees), self._suite, act)
        self._scorer.score(place)

    def records(self) -> tuple[Record, ...]:
        """The records of all runs so far, by path."""
        return tuple(entry for entry in read_records(self._folder) if isinstance(entry, Record))
