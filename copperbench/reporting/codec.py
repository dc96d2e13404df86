"""Frozen dataclasses to JSON and back: field names in camel case, tuples as lists, unknown fields refused."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from copperbench.errors import CopperbenchError

T = TypeVar("T")


def encode(value: Any) -> Any:
    """The JSON value of a dataclass tree."""
    if is_dataclass(value):
        return {_camel(field.name): encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [encode(each) for each in value]
    return value


def decode(kind: type[T], value: object, where: str) -> T:
    """Build a `kind` from what `encode` made of one.

    Raises CopperbenchError with `where` and the JSON path when the value is no such thing.
    """
    decoded: T = _decode(kind, value, where, "$")
    return decoded


def _decode(kind: Any, value: Any, where: str, path: str) -> Any:
    if is_dataclass(kind):
        return _decode_fields(kind, value, where, path)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            raise _fault(where, path, value)
        return tuple(_decode(get_args(kind)[0], each, where, f"{path}[{n}]") for n, each in enumerate(value))
    if get_origin(kind) in (Union, types.UnionType):
        present = next(each for each in get_args(kind) if each is not type(None))
        return None if value is None else _decode(present, value, where, path)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise _fault(where, path, value)
    return value


def _decode_fields(kind: Any, value: Any, where: str, path: str) -> Any:
    names = {_camel(field.name): field.name for field in fields(kind)}
    if not isinstance(value, Mapping) or set(value) != set(names):
        raise _fault(where, path, value)
    hints = get_type_hints(kind)
    return kind(
        **{name: _decode(hints[name], value[key], where, f"{path}.{key}") for key, name in names.items()},
    )


def _camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)


def _fault(where: str, path: str, value: object) -> CopperbenchError:
    shown = "an object with other fields" if isinstance(value, Mapping) else repr(value)[:60]
    return CopperbenchError(
        f"{where}: {path}",
        f"{shown} is not what this version writes",
        "make the file anew with `copperbench aggregate`",
    )
