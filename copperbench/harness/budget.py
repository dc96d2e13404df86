"""The most USD that a campaign may cost: no run starts that could pass it (STANDARD 2)."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError, HarnessUnavailable, SealBroken
from copperbench.publish import json_bytes, publish
from copperbench.records import RecordPlace
from copperbench.sandbox import parse_run
from copperbench.suite import UNPRICED, parse_json

_LOCK = "lock"


@dataclass(frozen=True, slots=True)
class Budget:
    """What is left of a campaign's sum: sealed runs count with their cost, all others with their worst case.

    `folder` keeps a note of every run that was admitted and has no known cost yet: it is running, was killed, or its
    usage was never told. Notes and sum are read and written under one lock, so runs in parallel share one budget.
    """

    max_usd: float
    folder: Path

    @contextmanager
    def admitted(self, place: RecordPlace, worst_usd: float | None) -> Iterator[None]:
        """Admit a run whose cost is at most `worst_usd`, for as long as the context lasts.

        Raises HarnessUnavailable when the sum could pass the limit, or when nobody knows the worst case.
        """
        if worst_usd is None:
            raise HarnessUnavailable(place.name, *UNPRICED)
        note = self.folder / f"{place.model}--{place.task}--{place.repeat}.json"
        with self._locked():
            spent, pledged = self._sealed(place), self._pending(place)
            if spent + pledged + worst_usd > self.max_usd:
                taken = f"{spent:.2f} of max_usd {self.max_usd:.2f} are spent"
                taken += f", and runs without a known cost could take {pledged:.2f}" if pledged else ""
                remedy = "raise max_usd; finished runs are kept"
                if spent + worst_usd <= self.max_usd:
                    remedy = f"repeat the command when the runs under way have ended, or {remedy}"
                raise HarnessUnavailable(place.name, f"could cost {worst_usd:.2f} USD; {taken}", remedy)
            publish(note, json_bytes({"usd": worst_usd}))
        try:
            yield
        finally:
            with self._locked():
                if not _is_open(place.folder):
                    note.unlink(missing_ok=True)

    def _sealed(self, place: RecordPlace) -> float:
        """USD of the campaign's sealed runs, as far as they are known."""
        campaign = place.root / "results" / place.campaign
        costs = (_cost(run.parent) for run in campaign.glob("*/*/run-*/run.json"))
        return sum(cost for cost in costs if cost is not None)

    def _pending(self, place: RecordPlace) -> float:
        """The worst cases of runs that were admitted and have no known cost."""
        total = 0.0
        for note in self.folder.glob("*--*--*.json"):
            model, task, repeat = note.stem.split("--")
            folder = place.root / "results" / place.campaign / model / task / f"run-{repeat}"
            if folder != place.folder and _cost(folder) is None:
                total += float(parse_json(note.read_bytes(), str(note))["usd"])
        return total

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise CopperbenchError(self.folder, f"cannot be written ({error.strerror})", "fix it") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


def _cost(folder: Path) -> float | None:
    try:
        facts = parse_run((folder / "run.json").read_bytes(), str(folder / "run.json"))
    except (OSError, SealBroken):
        return None
    return facts.cost.usd if facts.cost is not None else None


def _is_open(folder: Path) -> bool:
    """Whether a run was sealed without a known cost: its worst case stays pledged."""
    return (folder / "run.json").exists() and _cost(folder) is None
