"""A campaign: which runs of the suite are planned, and where each fixture's tree can be had (STANDARD 2)."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.publish import publish_new
from copperbench.suite.loading import Suite, load_suite
from copperbench.suite.plan import NO_USD, UNPRICED, Plan, PlanRow, worst_turns, worst_usd
from copperbench.suite.readiness import why_not_confined, why_not_ready
from copperbench.suite.roster import Contender, Roster, load_roster, parse_harness
from copperbench.suite.schemas import check_schema

LOCAL = "config/campaign.local.yaml"
RECORD_PATH = re.compile(
    r"results/\d{4}-\d\d-\d\d/[a-z0-9][a-z0-9-]*(\+[a-z0-9-]+)*/[a-z0-9][a-z0-9-]*/run-[1-9]\d*\.json"
)
LARGE = "large"
"""The tag of tasks on boards so large that a campaign has them only when asked to."""
SCAFFOLD = "builtin"
"""The scaffold that the in-process harnesses share."""


@dataclass(frozen=True)
class Campaign:
    """The settings of config/config.yaml against the suite on disk; paths are relative to `root`."""

    root: Path
    suite: Suite
    date: str
    tasks: tuple[str, ...]
    proven_tasks: tuple[str, ...]
    harnesses: tuple[str, ...]
    models: tuple[str, ...]
    repeats: int | None
    store: Path | None
    clones: Mapping[str, str]
    kicad_cli: str | None
    isolation: str
    seal_limits: Mapping[str, int]
    roster: Roster
    tool_subsets: Mapping[str, Any]
    max_usd: float | None
    large: bool = False

    @cached_property
    def skipped(self) -> Mapping[str, str]:
        """Tasks of the campaign whose fixture cannot be had without a network, with the reason."""
        reasons = {task: self._why_left_out(task) for task in {*self.tasks, *self.proven_tasks}}
        return {task: reason for task, reason in reasons.items() if reason}

    def _why_left_out(self, task: str) -> str:
        if LARGE in self.suite.task(task).tags and not self.large:
            return f"it is tagged {LARGE}: `make bench-full`, or --config large=true, takes such tasks in"
        return self._why_not(self.fixture_of(task))

    def in_process_records(self) -> list[str]:
        """The records of the noop, gold and trap runs of every task whose fixture can be had."""
        return [
            f"results/{self.date}/harness-{name}/{task}/run-1.json"
            for task in self.proven_tasks
            if task not in self.skipped
            for name in self._performers(task)
        ]

    def model_records(self) -> list[str]:
        """The records of every planned run of the configured models."""
        return [
            f"results/{self.date}/{model}/{task}/run-{n}.json"
            for model in self.models
            for task in self.tasks
            if task not in self.skipped
            for n in range(1, self.repeats_of(task) + 1)
        ]

    def _performers(self, task: str) -> Iterator[str]:
        yield from (name for name in ("noop", "gold") if name in self.harnesses)
        if "traps" in self.harnesses:
            yield from (solution.name for solution in self.suite.solutions(task) if solution.name != "gold")

    def repeats_of(self, task: str) -> int:
        """How many repeats of a task the campaign plans."""
        return self.repeats or self.suite.task(task).repeats

    def fixture_of(self, task: str) -> str:
        """The fixture that a task starts from; SuiteError for a task that does not exist."""
        return self.suite.task(task).fixture_id

    def stamp_of(self, task: str) -> list[str]:
        """The stamp of the fixture that a task starts from; nothing for a task that does not exist.

        Input functions must not raise (Snakemake would show a traceback): a task that does not exist is named by
        its missing task.json, a model that does not exist by the verb that is to perform it.
        """
        return [f"build/fixtures/{self.fixture_of(task)}.sha256"] if self.suite.has_task(task) else []

    def missing_tree(self, task: str) -> list[str]:
        """The same stamp, but only where the fixture's tree has still to be put in place."""
        return self.stamp_of(task) if self.suite.has_task(task) and self.must_fetch(self.fixture_of(task)) else []

    def sandbox_of(self, model: str, task: str) -> str:
        """The starting state that a run of this task unpacks.

        For a model that cannot run here the reason stands in its place: no rule makes such a file, so the workflow
        names it and stops before anything is made.
        """
        try:
            contender = self.contender(model)
        except SuiteError as error:  # input functions must not raise
            return str(error)
        if contender is None or not self.suite.has_task(task):
            return f"build/sandboxes/{SCAFFOLD}/{task}.tar.zst"
        problem = self._why_not_run(contender, task)
        if problem:
            return f"model {model}: {problem[0]}; {problem[1]}"
        return f"build/sandboxes/{contender.harness.name}/{task}.tar.zst"

    def _why_not_run(self, contender: Contender, task: str) -> tuple[str, str] | None:
        """What keeps runs of a contender on a task from starting here, and what to do about it."""
        not_ready = why_not_ready(contender, self.suite.task(task).mode, os.environ)
        return not_ready or why_not_confined(self.isolation, os.environ) or self._why_not_paid(contender, task)

    def _why_not_paid(self, contender: Contender, task: str) -> tuple[str, str] | None:
        """What keeps a run from starting under `max_usd` whatever was spent before it."""
        if self.max_usd is None:
            return None
        worst = worst_usd(self.suite.task(task), contender)
        if worst is None:
            return UNPRICED
        if worst > self.max_usd:
            what = f"one run of {task} could cost {worst:.2f} USD, and max_usd is {self.max_usd:.2f}"
            return what, "raise max_usd, or give the run fewer turns (+turns-N)"
        return None

    def sandbox_options(self, scaffold: str) -> str:
        """Options for `copperbench sandbox`: how the harness is called whose init makes the documents."""
        entry = self.roster.harnesses.get(scaffold)
        return "" if entry is None else f"--harness-entry {shlex.quote(json.dumps(entry))}{self._kicad_option()}"

    def contender(self, slug: str) -> Contender | None:
        """The model and condition that a slug names; None for an in-process harness or a model that is not there."""
        if slug.split("+")[0] not in self.roster.models:
            return None
        if slug not in self._contenders:
            self._contenders[slug] = self.roster.contender(slug, self.tool_subsets, f"model {slug}")
        return self._contenders[slug]

    @cached_property
    def _contenders(self) -> dict[str, Contender]:
        """The contenders named so far: thousands of runs name the same few."""
        return {}

    def provider_resources(self) -> dict[str, Callable[[Any], int]]:
        """A Snakemake resource for each provider, `provider_<name>`: 1 for a run that asks it, 0 for all others."""

        def asks(provider: str) -> Callable[[Any], int]:
            return lambda wildcards: int(self._provider(wildcards.model) == provider)

        providers = sorted({entry["provider"] for entry in self.roster.models.values()})
        return {f"provider_{re.sub('[^a-z0-9]', '_', name.lower())}": asks(name) for name in providers}

    def _provider(self, model: str) -> str | None:
        entry = self.roster.models.get(model.split("+")[0])
        return None if entry is None else entry["provider"]

    def plan(self) -> Plan:
        """What the campaign would run and the most that it could take."""
        in_process = self.in_process_records()
        return Plan(
            campaign=self.date,
            suite_version=self.suite.version,
            tasks=len(self.tasks),
            in_process=len(in_process),
            in_process_due=sum(not self._exists(record) for record in in_process),
            rows=tuple(self._plan_row(model) for model in self.models),
            skipped=self.skipped,
            max_usd=self.max_usd,
            spent_usd=self._spent(),
        )

    def _plan_row(self, model: str) -> PlanRow:
        contender = self.contender(model)
        assert contender is not None, "load_campaign has checked it"
        tasks = [self.suite.task(task) for task in self.tasks if task not in self.skipped]
        runs = [(task, n) for task in tasks for n in range(1, self.repeats_of(task.id) + 1)]
        due = [task for task, n in runs if not self._exists(f"results/{self.date}/{model}/{task.id}/run-{n}.json")]
        costs = [worst_usd(task, contender) for task in due]
        known, priced = [cost for cost in costs if cost is not None], contender.model.is_priced
        problems = filter(None, (self._why_not_run(contender, task.id) for task in tasks))
        return PlanRow(
            model=model,
            harness=contender.harness.name,
            provider=contender.model.provider,
            segment=contender.model.segment,
            planned=len(runs),
            due=len(due),
            turns=sum(worst_turns(task, contender) for task in due),
            wall_clock_s=sum(task.caps.wall_clock_s for task in due),
            usd=sum(known) if priced and len(known) == len(costs) else None,
            usd_reason=NO_USD if not priced else "" if len(known) == len(costs) else "no price in the table",
            problem=next((what for what, _ in problems), ""),
        )

    def _exists(self, record: str) -> bool:
        path = self.root / record
        return path.exists() or (path.with_suffix("") / "run.json").exists()

    def _spent(self) -> float:
        spent = 0.0
        for path in (self.root / "results" / self.date).glob("*/*/run-*/run.json"):
            with suppress(OSError, ValueError, AttributeError, TypeError):
                spent += json.loads(path.read_bytes()).get("cost", {}).get("usd") or 0.0
        return spent

    def is_record_path(self, path: str) -> bool:
        """Whether a path under results/ has the shape of a record."""
        return RECORD_PATH.fullmatch(path) is not None

    def must_fetch(self, fixture: str) -> bool:
        """Whether a fixture's tree is not in place but can be put there without a network."""
        return not self._tree(fixture).is_dir() and self._why_not(fixture) == ""

    def drop_stale_stamps(self) -> None:
        """Forget the stamp of every fixture whose tree is gone: the stamp says that the tree is in place."""
        for stamp in (self.root / "build/fixtures").glob("*.sha256"):
            if not self._tree(stamp.stem).is_dir():
                stamp.unlink(missing_ok=True)

    def source_options(self, fixture: str) -> str:
        """Options for `copperbench fixture get`: where this fixture's tree, or its original's, comes from."""
        variant = self.suite.fixture(fixture).variant
        clone = self.clones.get(fixture if variant is None else variant.of)
        if clone is not None:
            return f"--from {shlex.quote(clone)}"
        return f"--store {shlex.quote(str(self.store))}" if self.store else ""

    def run_options(self, wildcards: Any) -> str:
        """Options for `copperbench run`: everything that the configuration decides about a run."""
        contender = self.contender(wildcards.model)
        repeats = 1 if contender is None else self.repeats_of(wildcards.task)
        settings = self.simulated_options(repeats)
        if contender is None:
            return settings
        settings += f" --contender {shlex.quote(json.dumps(contender.sources))}{self._kicad_option()}"
        if self.max_usd is not None:
            worst = worst_usd(self.suite.task(wildcards.task), contender)
            settings += f" --max-usd {self.max_usd}" + (f" --worst-usd {worst:.6f}" if worst is not None else "")
        return settings

    def simulated_options(self, repeats: int = 1) -> str:
        """Options for `copperbench run` that every run gets; runs of the in-process harnesses get no others."""
        settings = f"--suite {self.suite.version} --repeats-planned {repeats} --isolation {self.isolation}"
        if not self.seal_limits:
            return settings
        return f"{settings} --seal-limits {shlex.quote(json.dumps(dict(self.seal_limits)))}"

    def score_options(self, _wildcards: Any = None) -> str:
        """Options for `copperbench score`."""
        return f"--suite {self.suite.version} --cache build/reports{self._kicad_option()}"

    def _kicad_option(self) -> str:
        return f" --kicad-cli {shlex.quote(self.kicad_cli)}" if self.kicad_cli else ""

    def _tree(self, fixture: str) -> Path:
        return self.root / "fixtures" / fixture / "tree"

    def _why_not(self, fixture_id: str) -> str:
        """Why a fixture's tree cannot be had here and now without a network; empty when it can."""
        if self._tree(fixture_id).is_dir():
            return ""
        fixture = self.suite.fixture(fixture_id)
        if fixture.availability == "published-only":
            return f"fixture {fixture_id} is published only: its design files are not available"
        if fixture.variant is not None and fixture.upstream is not None:
            return self._why_not(fixture.variant.of)
        if fixture_id in self.clones or (self.store and (self.store / fixture_id / "tree").is_dir()):
            return ""
        return (
            f"fixture {fixture_id} is not here: `copperbench fixture get {fixture_id}` fetches it, "
            "or name a store with fixture_store"
        )


def load_campaign(root: Path, config: Mapping[str, Any]) -> Campaign:
    """The campaign that `config` describes, for the checkout at `root`.

    Raises SuiteError for a configuration that is invalid or names a suite or model that does not exist.
    """
    settings = {key: _as_written(key, value) for key, value in config.items()}
    check_schema("config", settings, "config/config.yaml")
    suite = load_suite(root)
    named = settings["suite"]
    roster = load_roster(root)
    subsets = settings.get("tool_subsets") or {}
    conditions = ["", *(f"+{each}" for each in settings.get("ablations") or [])]
    models = [slug + condition for condition in conditions for slug in settings.get("models") or []]
    for slug in models:
        roster.contender(slug, subsets, "config/config.yaml: $.models")
    for name, entry in roster.harnesses.items():
        parse_harness(name, entry)
    store = settings.get("fixture_store") or os.environ.get("COPPERBENCH_FIXTURE_STORE")
    default_store = root / "../shared/fixtures"
    return Campaign(
        root=root,
        suite=suite,
        date=settings.get("date") or campaign_date(root),
        tasks=tuple(suite.select(named) if isinstance(named, str) else named),
        proven_tasks=_proven(suite) if isinstance(named, str) else tuple(named),
        harnesses=tuple(settings["harnesses"]),
        models=tuple(dict.fromkeys(models)),
        repeats=settings.get("repeats"),
        store=Path(store) if store else default_store if default_store.is_dir() else None,
        clones=settings.get("fixture_clones") or {},
        kicad_cli=settings.get("kicad_cli"),
        isolation=settings["isolation"],
        seal_limits=settings.get("seal_limits") or {},
        roster=roster,
        tool_subsets=subsets,
        max_usd=settings.get("max_usd"),
        large=settings.get("large", False),
    )


def _as_written(key: str, value: Any) -> Any:
    """A setting as a file would have it: on a command line a date is no text, but `true` and `null` are."""
    if key == "date" and value is not None:
        return str(value)
    return {"true": True, "false": False, "null": None}.get(value, value) if isinstance(value, str) else value


def _proven(suite: Suite) -> tuple[str, ...]:
    """The tasks that the in-process harnesses perform whatever named suite the models get: a task is proven first."""
    return tuple(task for task in suite.task_ids() if suite.task(task).mode != "check")


def campaign_date(root: Path) -> str:
    """The date of this checkout's campaign: chosen once (today, UTC), then kept in config/campaign.local.yaml.

    Where a campaign of that date was published with the project, it is the next day that none bears: what is
    published is never mixed with what is made here.
    """
    import yaml

    path = root / LOCAL
    if not path.exists():
        with suppress(FileExistsError):  # another process may choose it in this moment: its choice stands
            publish_new(path, f'date: "{_free_date(root)}"\n'.encode())
    try:
        date = str(yaml.safe_load(path.read_text(encoding="utf-8"))["date"])
        datetime.strptime(date, "%Y-%m-%d")
    except (yaml.YAMLError, KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise SuiteError(
            LOCAL, "holds no date (date: YYYY-MM-DD)", "delete the file to begin a new campaign"
        ) from error
    return date


def _free_date(root: Path) -> str:
    day = datetime.now(UTC).date()
    while (root / "results" / day.isoformat()).exists():
        day += timedelta(days=1)
    return day.isoformat()
