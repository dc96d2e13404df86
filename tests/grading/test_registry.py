"""One vocabulary: what a task may ask for is what grading can judge."""

from __future__ import annotations

import json

import pytest

from copperbench.grading import HANDLERS, Source
from copperbench.grading.registry import LONGEST_DETAIL, field_name, shortened
from copperbench.suite import schema_bytes

SCHEMA = json.loads(schema_bytes("assertions"))["$defs"]
TYPES = SCHEMA["assertion"]["properties"]["type"]["enum"]


def test_schema_and_registry_are_the_same_set() -> None:
    assert sorted(TYPES) == sorted(HANDLERS)


@pytest.mark.parametrize("kind", TYPES)
def test_a_handler_takes_exactly_the_arguments_of_its_schema(kind: str) -> None:
    args = HANDLERS[kind].args_class
    taken = {field_name(name): name for name in args._fields}
    schema = HANDLERS[kind].schema
    required = {shown for shown, name in taken.items() if name not in args._field_defaults}
    assert set(schema["properties"]) == set(taken)
    assert set(schema["required"]) == required


@pytest.mark.parametrize(("source", "count"), [(Source.END_STATE, 14), (Source.DIFF, 6), (Source.TRANSCRIPT, 3)])
def test_every_type_reads_one_of_the_three_sources(source: Source, count: int) -> None:
    assert sum(handler.source is source for handler in HANDLERS.values()) == count


@pytest.mark.parametrize("kind", TYPES)
def test_a_handler_names_the_section_that_it_implements(kind: str) -> None:
    assert "STANDARD 4" in (HANDLERS[kind].function.__doc__ or "")


def test_a_detail_is_one_printable_line_of_bounded_length() -> None:
    detail = shortened("a\nb\x1b[31m\u202e" + "x" * 10_000)
    assert detail.startswith("a\\x0ab\\x1b[31m\\x202ex")
    assert (detail.isprintable(), len(detail)) == (True, LONGEST_DETAIL)
