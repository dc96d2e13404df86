"""What may change about a board and a task, as `config/variants.yaml` declares it (STANDARD 10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.suite import check_schema, parse_yaml, read_bytes

PLACE = "config/variants.yaml"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a task: what it is now and may be (`values`, the first is today's), or how it is `worked` out.

    `forms` are the ways in which the task's texts write it, `{}` standing for the number; `budget` is the key whose
    number it is in the configuration; `digits` are those behind the point of a worked number.
    """

    name: str
    values: tuple[str, ...]
    worked: str | None
    digits: int
    forms: tuple[str, ...]
    budget: str | None


@dataclass(frozen=True, slots=True)
class TaskSubset:
    """What varies about a task besides names: its numbers, and the inequalities that must hold for all of them."""

    task_id: str
    quantities: tuple[Quantity, ...]
    keeps: tuple[str, ...]

    @property
    def place(self) -> str:
        """Where it is declared, for messages."""
        return f"{PLACE}: $.tasks.{self.task_id}"


@dataclass(frozen=True, slots=True)
class Declaration:
    """The boards that may be varied, each with the pins of library symbols that trade numbers, and the tasks."""

    boards: Mapping[str, Mapping[str, tuple[str, ...]]]
    tasks: Mapping[str, TaskSubset]

    def task(self, task_id: str) -> TaskSubset:
        """What varies about a task. Raises SuiteError for one that declares nothing."""
        if task_id not in self.tasks:
            known = ", ".join(sorted(self.tasks)) or "none"
            what = "declares no subset that may be varied"
            raise SuiteError(f"tasks/{task_id}", what, f"declare it in {PLACE}, or vary one of: {known}")
        return self.tasks[task_id]

    def pins(self, fixture_id: str) -> Mapping[str, tuple[str, ...]]:
        """By library symbol the pins that trade numbers. Raises SuiteError for a board that declares nothing."""
        if fixture_id not in self.boards:
            what = "declares no subset that may be varied"
            raise SuiteError(f"fixtures/{fixture_id}", what, f"declare it in {PLACE}: $.boards")
        return self.boards[fixture_id]


def load_declaration(root: Path) -> Declaration:
    """Read `config/variants.yaml` of a checkout (STANDARD 10). Raises SuiteError."""
    data = parse_yaml(read_bytes(root / PLACE, PLACE), PLACE)
    check_schema("variants", data, PLACE)
    boards = {
        board: {symbol: tuple(pins) for symbol, pins in entry.get("pins", {}).items()}
        for board, entry in data["boards"].items()
    }
    return Declaration(boards, {name: _task(name, entry) for name, entry in data["tasks"].items()})


def _task(name: str, entry: Mapping[str, Any]) -> TaskSubset:
    subset = TaskSubset(
        name,
        tuple(_quantity(key, value) for key, value in entry.get("quantities", {}).items()),
        tuple(entry.get("keeps", ())),
    )
    lengths = {len(each.values) for each in subset.quantities if each.worked is None}
    if len(lengths) > 1:
        raise SuiteError(
            subset.place, "its quantities have different numbers of values", "give each as many as another"
        )
    return subset


def _quantity(name: str, value: Mapping[str, Any]) -> Quantity:
    return Quantity(
        name=name,
        values=tuple(str(each) for each in value.get("values", ())),
        worked=value.get("worked"),
        digits=int(value.get("digits", 0)),
        forms=tuple(value.get("forms", ("{}",))),
        budget=value.get("budget"),
    )
