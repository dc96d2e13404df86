"""Is a task fit for use? Its noop, gold and traps, performed and graded in a folder of their own (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from copperbench.harness.in_process import NOOP, SLUG_PREFIX, perform, performer
from copperbench.harness.running import RunOrder, carry_out
from copperbench.kicad import KicadCli
from copperbench.records import Record, read_records, record_place
from copperbench.records.score import Scorer
from copperbench.reporting import DiscriminationRow, discrimination, expectation
from copperbench.sandbox import build_sandbox
from copperbench.suite import Suite, verify_tree

_CAMPAIGN = "2026-01-01"


def prove(
    suite: Suite,
    task_id: str,
    folder: Path,
    cli: KicadCli | None,
    *,
    fixtures: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> DiscriminationRow:
    """Perform and grade every in-process run of a task, once each; what it left lies in `folder` (STANDARD 12).

    Nothing of the checkout is read but the suite, and nothing of it is written: this is for the author at work,
    whose campaign's records stay as they are. `tell` is given each run's name before it starts. Raises SuiteError,
    FixtureMismatch and OperationFailed where a run cannot be performed, KicadCliFailed where it cannot be judged.
    """
    task = suite.task(task_id)
    fixture = suite.fixture(task.fixture_id)
    trees = fixtures or suite.root / "fixtures"
    verify_tree(fixture, trees / fixture.id / "tree")
    archive = folder / "sandbox.tar.zst"
    archive.write_bytes(build_sandbox(task, fixture, trees / fixture.id / "tree").data)
    scorer = Scorer(suite, trees, cli)
    for name in (NOOP, *(solution.name for solution in suite.solutions(task_id))):
        tell(name)
        slug = SLUG_PREFIX + name
        who = performer(suite, task_id, slug)
        assert who is not None, "an in-process slug has a performer or raises"
        place = record_place(Path(f"results/{_CAMPAIGN}/{slug}/{task_id}/run-1.json"), folder)
        carry_out(RunOrder(place, who, archive, suite.version, fixtures=trees), suite, perform)
        scorer.score(place)
    records = [entry for entry in read_records(folder) if isinstance(entry, Record)]
    return discrimination(records, [expectation(suite, task_id)])[0]
