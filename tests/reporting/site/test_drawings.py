"""Before and after of a schematic: what is drawn, what is kept, and what a page is given to show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copperbench.errors import CopperbenchError
from copperbench.reporting.site.drawings import Draughtsman, SchematicChange

Sheets = Mapping[str, int]
"""A schematic as its sheets, each a length of the one line that stands on it."""


@dataclass
class Kicad:
    """A kicad-cli that draws a line on each sheet, and writes the time of drawing as the real one does."""

    version: str = "10.0.0"
    drawn: int = field(default=0)

    def export_drawings(self, schematic: Path) -> dict[str, bytes]:
        self.drawn += 1
        sheets = json.loads(schematic.read_text())
        return {
            f"{name}.svg": (
                '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99">'
                f'<title>drawn as number {self.drawn}</title><g><path d="M1 1 L{length} 9"/></g></svg>'
            ).encode()
            for name, length in sheets.items()
        }


@pytest.fixture
def kicad() -> Kicad:
    return Kicad()


@pytest.fixture
def draughtsman(kicad: Kicad, tmp_path: Path) -> Draughtsman:
    return Draughtsman(kicad, tmp_path / "kept", tmp_path / "site")  # type: ignore[arg-type]


def change(draughtsman: Draughtsman, before: Sheets, after: Sheets) -> SchematicChange | None:
    def unreadable() -> None:
        raise CopperbenchError("a.kicad_sch", "is a stand-in", "read a real one")

    def state(sheets: Sheets) -> Any:
        files = {"a.kicad_sch": SimpleNamespace(sha256=json.dumps(sheets))}
        return SimpleNamespace(files=files, schematic=unreadable)

    def materialise(which: str, tree: Path, into: Path) -> None:
        into.mkdir()
        (into / "a.kicad_sch").write_text(json.dumps(before if which == "baseline" else after))

    evidence: Any = SimpleNamespace(
        baseline=state(before), end_state=state(after), fixture=SimpleNamespace(schematic="a.kicad_sch")
    )
    seal: Any = SimpleNamespace(materialise=materialise)
    return draughtsman.change(evidence, seal, Path())


def test_a_sheet_that_looks_as_before_is_neither_shown_nor_kept(draughtsman: Draughtsman, tmp_path: Path) -> None:
    found = change(draughtsman, {"root": 5, "power": 6}, {"root": 5, "power": 7})
    assert found is not None
    assert [sheet.name for sheet in found.sheets] == ["power"]
    kept = [json.loads(path.read_text()) for path in (tmp_path / "kept").glob("svg-*.json")]
    assert sorted(bool(each["root.svg"]) for each in kept) == [False, True]  # the baseline's alone


def test_a_sheet_that_came_or_went_has_one_side(draughtsman: Draughtsman) -> None:
    found = change(draughtsman, {"root": 5, "old": 6}, {"root": 5, "new": 6})
    assert found is not None
    sides = {sheet.name: (sheet.before is not None, sheet.after is not None) for sheet in found.sheets}
    assert sides == {"old": (True, False), "new": (False, True)}


def test_each_schematic_is_drawn_once_however_many_runs_left_it(draughtsman: Draughtsman, kicad: Kicad) -> None:
    for after in (6, 7, 6, 6, 7):
        change(draughtsman, {"root": 5}, {"root": after})
    assert kicad.drawn == 3  # the baseline's, and two more


def test_a_second_site_draws_nothing_that_the_first_one_drew(
    draughtsman: Draughtsman, kicad: Kicad, tmp_path: Path
) -> None:
    first = change(draughtsman, {"root": 5}, {"root": 6})
    again = Draughtsman(kicad, tmp_path / "kept", tmp_path / "another")  # type: ignore[arg-type]
    assert change(again, {"root": 5}, {"root": 6}) == first
    assert kicad.drawn == 2


def test_another_kicad_draws_anew(draughtsman: Draughtsman, kicad: Kicad, tmp_path: Path) -> None:
    change(draughtsman, {"root": 5}, {"root": 6})
    newer = Kicad("10.0.1")
    change(Draughtsman(newer, tmp_path / "kept", tmp_path / "site"), {"root": 5}, {"root": 6})  # type: ignore[arg-type]
    assert newer.drawn == 2


def test_an_untouched_schematic_has_no_change_and_asks_nobody(draughtsman: Draughtsman, kicad: Kicad) -> None:
    assert change(draughtsman, {"root": 5}, {"root": 5}) is None
    assert kicad.drawn == 0
