"""Is a task fit for use? Its noop, gold and traps, performed and graded in a folder of their own (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from copperbench.harness.in_process import NOOP, SLUG_PREFIX, perform, performer
from copperbench.harness.trial import Trial
from copperbench.kicad import KicadCli
from copperbench.reporting import DiscriminationRow, discrimination, expectation
from copperbench.suite import Suite


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
    trial = Trial(suite, task_id, folder, cli, fixtures=fixtures)
    for name in (NOOP, *(solution.name for solution in suite.solutions(task_id))):
        tell(name)
        slug = SLUG_PREFIX + name
        who = performer(suite, task_id, slug)
        assert who is not None, "an in-process slug has a performer or raises"
        trial.run(slug, who, perform)
    return discrimination(trial.records(), [expectation(suite, task_id)])[0]
