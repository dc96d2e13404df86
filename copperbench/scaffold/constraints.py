"""What a project records of its limits: `.copperhead/constraints.json` and the budgets of its config."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.errors import CopperbenchError
from copperbench.publish import json_bytes
from copperbench.scaffold.nets import documented_net
from copperbench.suite import Fixture, TaskConfig, parse_json

if TYPE_CHECKING:
    from copperbench.kicad import Netlist, Schematic

CONFIG_PATH = ".copperhead/config.json"
CONSTRAINTS_PATH = ".copperhead/constraints.json"
BUDGET_SOURCE = "config.budgets"
DEFAULTS: Mapping[str, Any] = {
    "board": None,
    "docs": "docs/",
    "heartbeatMs": 30_000,
    "maxRepairCycles": 5,
    "maxStageRetries": 2,
    "maxTurns": 40,
    "model": None,
    "schematic": None,
    "turnTimeoutMs": 600_000,
}


class RecordUnreadable(CopperbenchError):
    """The project's constraints or config are not the JSON that they must be."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """One registered limit; a field that the entry lacks is None or empty (STANDARD 4, `constraint_registered`)."""

    key: str
    value: float | str | None
    min: float | None
    max: float | None
    forbidden: tuple[str, ...]
    source: str
    affects: tuple[str, ...]

    @property
    def numbers(self) -> Mapping[str, float]:
        """The numbers that it states, by field name."""
        stated = {"value": self.value, "min": self.min, "max": self.max}
        return {name: number for name, number in stated.items() if isinstance(number, int | float)}


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """What grading reads of `.copperhead/config.json`."""

    schematic: str | None
    board: str | None
    docs: str
    budgets: Mapping[str, float]
    llm_cache: bool


def parse_constraints(data: bytes, where: str = CONSTRAINTS_PATH) -> tuple[Constraint, ...]:
    """The entries of a constraints file, in the order of the file.

    Raises RecordUnreadable when it is not an object of objects, SuiteError when it is not strict JSON (a key that
    stands twice is refused: two readers would believe two different numbers).
    """
    document = parse_json(data, where)
    if not isinstance(document, dict):
        raise RecordUnreadable(where, "is not an object", "write an object of entries by key")
    return tuple(_constraint(key, entry, where) for key, entry in document.items())


def parse_config(data: bytes, where: str = CONFIG_PATH) -> ProjectConfig:
    """The settings of a config file, defaults filled in; entries of another type than theirs count as absent.

    Raises RecordUnreadable when it is no object, SuiteError when it is not strict JSON.
    """
    document = parse_json(data, where)
    if not isinstance(document, dict):
        raise RecordUnreadable(where, "is not an object", "write an object of settings")
    budgets = document.get("budgets")
    return ProjectConfig(
        schematic=_text(document.get("schematic")),
        board=_text(document.get("board")),
        docs=_text(document.get("docs")) or "docs/",
        budgets={key: number for key, number in budgets.items() if _is_number(number)}
        if isinstance(budgets, dict)
        else {},
        llm_cache=document.get("llmCache") is not False,
    )


def configure(root: Path, fixture: Fixture, config: TaskConfig) -> None:
    """Merge a task's settings over what the setup wrote, and register its budgets (STANDARD 2, step 3).

    The schematic and board are the fixture's, the response cache is off. Raises RecordUnreadable when the setup left
    a config that is no JSON object.
    """
    place = root / CONFIG_PATH
    document = _object(place) if place.is_file() else dict(DEFAULTS)
    document |= {
        "board": fixture.board,
        "budgets": dict(config.budgets),
        "llmCache": False,
        "maxRepairCycles": config.max_repair_cycles,
        "maxTurns": config.max_turns,
        "schematic": fixture.schematic,
    }
    if config.stage_max_turns:
        document["stageMaxTurns"] = dict(config.stage_max_turns)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(json_bytes(document))
    register_budgets(root, config.budgets)


def register_budgets(root: Path, budgets: Mapping[str, float]) -> None:
    """Enter each budget into the constraints file, beside what is there (STANDARD 2, step 3)."""
    place = root / CONSTRAINTS_PATH
    document = _object(place) if place.is_file() else {}
    document |= {key: {"affects": [], "source": BUDGET_SOURCE, "value": number} for key, number in budgets.items()}
    if document:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(json_bytes(document))


def forbidden_pins(constraints: tuple[Constraint, ...], schematic: Schematic, netlist: Netlist) -> tuple[str, ...]:
    """Pins whose name a constraint forbids and that are connected all the same, one sentence each.

    Part of `check_clean` (STANDARD 4).
    """
    found = []
    for constraint in constraints:
        names = set(constraint.forbidden)
        for symbol in schematic.symbols if names else ():
            for pin in symbol.pins:
                net = documented_net(netlist, symbol.refdes, pin.number) if pin.name in names else ""
                if net:
                    found.append(
                        f"{symbol.refdes}:{pin.number} {pin.name} is on net {net}, forbidden by {constraint.key}"
                    )
    return tuple(found)


def _constraint(key: str, entry: Any, where: str) -> Constraint:
    if not isinstance(entry, dict):
        raise RecordUnreadable(f"{where}: $.{key}", "is not an object", "write {value, source, affects}")
    value = entry.get("value")
    return Constraint(
        key=key,
        value=value if _is_number(value) or isinstance(value, str) else None,
        min=_number(entry.get("min")),
        max=_number(entry.get("max")),
        forbidden=_texts(entry.get("forbidden")),
        source=_text(entry.get("source")) or "",
        affects=_texts(entry.get("affects")),
    )


def _object(place: Path) -> dict[str, Any]:
    try:
        document = json.loads(place.read_bytes())
    except (ValueError, RecursionError) as error:
        raise RecordUnreadable(place, "is no JSON", "fix the harness's init") from error
    if not isinstance(document, dict):
        raise RecordUnreadable(place, "is not an object", "fix the harness's init")
    return document


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float | None:
    return value if _is_number(value) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
