"""Reading KiCad's s-expressions: iterative, atoms kept as text, unwanted lists swallowed whole by one expression.

A design file is mostly graphics. What a caller does not want is named beforehand (`pruning`) and passes as a
single token, which makes reading about ten times faster than building the whole tree. `read_small` is the
other way, through sexpdata: for library tables, design rules and exported netlists.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from copperbench.errors import KicadFileError

Node: TypeAlias = "list[str | Node]"
"""A list: its head (an atom) and what follows. Strings are decoded, atoms are left as they were written."""

DEEPEST = 1000
"""Lists nested deeper than this are refused; KiCad itself nests about a dozen."""
MOST_TOKENS = 8_000_000
"""More tokens than this are refused; the largest published board needs about a tenth."""

_SWALLOWED_DEPTH = 8
# Only runs of one character class are possessive, and no group is captured inside of an atomic one: before 3.11.5
# Python lets any other possessive repetition end in the middle of what it repeats.
_STRING = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"'
_ATOM = r'[^\s()"]++'
_BLANK = r"\s*+"
_COMMENT_OR_STRING = re.compile(rf"^[ \t]*+\#[^\n]*+|{_STRING}", re.DOTALL | re.MULTILINE)
_ATOMS = re.compile(_ATOM, re.ASCII)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.DOTALL)
_NAMED_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
WIRE, PROPERTY, STARTED, STARTED_WITH_TEXT, WHOLE, OPEN, CLOSE, TEXT, BARE, UNENDED = 4, *range(6, 15)
"""What a token is, by the number of the last group that matched; a swallowed one has none.

The start of a list takes its atoms and a string along, and its end where that is all.
"""
_STARTS_A_LIST = frozenset({PROPERTY, STARTED, STARTED_WITH_TEXT, WHOLE, OPEN, WIRE})
_ENDS_IT_TOO = frozenset({PROPERTY, WHOLE, WIRE})
_LISTS_OF_A_WIRE = 4
_REMEDY = "restore the file, or repair it so that KiCad opens it"


def pruning(heads: Iterable[str] = (), *, whole: Iterable[str] = (), abridged: bool = True) -> re.Pattern[str]:
    """Compile a tokenizer that swallows every list whose head is one of `heads`.

    `whole` are further expressions, without capturing groups, of lists to swallow. The body of a swallowed list
    may nest eight deep; a deeper one is read token by token like any other. When
    `abridged`, only name and value of a property are kept, and only the ends of a wire.
    """
    body = rf'(?>(?:[^()"]++|{_STRING})*)'
    for _ in range(_SWALLOWED_DEPTH):
        body = rf'(?>(?:[^()"]++|{_STRING}|\({body}\))*)'
    names = "|".join(sorted(heads))
    prune = [rf'\((?:{names})(?=[\s()"]){body}\)'] if names else []
    effects = rf"(?>(?:\(effects\b{body}\){_BLANK})?)" if "effects" in names else ""
    start = rf'\(({_ATOM}[^()"\n]*+)({_STRING})?(?:{_BLANK}{effects}(\)))?'
    prop = rf"\(property\s++({_STRING})\s++({_STRING})\s*+{body}\)" if abridged else r"(?!)()()"
    end = rf"\(xy\s++({_ATOM})\s++({_ATOM})\s*+\)\s*+"
    wire = rf"\(wire\s++\(pts\s++{end}{end}\){body}\)" if abridged else r"(?!)()()()()"
    tokens = [*prune, *whole, wire, prop, start, r"(\()", r"(\))", f"({_STRING})", f"({_ATOM})", '(")', r"\Z"]
    return re.compile(f"{_BLANK}(?:{'|'.join(tokens)})", re.DOTALL | re.ASCII)


PLAIN = pruning(abridged=False)
"""The tokenizer that swallows nothing."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file's tree together with what is needed to say where in the file a part of it stands."""

    name: str
    text: str
    tokens: re.Pattern[str]
    root: Node

    def fault(self, node: Node, what: str, remedy: str = _REMEDY) -> KicadFileError:
        """The error that `what` is wrong with `node`, with the line and column where the node starts."""
        starts = (
            match
            for match in self.tokens.finditer(self.text)
            if match.lastindex in _STARTS_A_LIST
            for _ in range(_LISTS_OF_A_WIRE if match.lastindex == WIRE else 1)
        )
        found = next(islice(starts, _ordinal(self.root, node), None), None)
        offset = 0 if found is None else token_start(found)
        return fault_at(self.name, self.text, offset, what, remedy)


def decode(data: bytes, name: str) -> str:
    """The text of a file, or KicadFileError where it is empty, holds a NUL byte, or is not UTF-8."""
    if not data.strip():
        raise KicadFileError(f"{name}:1:1", "the file is empty", _REMEDY)
    nul = data.find(b"\0")
    if nul >= 0:
        raise KicadFileError(_place(name, data, nul), "a NUL byte", _REMEDY)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise KicadFileError(_place(name, data, error.start), "not UTF-8 text", _REMEDY) from None


def parse(text: str, name: str, tokens: re.Pattern[str] = PLAIN) -> Source:
    """Read the first list of `text` into a tree; what follows it is ignored, as KiCad does.

    Raises KicadFileError with line and column for unbalanced brackets, an unended string, text outside of a list,
    too deep or too large a tree.
    """
    text = without_comments(text)
    root: Node = []
    stack = [root]
    top = root
    matches = tokens.finditer(text)
    for match in islice(matches, MOST_TOKENS):
        kind = match.lastindex
        if kind is None:
            continue
        if kind == CLOSE and top is not root:
            stack.pop()
            top = stack[-1]
        elif kind in _STARTS_A_LIST:
            node = _started(match, kind)
            top.append(node)
            if kind not in _ENDS_IT_TOO:
                stack.append(node)
                top = node
                if len(stack) > DEEPEST + 1:
                    raise fault_at(name, text, token_start(match), f"lists are nested more than {DEEPEST} deep")
        elif kind == UNENDED:
            raise fault_at(name, text, token_start(match), "a string that does not end")
        else:
            top.append(match[BARE] or _unquote(match[TEXT] or '""'))
        if top is root:
            if isinstance(root[0], list):
                return Source(name, text, tokens, root[0])
            raise fault_at(name, text, token_start(match), "the file does not begin with a list")
    if next(matches, None) is not None:
        raise fault_at(name, text, 0, f"more than {MOST_TOKENS} tokens")
    what = f"the file ends inside {len(stack) - 1} open list(s)" if len(stack) > 1 else "the file holds no list"
    raise fault_at(name, text, len(text), what)


def _started(match: re.Match[str], kind: int) -> Node:
    """The node that a token begins, with what the token took along."""
    if kind == PROPERTY:
        name, text = match.group(5, 6)
        return ["property", _unquote(name), _unquote(text)]
    if kind == WIRE:
        x1, y1, x2, y2 = match.group(1, 2, 3, 4)
        return ["wire", ["pts", ["xy", x1, y1], ["xy", x2, y2]]]
    if kind == OPEN:
        return []
    atoms = match[STARTED]
    # blanks that are not ASCII belong to an atom; none of them is printable
    node: Node = []
    node += atoms.split() if atoms.isprintable() else _ATOMS.findall(atoms)
    text = match[STARTED_WITH_TEXT]
    if text is not None:
        node.append(_unquote(text))
    return node


def token_start(match: re.Match[str]) -> int:
    """Where a token starts, the blanks before it left out."""
    blank = re.match(_BLANK, match[0], re.ASCII)
    return match.start() + (blank.end() if blank else 0)


def without_comments(text: str) -> str:
    """`text` with blanks in place of its comments: lines outside of strings that begin with `#`."""
    at = text.find("#")
    while at >= 0:
        if not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"):
            return _COMMENT_OR_STRING.sub(_blanked, text)
        next_line = text.find("\n", at)
        at = text.find("#", next_line) if next_line >= 0 else -1
    return text


def read_list(data: bytes, name: str) -> Node:
    """Read the whole tree of a file, nothing pruned. `name` is what errors call the file.

    Raises KicadFileError, `where` being `file:line:column`.
    """
    return parse(decode(data, name), name).root


def read_small(data: bytes, name: str) -> Node:
    """Read a small file (library table, design rules, exported netlist) with sexpdata, atoms as text.

    Comments (`#` to the end of the line) are allowed. Raises KicadFileError like `read_list`.
    """
    from copperbench.kicad.small import read

    return read(decode(data, name), name)


def head(node: str | Node) -> str:
    """The first atom of a list, or the empty string of anything else."""
    return node[0] if isinstance(node, list) and node and isinstance(node[0], str) else ""


def lists(node: Node, key: str) -> Iterator[Node]:
    """The lists directly inside `node` whose head is `key`."""
    return (item for item in node if isinstance(item, list) and item and item[0] == key)


def child(node: Node, key: str) -> Node | None:
    """The first list directly inside `node` whose head is `key`."""
    for item in node:
        if isinstance(item, list) and item and item[0] == key:
            return item
    return None


def word(node: Node, index: int = 1, default: str = "") -> str:
    """The text at `index` of a list, or `default` where there is none."""
    item = node[index] if len(node) > index else default
    return item if isinstance(item, str) else default


def value(node: Node, key: str, default: str = "") -> str:
    """The first text of the list `key` inside `node`, or `default`."""
    found = child(node, key)
    return default if found is None else word(found, 1, default)


def flag(node: Node, key: str, *, default: bool = False) -> bool:
    """A boolean of any file version: `(k yes)`, `(k true)`, `(k)` or a bare `k`; `default` where it is missing."""
    for item in node:
        if item == key:
            return True
        if isinstance(item, list) and item and item[0] == key:
            return word(item, 1, "yes") in ("yes", "true")
    return default


def _blanked(match: re.Match[str]) -> str:
    return match[0] if match[0][0] == '"' else " " * len(match[0])


def _unquote(text: str) -> str:
    inner = text[1:-1]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] == "x" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _NAMED_ESCAPES.get(code, code)


def _ordinal(root: Node, wanted: Node) -> int:
    """How many lists start before `wanted` does, in the order of the file."""
    waiting: list[Node] = [root]
    count = 0
    while waiting:
        node = waiting.pop()
        if node is wanted:
            return count
        count += 1
        waiting.extend(item for item in reversed(node) if isinstance(item, list))
    return 0


def fault_at(name: str, text: str, offset: int, what: str, remedy: str = _REMEDY) -> KicadFileError:
    """The error that `what` is wrong at `offset` of a file's text."""
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return KicadFileError(f"{name}:{line}:{column}", what, remedy)


def _place(name: str, data: bytes, offset: int) -> str:
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset)
    return f"{name}:{line}:{column}"
