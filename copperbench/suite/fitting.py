"""Does a value fit a schema? Yes or no, for the keywords that our schemas use, and quickly.

The library that says what is wrong takes longer to start than grading a run does, and nearly everything that is read
fits. So this answers first, and the library is asked wherever the answer is no or in doubt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

TABLE = "x-table"
"""A keyword of our own making: {field: {constant: schema}}, the schema being chosen by the field's value."""

_SAYS_NOTHING = frozenset({"$comment", "$defs", "$id", "$schema", "default", "description", "title", "x-section"})


class InDoubt(Exception):
    """A keyword, a type or a comparison that is not decided here."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """A schema with what its references mean; `load` gives another schema by the name that a reference uses."""

    root: Mapping[str, Any]
    load: Callable[[str], Mapping[str, Any]]

    def fits(self, value: object) -> bool:
        """Whether `value` fits the whole schema; InDoubt where that is not for us to say."""
        return self._fits(self.root, value)

    def _fits(self, schema: Any, value: object) -> bool:
        if isinstance(schema, bool):
            return schema
        return all(self._holds(keyword, schema, value) for keyword in schema)

    def _holds(self, keyword: str, schema: Mapping[str, Any], value: object) -> bool:
        wanted = schema[keyword]
        if keyword in _SAYS_NOTHING:
            return True
        if keyword in _PLAIN:
            return _PLAIN[keyword](wanted, value)
        if isinstance(value, dict) and keyword in _OF_OBJECTS:
            return _OF_OBJECTS[keyword](self, schema, value)
        if keyword in _OF_SCHEMAS:
            return _OF_SCHEMAS[keyword](self, schema, value)
        if keyword in _OF_OBJECTS:
            return True
        raise InDoubt(keyword)

    def _referred(self, reference: str, value: object) -> bool:
        name, _, pointer = reference.partition("#")
        home = Fitting(self.load(name), self.load) if name else self
        found: Any = home.root
        for step in pointer.split("/")[1:]:
            found = found[step]
        return home._fits(found, value)


def _properties(fitting: Fitting, schema: Mapping[str, Any], value: dict[str, Any]) -> bool:
    properties = schema["properties"]
    return all(fitting._fits(properties[name], each) for name, each in value.items() if name in properties)


def _additional(fitting: Fitting, schema: Mapping[str, Any], value: dict[str, Any]) -> bool:
    wanted, named = schema["additionalProperties"], schema.get("properties", {})
    return all(fitting._fits(wanted, each) for name, each in value.items() if name not in named)


def _table(fitting: Fitting, schema: Mapping[str, Any], value: dict[str, Any]) -> bool:
    for field, table in schema[TABLE].items():
        constant = value.get(field)
        if isinstance(constant, str) and constant in table and not fitting._fits(table[constant], value):
            return False
    return True


def _condition(fitting: Fitting, schema: Mapping[str, Any], value: object) -> bool:
    branch = "then" if fitting._fits(schema["if"], value) else "else"
    return fitting._fits(schema.get(branch, True), value)


_OF_OBJECTS: Mapping[str, Callable[[Fitting, Mapping[str, Any], dict[str, Any]], bool]] = {
    "properties": _properties,
    "additionalProperties": _additional,
    "propertyNames": lambda fitting, schema, value: all(fitting._fits(schema["propertyNames"], each) for each in value),
    "required": lambda _, schema, value: all(name in value for name in schema["required"]),
    "minProperties": lambda _, schema, value: len(value) >= schema["minProperties"],
    "maxProperties": lambda _, schema, value: len(value) <= schema["maxProperties"],
    TABLE: _table,
}
_OF_SCHEMAS: Mapping[str, Callable[[Fitting, Mapping[str, Any], Any], bool]] = {
    "$ref": lambda fitting, schema, value: fitting._referred(schema["$ref"], value),
    "allOf": lambda fitting, schema, value: all(fitting._fits(each, value) for each in schema["allOf"]),
    "oneOf": lambda fitting, schema, value: sum(fitting._fits(each, value) for each in schema["oneOf"]) == 1,
    "not": lambda fitting, schema, value: not fitting._fits(schema["not"], value),
    "if": _condition,
    "then": lambda *_: True,  # seen to by `if`
    "else": lambda *_: True,
    "items": lambda fitting, schema, value: (
        not isinstance(value, list) or all(fitting._fits(schema["items"], each) for each in value)
    ),
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


def _type(wanted: str | list[str], value: object) -> bool:
    if value is not None and not isinstance(value, dict | list | str | bool | int | float):
        raise InDoubt(type(value))
    return any(_TYPES[name](value) for name in ([wanted] if isinstance(wanted, str) else wanted))


def _same(one: object, other: object) -> bool:
    """Equality of JSON values; between lists, objects and kinds of number it is left to others."""
    if any(isinstance(each, dict | list | float) for each in (one, other)):
        raise InDoubt("equality")
    return type(one) is type(other) and one == other


def _unique(wanted: bool, value: object) -> bool:
    if not wanted or not isinstance(value, list):
        return True
    if not all(isinstance(each, str) for each in value):
        raise InDoubt("uniqueItems")
    return len(set(value)) == len(value)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    # `$` is the end of the text to JSON Schema, never the place before a last newline.
    return re.compile(text[:-1] + r"\Z" if text.endswith("$") else text)


_PLAIN: Mapping[str, Callable[[Any, Any], bool]] = {
    "type": _type,
    "enum": lambda wanted, value: any(_same(each, value) for each in wanted),
    "const": _same,
    "pattern": lambda wanted, value: not isinstance(value, str) or _pattern(wanted).search(value) is not None,
    "minLength": lambda wanted, value: not isinstance(value, str) or len(value) >= wanted,
    "maxLength": lambda wanted, value: not isinstance(value, str) or len(value) <= wanted,
    "minItems": lambda wanted, value: not isinstance(value, list) or len(value) >= wanted,
    "maxItems": lambda wanted, value: not isinstance(value, list) or len(value) <= wanted,
    "uniqueItems": _unique,
    "minimum": lambda wanted, value: not _is_number(value) or value >= wanted,
    "maximum": lambda wanted, value: not _is_number(value) or value <= wanted,
    "exclusiveMinimum": lambda wanted, value: not _is_number(value) or value > wanted,
    "exclusiveMaximum": lambda wanted, value: not _is_number(value) or value < wanted,
}
