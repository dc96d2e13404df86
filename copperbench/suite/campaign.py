"""A campaign: which runs of the suite are planned, and where each fixture's tree can be had (STANDARD 2)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.publish import publish_new
from copperbench.suite.loading import Suite, load_suite
from copperbench.suite.schemas import check_schema

LOCAL = "config/campaign.local.yaml"
RECORD_PATH = re.compile(
    r"results/\d{4}-\d\d-\d\d/[a-z0-9][a-z0-9-]*(\+[a-z0-9-]+)*/[a-z0-9][a-z0-9-]*/run-[1-9]\d*\.json"
)
SCAFFOLD = "builtin"
"""The scaffold that the in-process harnesses share."""


@dataclass(frozen=True)
class Campaign:
    """The settings of config/config.yaml against the suite on disk; paths are relative to `root`."""

    root: Path
    suite: Suite
    date: str
    tasks: tuple[str, ...]
    harnesses: tuple[str, ...]
    models: tuple[str, ...]
    repeats: int | None
    store: Path | None
    clones: Mapping[str, str]
    kicad_cli: str | None
    isolation: str

    @cached_property
    def skipped(self) -> Mapping[str, str]:
        """Tasks of the campaign whose fixture cannot be had without a network, with the reason."""
        reasons = {task: self._why_not(self.fixture_of(task)) for task in self.tasks}
        return {task: reason for task, reason in reasons.items() if reason}

    def in_process_records(self) -> list[str]:
        """The records of the noop, gold and trap runs of every task whose fixture can be had."""
        return [
            f"results/{self.date}/harness-{name}/{task}/run-1.json"
            for task in self.tasks
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
        return [f"build/fixtures/{self.fixture_of(task)}.sha256"] if task in self.suite.task_ids() else []

    def missing_tree(self, task: str) -> list[str]:
        """The same stamp, but only where the fixture's tree has still to be put in place."""
        return self.stamp_of(task) if task in self.suite.task_ids() and self.must_fetch(self.fixture_of(task)) else []

    def sandbox_of(self, task: str) -> str:
        """The starting state that a run of this task unpacks."""
        return f"build/sandboxes/{SCAFFOLD}/{task}.tar.zst"

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
        """Options for `copperbench fixture get`: where this fixture's tree comes from."""
        if fixture in self.clones:
            return f"--from {shlex.quote(self.clones[fixture])}"
        return f"--store {shlex.quote(str(self.store))}" if self.store else ""

    def run_options(self, wildcards: Any) -> str:
        """Options for `copperbench run`: everything that the configuration decides about a run."""
        repeats = 1 if wildcards.model.startswith("harness-") else self.repeats_of(wildcards.task)
        return f"--suite {self.suite.version} --repeats-planned {repeats} --isolation {self.isolation}"

    def score_options(self, _wildcards: Any) -> str:
        """Options for `copperbench score`."""
        kicad = f" --kicad-cli {shlex.quote(self.kicad_cli)}" if self.kicad_cli else ""
        return f"--suite {self.suite.version}{kicad}"

    def _tree(self, fixture: str) -> Path:
        return self.root / "fixtures" / fixture / "tree"

    def _why_not(self, fixture_id: str) -> str:
        """Why a fixture's tree cannot be had here and now without a network; empty when it can."""
        if self._tree(fixture_id).is_dir():
            return ""
        fixture = self.suite.fixture(fixture_id)
        if fixture.availability == "published-only":
            return f"fixture {fixture_id} is published only: its design files are not available"
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
    # A date given as --config date=... arrives as YAML reads it: as a date, not as text.
    settings: dict[str, Any] = {
        key: str(value) if key == "date" and value is not None else value for key, value in config.items()
    }
    check_schema("config", settings, "config/config.yaml")
    suite = load_suite(root)
    named = settings["suite"]
    models = settings.get("models") or []
    known = _model_slugs(root)
    for slug in models:
        if slug not in known:
            raise SuiteError(
                "config/config.yaml: $.models", f"unknown model {slug!r}", "name a slug of config/models.yaml"
            )
    store = settings.get("fixture_store") or os.environ.get("COPPERBENCH_FIXTURE_STORE")
    default_store = root / "../shared/fixtures"
    return Campaign(
        root=root,
        suite=suite,
        date=settings.get("date") or campaign_date(root),
        tasks=tuple(suite.select(named) if isinstance(named, str) else named),
        harnesses=tuple(settings["harnesses"]),
        models=tuple(models),
        repeats=settings.get("repeats"),
        store=Path(store) if store else default_store if default_store.is_dir() else None,
        clones=settings.get("fixture_clones") or {},
        kicad_cli=settings.get("kicad_cli"),
        isolation=settings["isolation"],
    )


def campaign_date(root: Path) -> str:
    """The date of this checkout's campaign: chosen once (today, UTC), then kept in config/campaign.local.yaml."""
    import yaml

    path = root / LOCAL
    if not path.exists():
        with suppress(FileExistsError):  # another process may choose it in this moment: its choice stands
            publish_new(path, f'date: "{datetime.now(UTC).date().isoformat()}"\n'.encode())
    try:
        date = str(yaml.safe_load(path.read_text(encoding="utf-8"))["date"])
        datetime.strptime(date, "%Y-%m-%d")
    except (yaml.YAMLError, KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise SuiteError(
            LOCAL, "holds no date (date: YYYY-MM-DD)", "delete the file to begin a new campaign"
        ) from error
    return date


def _model_slugs(root: Path) -> frozenset[str]:
    import yaml

    path = root / "config/models.yaml"
    if not path.exists():
        return frozenset()
    models = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    check_schema("models", models, "config/models.yaml")
    return frozenset(models.get("models", {}))
