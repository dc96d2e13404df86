"""KiCad's drawings for a page: cleaned, made small, and the difference of two of them boxed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from xml.parsers import expat

_NAMESPACE = "http://www.w3.org/2000/svg"
_ROOT, _GROUP, _PATH = (f"{_NAMESPACE} {name}" for name in ("svg", "g", "path"))
_DRAWN = frozenset(f"{_NAMESPACE} {name}" for name in "path rect circle ellipse polyline polygon line".split())  # noqa: SIM905
_KEPT = _DRAWN | {_GROUP}
_ATTRIBUTES = frozenset(
    "d x y x1 y1 x2 y2 cx cy r rx ry points width height viewBox transform style fill stroke stroke-width class".split()  # noqa: SIM905
)
_HARMLESS = re.compile(r"[-+\w\s.,:;#%()]*", re.ASCII)
"""What a value may hold: nothing that quotes, escapes or ends it, so that no word below can be spelt otherwise."""
_FORBIDDEN = re.compile("url|expression", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_COMMAND = re.compile(r"([MLAZHVCQST])([^MLAZHVCQST]*)", re.IGNORECASE)
_DEEPEST = 50
_REMEMBERED = 1 << 16
_MARGIN_MM = 1.2
_JOINED_WITHIN_MM = 2.5
_MOST_BOXES = 400
_SMALLEST_MM = 90.0
_COLOURS: Mapping[str, str] = {"before": "#d1242f", "after": "#1a7f37"}

Box = tuple[float, float, float, float]
Thing = tuple[tuple[str, ...], Box]
"""What is drawn: what tells it from others, part by part, and its box in millimetres."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One sheet's drawing, cleaned: its markup up to the end of the root, and the things drawn on it."""

    markup: str
    things: tuple[Thing, ...]


def read_drawing(data: bytes) -> Drawing | None:
    """Read an SVG that KiCad wrote; keeps shapes and nothing else: no text, script, link, style sheet or date.

    KiCad draws every text as strokes. None for what is no SVG, declares an entity or is nested too deeply.
    """
    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.ordered_attributes = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)  # noqa: FBT003 - the last piece of the file
    except (expat.ExpatError, ValueError):
        return None
    return Drawing("".join(reader.markup), tuple(reader.things))


def marked(drawing: Drawing, other: Drawing | None, side: Literal["before", "after"]) -> bytes:
    """The drawing with a box around everything that `other` has not; all of it is new where `other` is None."""
    boxes = _joined(_only_here(drawing, other)) if other is not None else ()
    colour = _COLOURS[side]
    rects = "".join(
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{right - left:.2f}" height="{bottom - top:.2f}" rx="0.8"/>'
        for left, top, right, bottom in boxes
    )
    style = "fill-opacity:0.12;stroke-width:0.35"
    group = f'<g fill="{colour}" stroke="{colour}" style="{style}">{rects}</g>'
    return f"{drawing.markup}{group}</svg>".encode()


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
    return Counter(key for key, _ in before.things) != Counter(key for key, _ in after.things)


@dataclass(frozen=True, slots=True)
class _Shape:
    """A start tag, cleaned: its markup, the path of one without any other attribute, and its thing."""

    markup: str
    plain_path: str | None
    key: str
    box: Box | None
    is_text: bool


class _Reader:
    """Writes the markup anew, element by element, from what is allowed; what is below anything else is left out."""

    def __init__(self) -> None:
        self.markup: list[str] = []
        self.things: list[Thing] = []
        self._depth = 0
        self._left_out = 0
        self._strokes: list[str] = []
        self._text: list[tuple[str, Box]] | None = None
        self._text_depth = 0

    def start(self, tag: str, attributes: list[str]) -> None:
        """Take a start tag; raises ValueError when the drawing is none."""
        depth = self._depth = self._depth + 1
        if self._left_out or (depth > 1 and tag not in _KEPT):
            self._left_out += 1
            return
        if depth > _DEEPEST or (depth == 1 and tag != _ROOT):
            raise ValueError(tag)
        shape = _shape(tag, tuple(attributes))
        if shape.box is not None:
            self._draw(shape.key, shape.box)
        if shape.plain_path is not None:
            self._strokes.append(shape.plain_path)
            return
        self._flush()
        self.markup.append(shape.markup)
        if shape.is_text and self._text is None:
            self._text, self._text_depth = [], depth

    def end(self, tag: str) -> None:
        """Take an end tag."""
        depth, self._depth = self._depth, self._depth - 1
        if self._left_out:
            self._left_out -= 1
            return
        if tag in _DRAWN:
            return
        self._flush()
        if depth > 1:
            self.markup.append("</g>")
        if self._text is not None and depth == self._text_depth:
            if self._text:
                keys, boxes = zip(*self._text, strict=True)
                self.things.append((keys, _around(boxes)))
            self._text = None

    def _draw(self, key: str, box: Box) -> None:
        if self._text is not None:
            self._text.append((key, box))
        else:
            self.things.append(((key,), box))

    def _flush(self) -> None:
        """Write strokes of one style as one path: a letter is a dozen of them, and half of the file their tags."""
        if self._strokes:
            self.markup.append(f'<path d="{" ".join(self._strokes)}"/>')
            self._strokes.clear()


def _refuse(*_: object) -> None:
    raise ValueError("entities grow without bound")


@lru_cache(_REMEMBERED)  # the drawings of one board are alike but for a few shapes
def _shape(tag: str, attributes: tuple[str, ...]) -> _Shape:
    kept = {}
    for key, value in zip(attributes[::2], attributes[1::2], strict=True):
        if key in _ATTRIBUTES and _HARMLESS.fullmatch(value) and not _FORBIDDEN.search(value):
            kept[key] = _short(value.strip()) if key == "d" else value
    name, drawn = tag.rpartition(" ")[2], tag in _DRAWN
    points = list(_points(kept)) if drawn else []
    key = " ".join(f"{each}={value}" for each, value in sorted(kept.items()) if each != "style")
    root = f' xmlns="{_NAMESPACE}"' if tag == _ROOT else ""
    written = "".join(f' {each}="{" ".join(value.split())}"' for each, value in kept.items())
    return _Shape(
        f"<{name}{root}{written}{'/>' if drawn else '>'}",
        kept["d"] if tag == _PATH and kept.keys() == {"d"} else None,
        f"{name} {key}",
        _around([(x, y, x, y) for x, y in points]) if points else None,
        tag == _GROUP and kept.get("class") == "stroked-text",
    )


def _short(path: str) -> str:
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), path)


def _points(shape: Mapping[str, str]) -> Iterator[tuple[float, float]]:
    def at(name: str) -> float:
        found = _NUMBER.match(shape.get(name, "0"))
        return float(found[0]) if found else 0.0

    if "d" in shape:
        for letter, rest in _COMMAND.findall(shape["d"]):
            numbers = [float(each) for each in _NUMBER.findall(rest)]
            numbers = numbers[-2:] if letter in "Aa" else numbers
            yield from zip(numbers[::2], numbers[1::2], strict=False)
    elif "points" in shape:
        numbers = [float(each) for each in _NUMBER.findall(shape["points"])]
        yield from zip(numbers[::2], numbers[1::2], strict=False)
    elif "cx" in shape:
        rx, ry = max(at("r"), at("rx")), max(at("r"), at("ry"))
        yield at("cx") - rx, at("cy") - ry
        yield at("cx") + rx, at("cy") + ry
    elif "x1" in shape:
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
