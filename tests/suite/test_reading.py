"""JSON and YAML written by people: plain values, or one error that says what is wrong."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.errors import SuiteError
from copperbench.suite import parse_json, parse_yaml, read_bytes

HOSTILE = {
    "cut off": (b'{"a": ', "f:1:7: is not JSON (Expecting value); correct the syntax"),
    "empty": (b"", "f:1:1: is not JSON (Expecting value); correct the syntax"),
    "two values": (b"1 2", "f:1:3: is not JSON (Extra data); correct the syntax"),
    "comment": (b"// x\n1", "f:1:1: is not JSON (Expecting value); correct the syntax"),
    "duplicate key": (b'{"a": 1, "a": 2}', "has the key 'a' twice in one object"),
    "nan": (b'{"a": NaN}', "has NaN, which is no JSON number"),
    "infinity": (b"-Infinity", "has -Infinity, which is no JSON number"),
    "overflow": (b"1e999", "has the number 1e999, which is out of range"),
    "big integer": (b"9" * 5000, "which is out of range (2^53)"),
    "inexact integer": (b"9007199254740993", "which is out of range (2^53)"),
    "byte order mark": (b"\xef\xbb\xbf{}", "starts with a byte order mark"),
    "utf-16": ("{}".encode("utf-16"), "starts with a byte order mark"),
    "latin-1": (b'"\xe9"', "is not UTF-8 (byte 1)"),
    "lone surrogate": (b'"\\ud800"', "has a lone surrogate in a text"),
    "lone surrogate in a key": (b'{"\\udc00": 1}', "has a lone surrogate in a text"),
    "control character": (b'"\x01"', "Invalid control character at"),
    "too deep": (b"[" * 65 + b"]" * 65, "is nested deeper than 64 levels"),
    "far too deep": (b"[" * 200_000, "is nested deeper than 64 levels"),
    "deep objects": (b'{"a":' * 100_000, "is nested deeper than 64 levels"),
}


@pytest.mark.parametrize(("data", "said"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_json_is_one_clear_error(data, said):
    with pytest.raises(SuiteError) as caught:
        parse_json(data, "f")
    assert said in str(caught.value)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(blacklist_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(blacklist_categories=("Cs",))), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_plain_json_comes_back_as_it_was_written(value):
    assert parse_json(json.dumps(value).encode(), "f") == value


@given(st.binary(max_size=200))
def test_any_bytes_end_in_a_value_or_in_our_error(data):
    try:
        value = parse_json(data, "f")
    except SuiteError:
        return
    assert math.isfinite(value) if isinstance(value, float) else json.dumps(value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a: 1\na: 2\n", "f: has the key 'a' twice at line 1"),
        (b"a: [1\n", "is not YAML"),
        (b"a: !!python/object/apply:os.system ['true']\n", "is not YAML"),
        (b"[" * 20_000, "f: is not YAML that can be read"),
        (b"a: \xff\n", "f: is not UTF-8 (byte 3)"),
        (b"&a [*a]\n", "f: has an alias"),
    ],
    ids=["duplicate key", "syntax", "python object", "too deep", "latin-1", "endless alias"],
)
def test_hostile_yaml_is_one_clear_error(data, said):
    with pytest.raises(SuiteError) as caught:
        parse_yaml(data, "f")
    assert said in str(caught.value)


def test_aliases_that_multiply_are_refused_instead_of_filling_memory():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(SuiteError, match="has an alias"):
        parse_yaml("\n".join(lines).encode(), "f")


@pytest.mark.parametrize("make", ["folder", "link", "nothing", "null"])
def test_what_is_no_regular_file_is_refused_by_name(tmp_path, make):
    path = tmp_path / "x"
    if make == "folder":
        path.mkdir()
    if make == "link":
        path.symlink_to(__file__)
    if make == "null":
        path = tmp_path / "x\0y"
    with pytest.raises(SuiteError, match=r"^tasks/x: "):
        read_bytes(path, "tasks/x")
