"""The library copies inside a schematic file: symbols and their pins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from copperbench.kicad.drawing import LibPin, LibSymbol
from copperbench.kicad.sexpr import Node, Source, child, flag, head, lists, word

KNOWN_VERSION = 20260306
"""The newest file format that we know every item of."""
TILDE_IS_TEXT = 20250318
"""From this format on `~` is a text like any other; before, it stood for the empty text."""
_STYLES_ARE_DECLARED = 20250827
_UNITS_PER_MM = 10_000


def read_library(source: Source, library: Node, version: int) -> Mapping[str, LibSymbol]:
    """The `lib_symbols` of a file of format `version`, by name. Raises KicadFileError."""
    reader = _LibraryReader(source, version)
    return {word(node): reader.symbol(node) for node in lists(library, "symbol")}


class _LibraryReader:
    def __init__(self, source: Source, version: int) -> None:
        self.source = source
        self.version = version

    def symbol(self, node: Node) -> LibSymbol:
        power = child(node, "power")
        pins = list(self._pins(node, 0, 0))
        units = 1
        styles_known = self.version < _STYLES_ARE_DECLARED or child(node, "body_styles") is not None
        for part in lists(node, "symbol"):
            unit, style = self._part_of(part)
            units = max(units, unit)
            if style < 2 or styles_known:
                pins += self._pins(part, unit, style)
        fields = {word(field): word(field, 2) for field in lists(node, "property")}
        return LibSymbol(
            name=word(node),
            reference=fields.get("Reference", ""),
            power="" if power is None else word(power, 1, "global"),
            units=units,
            pins=tuple(pins),
            joins_equal_numbers=flag(node, "duplicate_pin_numbers_are_jumpers"),
            joined_groups=tuple(
                tuple(item for item in group if isinstance(item, str))
                for groups in lists(node, "jumper_pin_groups")
                for group in groups[1:]
                if isinstance(group, list)
            ),
        )

    def _part_of(self, part: Node) -> tuple[int, int]:
        pieces = word(part).rsplit("_", 2)[1:]
        if len(pieces) != 2 or not all(piece.isascii() and piece.isdigit() and len(piece) < 6 for piece in pieces):
            raise self.source.fault(part, f"'{word(part)[:40]}' names no unit and body style")
        return int(pieces[0]), int(pieces[1])

    def _pins(self, part: Node, unit: int, style: int) -> Iterator[LibPin]:
        for node in lists(part, "pin"):
            found: dict[str, Node] = {}
            alternates: dict[str, str] = {}
            for item in node:
                if isinstance(item, list):
                    key = head(item)
                    found.setdefault(key, item)
                    if key == "alternate":
                        alternates[word(item)] = word(item, 2)
            yield LibPin(
                number=self._text(found.get("number")),
                name=self._text(found.get("name")),
                electrical=word(node, 1),
                at=self._point(node, found.get("at")),
                hidden=flag(node, "hide"),
                unit=unit,
                style=style,
                alternates=alternates,
            )

    def _text(self, node: Node | None) -> str:
        text = "" if node is None else word(node)
        return "" if text == "~" and self.version < TILDE_IS_TEXT else text.replace(" ", "_")

    def _point(self, pin: Node, position: Node | None) -> tuple[int, int]:
        try:
            x, y = float(word(position or [], 1)), float(word(position or [], 2))
            return round(x * _UNITS_PER_MM), round(y * _UNITS_PER_MM)
        except (ValueError, OverflowError):
            raise self.source.fault(pin, "a pin without a position") from None
