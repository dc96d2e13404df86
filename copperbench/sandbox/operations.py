"""Declared changes to a tree: what seeds and solutions are made of (STANDARD 1.1, 11)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from copperbench.errors import OperationFailed
from copperbench.publish import json_bytes
from copperbench.sandbox.paths import inside
from copperbench.scaffold import add_row, delete_rows, replace_cells
from copperbench.suite import Operation

REGEX_SECONDS = 5.0


def apply_operation(root: Path, op: Operation, where: str) -> None:
    """Apply one operation to the tree under `root`; `where` says whose it is, for the error (STANDARD 11).

    Occurrences must be exactly as many as declared, so that a solution written for another board cannot half
    apply. Every byte that the operation does not name stays. Raises OperationFailed, and then that operation
    changed nothing. `commit` and `event` are steps of a performance, not of a tree: the harness room does them.
    """
    handler = _HANDLERS.get(op.kind)
    if handler is None:
        raise OperationFailed(where, f"{op.kind!r} is no operation on a tree", f"one of {', '.join(sorted(_HANDLERS))}")
    try:
        handler(root, op.args, where)
    except KeyError as error:
        raise OperationFailed(where, f"operation {op.kind!r} lacks {error}", "add the argument") from error
    except OSError as error:
        raise OperationFailed(
            where, f"operation {op.kind!r} failed ({error.strerror})", "free space or fix the path"
        ) from error


def _read(root: Path, args: Mapping[str, Any], where: str) -> tuple[Path, str]:
    place = inside(root, args["path"], where)
    if not place.is_file():
        raise OperationFailed(where, f"there is no file {args['path']!r}", "name a file that the sandbox has")
    return place, place.read_bytes().decode("utf-8", "surrogateescape")


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogateescape"))


def _expect(found: int, wanted: int, what: str, path: str, where: str) -> None:
    if found != wanted:
        raise OperationFailed(
            where, f"{what} stands {found} times in {path}, declared {wanted}", "correct the count or the text"
        )


def _replace(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, text = _read(root, args, where)
    old = args["old"]
    if not old:
        raise OperationFailed(where, "'old' is empty", "say what is replaced")
    _expect(text.count(old), args.get("count", 1), repr(old), args["path"], where)
    _write(place, text.replace(old, args["new"]))


def _replace_regex(root: Path, args: Mapping[str, Any], where: str) -> None:
    import regex

    place, text = _read(root, args, where)
    try:
        pattern = regex.compile(args["pattern"], regex.MULTILINE)
        changed, count = pattern.subn(args["replacement"], text, timeout=REGEX_SECONDS)
    except TimeoutError as error:
        raise OperationFailed(
            where, f"pattern {args['pattern']!r} took over {REGEX_SECONDS:g} s", "simplify it"
        ) from error
    except (regex.error, IndexError) as error:
        raise OperationFailed(where, f"pattern {args['pattern']!r}: {error}", "correct the pattern") from error
    _expect(count, args.get("count", 1), f"pattern {args['pattern']!r}", args["path"], where)
    _write(place, changed)


def _write_file(root: Path, args: Mapping[str, Any], where: str) -> None:
    place = inside(root, args["path"], where)
    if place.is_dir():
        raise OperationFailed(where, f"{args['path']!r} is a folder", "name a file")
    _write(place, args["text"])


def _append(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, text = _read(root, args, where)
    _write(place, text + args["text"])


def _delete(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, _ = _read(root, args, where)
    place.unlink()


def _reindent(root: Path, args: Mapping[str, Any], where: str) -> None:
    """Rewrite the indentation of every line: same meaning, no line the same (a regenerated file)."""
    place, text = _read(root, args, where)
    old, new = args.get("from", "\t"), args.get("to", "  ")
    if not old or old.strip(" \t") or new.strip(" \t"):
        raise OperationFailed(where, "indentation is made of blanks and tabs", "correct 'from' and 'to'")
    changed = "".join(_reindented(line, old, new) for line in text.splitlines(keepends=True))
    if changed == text:
        raise OperationFailed(where, f"no line of {args['path']} is indented by {old!r}", "correct 'from'")
    _write(place, changed)


def _reindented(line: str, old: str, new: str) -> str:
    depth = 0
    while line.startswith(old, depth * len(old)):
        depth += 1
    return new * depth + line[depth * len(old) :]


def _table_cell(root: Path, args: Mapping[str, Any], where: str) -> None:
    import regex

    place, text = _read(root, args, where)
    rows: Callable[[str], bool] | None = None
    if args.get("rows") is not None:
        try:
            pattern = regex.compile(args["rows"])
        except regex.error as error:
            raise OperationFailed(where, f"pattern {args['rows']!r}: {error}", "correct the pattern") from error
        rows = lambda key: pattern.search(key, timeout=REGEX_SECONDS) is not None  # noqa: E731
    changed, count = replace_cells(text, args["column"], args["old"], args["new"], rows, args["path"])
    if count < args.get("min", 0):
        raise OperationFailed(
            where,
            f"{args['path']} has {args['old']!r} {count} times in column {args['column']!r}, not {args['min']} or more",
            "correct the column, the text or 'min'",
        )
    _write(place, changed)


def _table_row(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, text = _read(root, args, where)
    changed, count = add_row(text, tuple(args["cells"]), args.get("after"), args["path"])
    if count != 1:
        what = f"after {args['after']!r}" if args.get("after") is not None else "at the end of its table"
        raise OperationFailed(
            where,
            f"{args['path']} has {count} places for a row of {len(args['cells'])} cells {what}",
            "name exactly one",
        )
    _write(place, changed)


def _table_row_delete(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, text = _read(root, args, where)
    changed, count = delete_rows(text, args["key"], args["path"])
    if count == 0 or count != args.get("count", count):
        raise OperationFailed(where, f"{args['path']} has {count} rows {args['key']!r}", "correct the key or the count")
    _write(place, changed)


def _json_set(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, holder, key, document = _pointed(root, args, where)
    if isinstance(holder, list) and key == len(holder):
        holder.append(args["value"])
    else:
        holder[key] = args["value"]
    _write(place, json_bytes(document).decode())


def _json_delete(root: Path, args: Mapping[str, Any], where: str) -> None:
    place, holder, key, document = _pointed(root, args, where)
    try:
        del holder[key]
    except (KeyError, IndexError) as error:
        raise OperationFailed(where, f"{args['path']} has no {args['pointer']!r}", "correct the pointer") from error
    _write(place, json_bytes(document).decode())


def _pointed(root: Path, args: Mapping[str, Any], where: str) -> tuple[Path, Any, Any, Any]:
    """File, holder, key and whole document of a JSON pointer (RFC 6901)."""
    place, text = _read(root, args, where)
    pointer = args["pointer"]
    steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    try:
        document = json.loads(text)
        holder = document
        for step in steps[:-1]:
            holder = holder[int(step) if isinstance(holder, list) else step]
        if not steps or not isinstance(holder, dict | list):
            raise KeyError(pointer)
        key = (len(holder) if steps[-1] == "-" else int(steps[-1])) if isinstance(holder, list) else steps[-1]
    except (ValueError, RecursionError, KeyError, IndexError, TypeError) as error:
        raise OperationFailed(where, f"{args['path']} has no {pointer!r}", "correct the pointer") from error
    return place, holder, key, document


def _copy(root: Path, args: Mapping[str, Any], where: str) -> None:
    source, target = _both(root, args, where)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target, follow_symlinks=False)


def _rename(root: Path, args: Mapping[str, Any], where: str) -> None:
    source, target = _both(root, args, where)
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def _both(root: Path, args: Mapping[str, Any], where: str) -> tuple[Path, Path]:
    source, target = inside(root, args["from"], where), inside(root, args["to"], where)
    if not source.is_file() or target.exists():
        raise OperationFailed(
            where, f"{args['from']!r} to {args['to']!r}: no such file, or it would be overwritten", "correct the paths"
        )
    return source, target


_HANDLERS: Mapping[str, Callable[[Path, Mapping[str, Any], str], None]] = {
    "append": _append,
    "copy": _copy,
    "delete": _delete,
    "json-delete": _json_delete,
    "json-set": _json_set,
    "reindent": _reindent,
    "rename": _rename,
    "replace": _replace,
    "replace-regex": _replace_regex,
    "table-cell": _table_cell,
    "table-row": _table_row,
    "table-row-delete": _table_row_delete,
    "write": _write_file,
}
