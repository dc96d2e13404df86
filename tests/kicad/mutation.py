"""Edits a schematic the way a hurried agent does: deletes, moves, renames, turns, duplicates, splits, relabels."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

_ITEM = re.compile(r"^\t\((\w+)\b.*?^\t\)$", re.MULTILINE | re.DOTALL)
_ONE_LINE = re.compile(r"^  \((\w+)\b.*?(?=^  \(|^\)|\Z)", re.MULTILINE | re.DOTALL)
_AT = re.compile(r"\(at (-?[\d.]+) (-?[\d.]+)")
_XY = re.compile(r"\(xy (-?[\d.]+) (-?[\d.]+)\)")
_UUID = re.compile(r'\(uuid "?[0-9a-f-]{36}"?\)')
_LABEL = re.compile(r'\((label|global_label|hierarchical_label) "((?:[^"\\]|\\.)*)"')
_STEPS = [-5.08, -2.54, -1.27, 0.0, 1.27, 2.54, 5.08]
_EDITED = {"wire", "bus", "junction", "no_connect", "bus_entry", "symbol", "sheet"}
_EDITED |= {"label", "global_label", "hierarchical_label"}


class Sheet:
    """One file under edit: its text, cut into top-level items."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf-8")
        pattern = _ITEM if re.search(r"^\t\(", text, re.MULTILINE) else _ONE_LINE
        self.pieces: list[str] = []
        self.items: list[int] = []
        end = 0
        for match in pattern.finditer(text):
            self.pieces.append(text[end : match.start()])
            if match[1] in _EDITED:
                self.items.append(len(self.pieces))
            self.pieces.append(match[0])
            end = match.end()
        self.pieces.append(text[end:])

    def of(self, *kinds: str) -> list[int]:
        """The places of the items of these kinds."""
        return [at for at in self.items if re.match(rf"\s*\((?:{'|'.join(kinds)})\b", self.pieces[at])]

    def points(self) -> Iterator[tuple[str, str]]:
        """Positions that things stand at, as written."""
        for at in self.items:
            piece = self.pieces[at]
            yield from _XY.findall(piece)
            yield from _AT.findall(piece)[:1]
            yield from re.findall(r'\(pin "[^"]*" \w+\s+\(at (-?[\d.]+) (-?[\d.]+)', piece)

    def save(self) -> None:
        """Write the file."""
        self.path.write_text("".join(self.pieces), encoding="utf-8")


def mutate(folder: Path, seed: int) -> list[str]:
    """Edit one to three things in the schematic files of `folder`; returns what was done."""
    chance = random.Random(seed)
    files = sorted(path for path in folder.rglob("*.kicad_sch"))
    done: list[str] = []
    labels = {match[2] for path in files for match in _LABEL.finditer(path.read_text(encoding="utf-8"))}
    names = sorted(name for name in labels if not re.search(r"[\[{]", name))
    for _ in range(chance.choice([1, 1, 2, 3])):
        path = chance.choice(files)
        sheet = Sheet(path)
        edit = chance.choice(EDITS)
        said = edit(sheet, chance, names or ["N"])
        if said:
            sheet.save()
            done.append(f"{path.name}: {edit.__name__.strip('_')} {said}")
    return done


def _delete(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    kinds = chance.choice([("wire",), ("junction",), _LABELS, ("symbol",), ("no_connect", "bus_entry", "bus")])
    at = _pick(sheet, chance, *kinds)
    return _replace(sheet, at, lambda piece: "")


def _move(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, *chance.choice([("wire", "bus"), ("junction",), _LABELS, ("symbol",), ("no_connect",)]))
    dx, dy = chance.choice(_STEPS), chance.choice(_STEPS)
    return _replace(sheet, at, lambda piece: _shift(piece, dx, dy))


def _move_onto(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    """Put a label, junction, no-connect or power symbol where something else is."""
    at = _pick(sheet, chance, *chance.choice([_LABELS, ("junction",), ("no_connect",), ("symbol",)]))
    points = list(sheet.points())
    if at is None or not points:
        return ""
    x, y = chance.choice(points)
    here = _AT.search(sheet.pieces[at])
    if here is None:
        return ""
    dx, dy = float(x) - float(here[1]), float(y) - float(here[2])
    return _replace(sheet, at, lambda piece: _shift(piece, dx, dy))


def _move_wire_end(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "wire", "bus")
    dx, dy = chance.choice(_STEPS), chance.choice(_STEPS)
    which = chance.randrange(2)

    def moved(piece: str) -> str:
        ends = list(_XY.finditer(piece))
        end = ends[which % len(ends)]
        x, y = float(end[1]) + dx, float(end[2]) + dy
        return f"{piece[: end.start()]}(xy {x:.4f} {y:.4f}){piece[end.end() :]}"

    return _replace(sheet, at, moved)


def _halve(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "wire", "bus")

    def halved(piece: str) -> str:
        (x1, y1), (x2, y2) = [(float(x), float(y)) for x, y in _XY.findall(piece)[:2]]
        x, y = round((x1 + x2) / 2, 4), round((y1 + y2) / 2, 4)
        first, second = list(_XY.finditer(piece))[:2]
        one = f"{piece[: second.start()]}(xy {x} {y}){piece[second.end() :]}"
        other = f"{piece[: first.start()]}(xy {x} {y}){piece[first.end() :]}"
        return f"{one}\n{_fresh(other, chance)}"

    return _replace(sheet, at, halved)


def _rename(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, *_LABELS)
    name = chance.choice([chance.choice(names), f"NEW_{chance.randrange(3)}"])

    def renamed(match: re.Match[str]) -> str:
        """A bus stays a bus of the same members."""
        start = re.search(r"[\[{]", match[2])
        return f'({match[1]} "{name}{match[2][start.start() :] if start else ""}"'

    return _replace(sheet, at, lambda piece: _LABEL.sub(renamed, piece, count=1))


def _change_kind(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, *_LABELS)
    kind = chance.choice(_LABELS)

    def changed(piece: str) -> str:
        plain = re.sub(r"\s*\(shape \w+\)", "", piece)
        shape = "" if kind == "label" else " (shape input)"
        return _LABEL.sub(lambda match: f'({kind} "{match[2]}"{shape}', plain, count=1)

    return _replace(sheet, at, changed)


def _turn(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "symbol")
    angle = chance.choice([0, 90, 180, 270])
    pattern = r"\(at (-?[\d.]+ -?[\d.]+) \d+\)"
    return _replace(sheet, at, lambda piece: re.sub(pattern, rf"(at \1 {angle})", piece, count=1))


def _mirror(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "symbol")
    axis = chance.choice("xy")

    def mirrored(piece: str) -> str:
        if "(mirror " in piece:
            return re.sub(r"\(mirror \w\)", "", piece, count=1)
        return re.sub(r"(\(at -?[\d.]+ -?[\d.]+ \d+\))", rf"\1 (mirror {axis})", piece, count=1)

    return _replace(sheet, at, mirrored)


def _duplicate(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, *chance.choice([_LABELS, ("symbol",), ("wire", "bus"), ("junction", "no_connect")]))
    dx, dy = chance.choice(_STEPS), chance.choice(_STEPS)
    return _replace(sheet, at, lambda piece: f"{piece}\n{_fresh(_shift(piece, dx, dy), chance)}")


def _change_value(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    """Rename a power symbol, or any symbol's value."""
    at = _pick(sheet, chance, "symbol")
    value = chance.choice(["GND", "+3V3", "+5V", "VBAT", chance.choice(names)])
    pattern = r'\(property "Value" "(?:[^"\\]|\\.)*"'
    return _replace(sheet, at, lambda piece: re.sub(pattern, lambda _: f'(property "Value" "{value}"', piece, count=1))


def _add_label(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    """A new label on something that is there."""
    points = list(sheet.points())
    if not points or not sheet.items:
        return ""
    (x, y), kind, name = chance.choice(points), chance.choice(_LABELS), chance.choice(names)
    shape = "" if kind == "label" else " (shape input)"
    label = f'\t({kind} "{name}"{shape} (at {x} {y} 0) (uuid "00000000-0000-4000-8000-000000000000"))'
    return _replace(sheet, sheet.items[0], lambda piece: f"{piece}\n{_fresh(label, chance)}")


def _add_junction(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    points = list(sheet.points())
    if not points or not sheet.items:
        return ""
    x, y = chance.choice(points)
    junction = f'\t(junction (at {x} {y}) (diameter 0) (uuid "00000000-0000-4000-8000-000000000000"))'
    return _replace(sheet, sheet.items[0], lambda piece: f"{piece}\n{_fresh(junction, chance)}")


def _change_attribute(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "symbol")
    name = chance.choice(["on_board", "in_bom", "dnp"])
    other = {"yes": "no", "no": "yes"}
    return _replace(
        sheet, at, lambda piece: re.sub(rf"\({name} (yes|no)\)", lambda m: f"({name} {other[m[1]]})", piece, count=1)
    )


def _unannotate(sheet: Sheet, chance: random.Random, names: list[str]) -> str:
    at = _pick(sheet, chance, "symbol")
    return _replace(sheet, at, lambda piece: re.sub(r'\(reference "([^"\d]*)\d+"', r'(reference "\1?"', piece))


_LABELS = ("label", "global_label", "hierarchical_label")
Edit = Callable[[Sheet, random.Random, list[str]], str]
EDITS: list[Edit] = [
    _delete,
    _move,
    _move_onto,
    _move_wire_end,
    _halve,
    _rename,
    _change_kind,
    _turn,
    _mirror,
    _duplicate,
    _change_value,
    _add_label,
    _add_junction,
    _change_attribute,
    _unannotate,
]


def _pick(sheet: Sheet, chance: random.Random, *kinds: str) -> int | None:
    found = sheet.of(*kinds)
    return chance.choice(found) if found else None


def _replace(sheet: Sheet, at: int | None, edit: Callable[[str], str]) -> str:
    if at is None:
        return ""
    before = sheet.pieces[at]
    sheet.pieces[at] = edit(before)
    return " ".join(before.split())[:80] if sheet.pieces[at] != before else ""


def _shift(piece: str, dx: float, dy: float) -> str:
    def moved(match: re.Match[str]) -> str:
        head = match[0].split()[0]
        return f"{head} {float(match[1]) + dx:.4f} {float(match[2]) + dy:.4f}" + (")" if head == "(xy" else "")

    return _AT.sub(moved, _XY.sub(moved, piece))


def _fresh(piece: str, chance: random.Random) -> str:
    def new(_: re.Match[str]) -> str:
        return f'(uuid "{uuid.UUID(int=chance.getrandbits(128), version=4)}")'

    return _UUID.sub(new, piece)
