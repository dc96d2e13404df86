"""How simulated agents fare on a task: performed and graded in a folder, no record kept (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from copperbench.harness.in_process import SLUG_PREFIX, Job, Performance, perform
from copperbench.harness.stopping import Stop
from copperbench.harness.strategies import STRATEGIES, Scene, Strategy, complying
from copperbench.harness.trial import Trial
from copperbench.kicad import KicadCli
from copperbench.records import Record
from copperbench.reporting.profile import ProfileCell
from copperbench.suite import RunMode, Solution, Suite, Task


@dataclass(frozen=True, slots=True)
class _Simulated:
    """Who performs a simulated agent's run. It is no model, so its run is called what a trap's is."""

    strategy: Strategy
    solution: Solution | None = None

    @property
    def slug(self) -> str:
        return f"{SLUG_PREFIX}sim-{self.strategy.name}"

    @property
    def run_mode(self) -> RunMode:
        return "trap"


def profile_task(
    suite: Suite,
    task_id: str,
    folder: Path,
    cli: KicadCli | None,
    *,
    strategies: Iterable[Strategy] = STRATEGIES,
    fixtures: Path | None = None,
    cache: Path | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[ProfileCell, ...]:
    """Perform and grade every strategy on a task, once each; what the runs left lies in `folder` (STANDARD 12).

    No record is written into the checkout, so that none can come near a model's figures. `cache` is a folder of
    KiCad's reports by design; `tell` is given each strategy's name before it starts. Raises SuiteError,
    FixtureMismatch, OperationFailed where a run cannot be performed, KicadCliFailed where it cannot be judged.
    """
    trial = Trial(suite, task_id, folder, cli, fixtures=fixtures, cache=cache)
    task, fixture = trial.task, trial.fixture
    solutions = suite.solutions(task_id)
    gold = next(solution for solution in solutions if solution.name == "gold")
    by_slug: dict[str, Strategy] = {}
    for strategy in strategies:
        tell(strategy.name)
        who = _Simulated(strategy)
        by_slug[who.slug] = strategy

        def act(job: Job, stop: Stop, strategy: Strategy = strategy) -> Performance:
            scene = Scene(task, fixture, job.root, gold, complying(task, solutions))
            return perform(replace(job, performer=_Simulated(strategy, strategy.solution(scene))), stop)

        trial.run(who.slug, who, act)
    cells = {each.strategy: each for each in (_cell(record, task, by_slug) for record in trial.records())}
    return tuple(cells[strategy.name] for strategy in by_slug.values())


def _cell(record: Record, task: Task, by_slug: dict[str, Strategy]) -> ProfileCell:
    strategy = by_slug[record.path.split("/")[2]]
    return ProfileCell(
        strategy.name,
        strategy.told,
        strategy.axis,
        task.id,
        task.tier,
        task.expected_outcome,
        strategy.ignores(task),
        record.verdict,
        (record.stats.exit_path if record.stats else None) or "",
        record.failed_required,
    )
