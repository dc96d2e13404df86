"""The closed vocabulary: one handler per assertion type, each with its source and its arguments (STANDARD 4)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

from copperbench.errors import SuiteError
from copperbench.evidence import Evidence
from copperbench.grading.models import Outcome, Source
from copperbench.suite import schema_bytes

A = TypeVar("A", bound=NamedTuple)
Judge = Callable[[A, Evidence], Outcome]
ArgsClass = type[A]


@dataclass(frozen=True, slots=True)
class Handler(Generic[A]):
    """What stands behind one assertion type: where it looks, what it takes, and the function that decides."""

    type: str
    source: Source
    function: Judge[A]

    @property
    def args_class(self) -> ArgsClass[A]:
        """The class of the arguments: what the function says of its first parameter."""
        found: ArgsClass[A] = _first_parameter(self.function)
        return found

    @property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the arguments, from `schema/assertions.schema.json`."""
        schema: Mapping[str, Any] = json.loads(schema_bytes("assertions"))["$defs"][self.type]
        return schema

    def __call__(self, args: Mapping[str, Any], evidence: Evidence) -> Outcome:
        """Judge arguments as they stand in `assertions.json`. Raises SuiteError when they do not fit."""
        return self.function(parse_args(self.args_class, args, self.type), evidence)


_HANDLERS: dict[str, Handler[Any]] = {}
HANDLERS: Mapping[str, Handler[Any]] = _HANDLERS
"""Every type of the vocabulary; filled while the handler modules are imported and never after."""


def assertion(kind: str, *, source: Source) -> Callable[[Judge[A]], Judge[A]]:
    """Register a function `(args, evidence) -> Outcome` as the handler of `kind`.

    The class of its arguments is the type of its first parameter.
    """

    def register(function: Judge[A]) -> Judge[A]:
        _HANDLERS[kind] = Handler(kind, source, function)
        return function

    return register


@cache
def _first_parameter(function: Judge[Any]) -> Any:
    return next(iter(get_type_hints(function).values()))


def parse_args(args_class: type[A], args: Mapping[str, Any], where: str) -> A:
    """Build a handler's arguments from JSON: `minCount` becomes `min_count`, lists become tuples.

    Raises SuiteError for an argument that is unknown or missing.
    """
    known = {field_name(name): name for name in args_class._fields}
    unknown = sorted(set(args) - set(known))
    missing = [name for name in known if name not in args and known[name] not in args_class._field_defaults]
    if unknown or missing:
        what = f"{unknown[0]!r} is no argument" if unknown else f"{missing[0]!r} is missing"
        raise SuiteError(f"{where}: args", what, "see the vocabulary (STANDARD 4)")
    values = {known[name]: tuple(v) if isinstance(v, list) else v for name, v in args.items()}
    build: Callable[..., A] = args_class
    return build(**values)


def field_name(name: str) -> str:
    """The JSON name of a field: `budget_key` is `budgetKey`."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def passed(detail: str) -> Outcome:
    """The assertion holds; `detail` is what was observed."""
    return Outcome("pass", shortened(detail))


def failed(detail: str) -> Outcome:
    """The assertion does not hold; `detail` is what was observed instead."""
    return Outcome("fail", shortened(detail))


def unevaluable(detail: str) -> Outcome:
    """Nobody can say, for a reason outside the run."""
    return Outcome("unevaluable", shortened(detail))


def passed_if(holds: bool, detail: str) -> Outcome:
    """Pass or fail with the same observation."""
    return passed(detail) if holds else failed(detail)


LONGEST_DETAIL = 500
SEARCHING_S = 10.0
"""Seconds that all the searches of one assertion may take together."""


def shortened(detail: str) -> str:
    """One printable line of bounded length: details quote what a run wrote."""
    line = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in detail[: 4 * LONGEST_DETAIL])
    return line if len(line) <= LONGEST_DETAIL else f"{line[: LONGEST_DETAIL - 1]}…"


def listed(items: list[str] | tuple[str, ...], most: int = 8) -> str:
    """The first few of a list, and how many more there are."""
    rest = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + rest
