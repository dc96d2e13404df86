"""Reading JSON and YAML written by people: whatever is wrong with the text is one clear error."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from copperbench.errors import SuiteError

_MAX_BYTES = 8 << 20
_MAX_DEPTH = 64
_MAX_INTEGER = 1 << 53


class _Fault(ValueError):
    """What is wrong with a JSON text, found while it is being decoded."""


def read_bytes(path: Path, where: str) -> bytes:
    """The bytes of a file of the suite; `where` is how messages name it.

    Raises SuiteError when it is missing, no regular file, too large (8 MiB) or unreadable.
    """
    try:
        if path.is_symlink() or not path.is_file():
            raise SuiteError(where, "is missing or no regular file", "add the file (STANDARD 1)")
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        fault = getattr(error, "strerror", None) or error
        raise SuiteError(where, f"cannot be read ({fault})", "fix the path or its permissions") from error
    if len(data) > _MAX_BYTES:
        raise SuiteError(where, "is larger than 8 MiB", "a manifest is small; shorten it")
    return data


def parse_json(data: bytes, where: str) -> Any:
    """Decode strict JSON: UTF-8, no duplicate keys, finite numbers, at most 64 levels deep.

    Raises SuiteError with `where` and the one thing that is wrong.
    """
    try:
        value = _decode(_text(data))
    except json.JSONDecodeError as error:
        place = f"{where}:{error.lineno}:{error.colno}"
        raise SuiteError(place, f"is not JSON ({error.msg})", "correct the syntax") from None
    except _Fault as fault:
        raise SuiteError(where, str(fault), "write plain JSON (RFC 8259) in UTF-8") from None
    return value


def parse_yaml(data: bytes, where: str) -> Any:
    """Decode a YAML configuration file with plain values only.

    Raises SuiteError with `where` when it is not UTF-8, not YAML, nested too deeply or has a key twice.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        """The safe loader, without aliases (which multiply), and with a key that stands twice as an error."""

        def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
            if self.check_event(yaml.AliasEvent):
                raise _Fault("has an alias")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            for key in keys:
                if keys.count(key) > 1:
                    raise _Fault(f"has the key {key!r} twice at line {node.start_mark.line + 1}")
            return super().construct_mapping(node, deep)

    try:
        value = yaml.load(_text(data), Loader=Loader)  # noqa: S506 - a subclass of SafeLoader
        _check_values(value)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        raise SuiteError(place, f"is not YAML ({error.problem})", "correct the syntax") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        fault = str(error) if isinstance(error, _Fault) else "is not YAML that can be read"
        raise SuiteError(where, fault, "write plain YAML in UTF-8") from None
    return value


def _text(data: bytes) -> str:
    if len(data) > _MAX_BYTES:
        raise _Fault("is larger than 8 MiB")
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        raise _Fault("starts with a byte order mark")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _Fault(f"is not UTF-8 (byte {error.start})") from None


def _decode(text: str) -> Any:
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_exact,
        )
    except RecursionError:
        raise _Fault(f"is nested deeper than {_MAX_DEPTH} levels") from None
    _check_values(value)
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Fault(f"has the key {twice!r} twice in one object")
    return value


def _refuse_constant(name: str) -> float:
    raise _Fault(f"has {name}, which is no JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Fault(f"has the number {text[:20]}, which is out of range")
    return number


def _exact(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > _MAX_INTEGER:
        raise _Fault(f"has the whole number {text[:20]}, which is out of range (2^53)")
    return int(text)


def _check_values(value: Any) -> None:
    """Refuse what decodes but cannot be written again (lone surrogates) or is nested too deeply, without recursion."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise _Fault(f"is nested deeper than {_MAX_DEPTH} levels")
        texts = [each for each in level if isinstance(each, str)]
        texts += [key for each in level if isinstance(each, dict) for key in each if isinstance(key, str)]
        if any(not text.isascii() and max(text) >= "\ud800" and _is_unpaired(text) for text in texts):
            raise _Fault("has a lone surrogate in a text")
        lists = [child for each in level if isinstance(each, list) for child in each]
        level = lists + [child for each in level if isinstance(each, dict) for child in each.values()]


def _is_unpaired(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False
