"""KiCad's drawings for a page: cleaned, made small, and the difference of two of them boxed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = frozenset(_SVG + name for name in ("path", "rect", "circle", "ellipse", "polyline", "polygon", "line"))
_KEPT = _DRAWN | {_SVG + "g", _SVG + "svg"}
_ATTRIBUTES = frozenset(
    "d x y x1 y1 x2 y2 cx cy r rx ry points width height viewBox transform style fill stroke stroke-width class".split()  # noqa: SIM905
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_COMMAND = re.compile(r"([MLAZHVCQST])([^MLAZHVCQST]*)", re.IGNORECASE)
_MARGIN_MM = 1.2
_JOINED_WITHIN_MM = 2.5
_MOST_BOXES = 400
_SMALLEST_MM = 90.0
_COLOURS: Mapping[str, str] = {"before": "#d1242f", "after": "#1a7f37"}

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Drawing:
    """One sheet's drawing, cleaned: its root, and the things drawn on it with their boxes in millimetres."""

    root: Element
    things: tuple[tuple[str, Box], ...]


def read_drawing(data: bytes) -> Drawing | None:
    """Read an SVG that KiCad wrote; keeps shapes and nothing else: no text, script, link, style sheet or date.

    KiCad draws every text as strokes. None for what is no SVG.
    """
    if b"<!ENTITY" in data:
        return None
    try:
        root = ElementTree.fromstring(data)  # noqa: S314 - no entities: refused above; kicad-cli wrote it
    except (ElementTree.ParseError, ValueError):
        return None
    if root.tag != f"{_SVG}svg":
        return None
    _clean(root)
    return Drawing(root, tuple(_things(root)))


def marked(drawing: Drawing, other: Drawing | None, side: Literal["before", "after"]) -> bytes:
    """The drawing with a box around everything that `other` has not; all of it is new where `other` is None."""
    boxes = _joined(_only_here(drawing, other)) if other is not None else ()
    root = deepcopy(drawing.root)
    for child in list(root):
        _merge_paths(child)
    colour = _COLOURS[side]
    group = ElementTree.SubElement(root, f"{_SVG}g", {"fill": colour, "stroke": colour})
    group.set("style", "fill-opacity:0.12;stroke-width:0.35")
    for left, top, right, bottom in boxes:
        size = {"width": f"{right - left:.2f}", "height": f"{bottom - top:.2f}", "rx": "0.8"}
        ElementTree.SubElement(group, f"{_SVG}rect", {"x": f"{left:.2f}", "y": f"{top:.2f}", **size})
    ElementTree.register_namespace("", _SVG[1:-1])
    return bytes(ElementTree.tostring(root))


def close_up(drawing: Drawing, other: Drawing | None) -> str:
    """The region of what `marked` boxes as `x,y,width,height` in millimetres, with room around it; all where unknown.

    At least `_SMALLEST_MM` wide, so that the reader sees where on the sheet the change is.
    """
    boxes = _only_here(drawing, other) if other is not None else []
    boxes = boxes or [box for _, box in drawing.things] or [(0.0, 0.0, 297.0, 210.0)]
    left, top, right, bottom = _around(boxes)
    width, height = max(right - left + 20, _SMALLEST_MM), max(bottom - top + 14, _SMALLEST_MM * 0.7)
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    return f"{middle_x - width / 2:.1f},{middle_y - height / 2:.1f},{width:.1f},{height:.1f}"


def differs(before: Drawing, after: Drawing) -> bool:
    """Whether two drawings show different things, whatever order they were drawn in."""
    return Counter(before.things) != Counter(after.things)


def _clean(element: Element) -> None:
    for child in list(element):
        if child.tag in _KEPT:
            _clean(child)
        else:
            element.remove(child)
    element.text = element.tail = None
    for name, value in list(element.attrib.items()):
        if name not in _ATTRIBUTES or "url" in value.lower() or "expression" in value.lower():
            del element.attrib[name]
        elif name == "d":
            element.set("d", _NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), value))


def _things(element: Element) -> Iterator[tuple[str, Box]]:
    """Every text as one thing and every other shape as one, with what tells it from others."""
    for child in element:
        if child.get("class") == "stroked-text":
            parts = [thing for each in child if (thing := _thing(each))]
            if parts:
                yield " ".join(key for key, _ in parts), _around([box for _, box in parts])
        elif child.tag in _DRAWN:
            if thing := _thing(child):
                yield thing
        else:
            yield from _things(child)


def _thing(shape: Element) -> tuple[str, Box] | None:
    points = list(_points(shape))
    if not points:
        return None
    xs, ys = [x for x, _ in points], [y for _, y in points]
    key = " ".join(f"{name}={value}" for name, value in sorted(shape.attrib.items()) if name != "style")
    return f"{shape.tag} {key}", (min(xs), min(ys), max(xs), max(ys))


def _points(shape: Element) -> Iterator[tuple[float, float]]:
    def at(name: str) -> float:
        found = _NUMBER.match(shape.get(name, "0"))
        return float(found[0]) if found else 0.0

    if "d" in shape.attrib:
        for letter, rest in _COMMAND.findall(shape.attrib["d"]):
            numbers = [float(each) for each in _NUMBER.findall(rest)]
            numbers = numbers[-2:] if letter in "Aa" else numbers
            yield from zip(numbers[::2], numbers[1::2], strict=False)
    elif "points" in shape.attrib:
        numbers = [float(each) for each in _NUMBER.findall(shape.attrib["points"])]
        yield from zip(numbers[::2], numbers[1::2], strict=False)
    elif "cx" in shape.attrib:
        rx, ry = max(at("r"), at("rx")), max(at("r"), at("ry"))
        yield at("cx") - rx, at("cy") - ry
        yield at("cx") + rx, at("cy") + ry
    elif "x1" in shape.attrib:
        yield at("x1"), at("y1")
        yield at("x2"), at("y2")
    else:
        yield at("x"), at("y")
        yield at("x") + at("width"), at("y") + at("height")


def _only_here(drawing: Drawing, other: Drawing) -> list[Box]:
    left = Counter(key for key, _ in other.things)
    boxes = []
    for key, box in drawing.things:
        if left[key] > 0:
            left[key] -= 1
        else:
            boxes.append(box)
    return boxes


def _joined(boxes: Sequence[Box]) -> Sequence[Box]:
    """Boxes that nearly touch become one; more than a reader could use become one around all."""
    if len(boxes) > _MOST_BOXES:
        return (_around(boxes),)
    todo = [(a - _MARGIN_MM, b - _MARGIN_MM, c + _MARGIN_MM, d + _MARGIN_MM) for a, b, c, d in boxes]
    done: list[Box] = []
    while todo:
        box = todo.pop()
        near = [each for each in done if _near(box, each)]
        if near:
            done = [each for each in done if each not in near]
            todo.append(_around([box, *near]))
        else:
            done.append(box)
    return sorted(done)


def _near(a: Box, b: Box) -> bool:
    gap = _JOINED_WITHIN_MM
    return a[0] - gap <= b[2] and b[0] - gap <= a[2] and a[1] - gap <= b[3] and b[1] - gap <= a[3]


def _around(boxes: Sequence[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _merge_paths(group: Element) -> None:
    """Strokes of one style as one path: a letter is a dozen of them, and half of the file their tags."""
    last: Element | None = None
    for child in list(group):
        plain = child.tag == f"{_SVG}path" and child.attrib.keys() == {"d"}
        if plain and last is not None:
            last.set("d", f"{last.attrib['d'].strip()} {child.attrib['d'].strip()}")
            group.remove(child)
        else:
            last = child if plain else None
            _merge_paths(child)
