"""Holding JSON against the published schemas, and saying what is wrong as a person would."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError
from copperbench.suite.fitting import TABLE, Fitting, InDoubt

_SECTIONS = {
    "task": "1.1",
    "assertions": "1.2",
    "fixture": "13",
    "solution": "12",
    "run": "3",
    "result": "12",
    "suite": "7",
    "config": "2",
    "models": "8",
    "harnesses": "2",
    "pricing": "8",
    "variants": "10",
}


@dataclass(frozen=True, slots=True)
class SchemaFault:
    """One thing that a schema has against a value: JSON path, fault, remedy."""

    path: str
    what: str
    remedy: str


def schema_folder() -> Path:
    """Where the JSON Schemas are: beside the package in a checkout, inside it in an installed wheel."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "schema"
    return inside if inside.is_dir() else package.parent / "schema"


def schema_bytes(kind: str) -> bytes:
    """The bytes of the schema of `kind` (`task`, `assertions`, `fixture`, `solution`, `run`, `result`, ...)."""
    return (schema_folder() / f"{kind}.schema.json").read_bytes()


def schema_faults(kind: str, data: object) -> tuple[SchemaFault, ...]:
    """What the schema of `kind` has against `data`, in the order of the file; empty when it fits."""
    if _fits(kind, data):
        return ()
    section = _SECTIONS.get(kind, "1")
    errors = sorted(_validator(kind).iter_errors(data), key=lambda error: _order(error.absolute_path))
    return tuple(dict.fromkeys(_fault(error, section) for error in errors))


def schema_errors(kind: str, data: object, where: str) -> list[str]:
    """The faults of `data` as finished lines, `file: $.path: fault; remedy (STANDARD n)`."""
    return [f"{where}: {fault.path}: {fault.what}; {fault.remedy}" for fault in schema_faults(kind, data)]


def check_schema(kind: str, data: object, where: str) -> None:
    """Raise SuiteError with the first fault when `data` does not fit the schema of `kind`."""
    faults = schema_faults(kind, data)
    if faults:
        first = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise SuiteError(f"{where}: {first.path}", first.what + more, first.remedy)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """One keyword of a schema that turned a value down: the keyword, its value, the schema it stands in."""

    keyword: str
    wanted: Any
    schema: Mapping[str, Any]
    instance: Any
    path: str
    section: str

    def fault(self, what: str, hint: str) -> SchemaFault:
        return SchemaFault(self.path, what, f"{hint} (STANDARD {self.section})")


def _fits(kind: str, data: object) -> bool:
    try:
        return Fitting(_schema(f"{kind}.schema.json"), _schema).fits(data)
    except InDoubt:
        return False


@cache
def _schema(name: str) -> Any:
    return _with_tables(json.loads((schema_folder() / name).read_bytes()))


@cache
def _validator(kind: str) -> Any:
    from jsonschema import Draft202012Validator, validators
    from referencing import Registry, Resource

    def retrieve(uri: str) -> Resource[Any]:
        return Resource.from_contents(_schema(uri))

    keywords = {"pattern": _whole_pattern, TABLE: _by_constant}
    strict = validators.extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
    registry: Registry[Any] = Registry(retrieve=retrieve)  # type: ignore[call-arg]
    return strict(_schema(f"{kind}.schema.json"), registry=registry)


def _with_tables(schema: Any) -> Any:
    """The schema with every `allOf` of `if <field> is <constant> then ...` as one table.

    It means the same and is looked up instead of tried branch by branch, which took most of the time of reading a task.
    """
    if isinstance(schema, list):
        return [_with_tables(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _with_tables(value) for key, value in schema.items()}
    branches = made.get("allOf", [])
    fields = {field for branch in branches for field in branch.get("if", {}).get("properties", {})}
    if len(branches) > 1 and len(fields) == 1:
        (field,) = fields
        if all(branch.keys() == {"if", "then"} and _is_constant(branch["if"], field) for branch in branches):
            del made["allOf"]
            made[TABLE] = {field: {branch["if"]["properties"][field]["const"]: branch["then"] for branch in branches}}
    return made


def _is_constant(condition: Mapping[str, Any], field: str) -> bool:
    properties = condition.get("properties", {})
    return condition.keys() == {"properties", "required"} and properties.get(field, {}).keys() == {"const"}


def _by_constant(validator: Any, tables: Mapping[str, Any], instance: object, _schema: Any) -> Iterable[Any]:
    for field, table in tables.items():
        value = instance.get(field) if isinstance(instance, dict) else None
        if isinstance(value, str) and value in table:
            yield from validator.descend(instance, table[value])


def _whole_pattern(_validator: Any, pattern: str, instance: object, _schema: Any) -> Iterable[Any]:
    """`pattern` as JSON Schema means it: `$` is the end of the text, never the place before a last newline."""
    import re

    from jsonschema.exceptions import ValidationError

    whole = pattern[:-1] + r"\Z" if pattern.endswith("$") else pattern
    if isinstance(instance, str) and not re.search(whole, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _order(path: Iterable[str | int]) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (0, step) for step in path]


def _fault(error: Any, section: str) -> SchemaFault:
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    refusal = _Refusal(
        keyword=str(error.validator),
        wanted=error.validator_value,
        schema=schema,
        instance=error.instance,
        path=error.json_path,
        section=str(schema.get("x-section", section)),
    )
    return _SAYINGS.get(refusal.keyword, _say_limit)(refusal)


def _say_enum(refusal: _Refusal) -> SchemaFault:
    allowed = [str(value) for value in refusal.wanted]
    what = f"{_short(refusal.instance)} is not in the {refusal.schema.get('title', 'list of what is allowed')}"
    return refusal.fault(what, _nearest(refusal.instance, allowed) or f"use one of {', '.join(allowed)}")


def _say_additional(refusal: _Refusal) -> SchemaFault:
    allowed = list(refusal.schema.get("properties", {}))
    unknown = min(set(refusal.instance) - set(allowed))
    hint = _nearest(unknown, allowed) or f"remove it; allowed here: {', '.join(allowed) or 'nothing'}"
    return refusal.fault(f"{_short(unknown)} is no known field here", hint)


def _say_required(refusal: _Refusal) -> SchemaFault:
    missing = [repr(name) for name in refusal.wanted if name not in refusal.instance]
    if len(missing) == 1:
        return refusal.fault(f"{missing[0]} is missing", "add it")
    return refusal.fault(f"{', '.join(missing)} are missing", "add them")


def _say_type(refusal: _Refusal) -> SchemaFault:
    if "description" in refusal.schema:
        return _say_limit(refusal)
    names = " or ".join(refusal.wanted) if isinstance(refusal.wanted, list) else str(refusal.wanted)
    return refusal.fault(f"{_short(refusal.instance)} is not of type {names}", "write it so")


def _say_limit(refusal: _Refusal) -> SchemaFault:
    """Any other keyword: the schema's own words for what it wants where it has some, else the limit."""
    meant = refusal.schema.get("description")
    limit = _LIMITS.get(refusal.keyword, "does not fit ({})").format(refusal.wanted)
    what = f"is not {meant}" if meant else limit
    return refusal.fault(f"{_short(refusal.instance)} {what}", "correct it")


def _nearest(name: object, allowed: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name)[:100], allowed, n=1, cutoff=0.5)
    return f"the nearest is {near[0]!r}" if near else ""


def _short(value: object) -> str:
    """A value as it is shown in a message: one line, at most 60 characters."""
    if isinstance(value, dict):
        return "the object" if value else "the empty object"
    if isinstance(value, list):
        return "the list" if value else "the empty list"
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


_SAYINGS: Mapping[str, Callable[[_Refusal], SchemaFault]] = {
    "enum": _say_enum,
    "additionalProperties": _say_additional,
    "required": _say_required,
    "type": _say_type,
}
_LIMITS: Mapping[str, str] = {
    "minItems": "has too few entries (at least {})",
    "maxItems": "has too many entries (at most {})",
    "minProperties": "has too few fields (at least {})",
    "maxProperties": "has too many fields (at most {})",
    "minLength": "is too short (at least {} characters)",
    "maxLength": "is too long (at most {} characters)",
    "minimum": "is below {}",
    "exclusiveMinimum": "is not above {}",
    "maximum": "is above {}",
    "exclusiveMaximum": "is not below {}",
    "const": "is not {!r}",
    "uniqueItems": "has an entry twice",
    "pattern": "is not of the form {}",
    "oneOf": "fits none, or more than one, of the allowed forms",
    "anyOf": "fits none of the allowed forms",
    "not": "is not allowed here",
}
