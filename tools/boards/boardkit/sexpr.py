"""S-expressions laid out the way KiCad 10 saves them, and ids that do not change from run to run."""

from __future__ import annotations

import uuid
from typing import Any

Node = list[Any]  # a list whose first element is the keyword
_ROOT = uuid.uuid5(uuid.NAMESPACE_URL, "https://copperbench.invalid/boardkit")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_XY_COLUMN = 99  # KiCad packs (xy ...) lists on one line up to this column


class Q(str):
    """A string that is written in quotes."""


def uid(*key: object) -> Q:
    """The same key always gives the same id."""
    return Q(uuid.uuid5(_ROOT, "/".join(str(k) for k in key)))


def _atom(value: object) -> str:
    if isinstance(value, Q):
        return '"' + "".join(_ESCAPES.get(c, c) for c in value) + '"'
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        text = f"{value:.6f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)


def _write(node: Node, depth: int, out: list[str]) -> None:
    atoms = " ".join(_atom(x) for x in node if not isinstance(x, list))
    lists = [x for x in node if isinstance(x, list)]
    out.append("\t" * depth + "(" + atoms + ("" if lists else ")"))
    packing = False
    for item in lists:
        if item[0] == "xy" and packing and len(out[-1]) < _XY_COLUMN:
            out[-1] += " (" + " ".join(_atom(x) for x in item) + ")"
        else:
            _write(item, depth + 1, out)
        packing = item[0] == "xy"
    if lists:
        out.append("\t" * depth + ")")


def dump(node: Node) -> str:
    """The text of a file that holds this list."""
    out: list[str] = []
    _write(node, 0, out)
    return "\n".join(out) + "\n"


def optional(present: object, *nodes: Node) -> list[Node]:
    """The nodes, or nothing: for lists that KiCad leaves out when they do not apply."""
    return list(nodes) if present else []
