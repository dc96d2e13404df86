"""Markdown tables: read as a Markdown reader sees them, changed without touching any other byte."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from copperbench.errors import CopperbenchError

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

MAX_DOCUMENT_BYTES = 4 * 1024 * 1024
MAX_DOCUMENT_LINES = 60_000
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")


class DocumentTooLarge(CopperbenchError):
    """A design document beyond what any board needs; reading it could hang a grade."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table: cells as written (trimmed, escaped pipes decoded); `line` and `lines` count from 1.

    Rows have as many cells as the header: missing cells are empty, surplus cells are not in the table.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    line: int
    lines: tuple[int, ...]

    def column(self, name: str) -> int | None:
        """Index of the first header equal to `name`, whatever the case; None when there is none."""
        wanted = name.strip().casefold()
        return next((at for at, header in enumerate(self.headers) if header.casefold() == wanted), None)


def tables(markdown: str, where: str = "document") -> tuple[Table, ...]:
    """Every table of a Markdown text, in order (STANDARD 4, `doc_row_matches`).

    What stands in fenced or indented code or in an HTML comment is no table. Raises DocumentTooLarge above
    MAX_DOCUMENT_BYTES or MAX_DOCUMENT_LINES.
    """
    _refuse_monsters(markdown, where)
    return tuple(_tables(_reader().parse(markdown)))


def cell_text(text: str) -> str:
    """Any text as the cell of a table: one line, pipes escaped, nothing that ends the row."""
    return plain(text).replace("|", r"\|")


def plain(text: str) -> str:
    """Text as a table cell can carry it: runs of white space are one space, NUL is the replacement character."""
    return " ".join(text.replace("\0", "\ufffd").split())


def replace_cells(
    markdown: str,
    column: str,
    old: str,
    new: str,
    rows: Callable[[str], bool] | None = None,
    where: str = "document",
) -> tuple[str, int]:
    """The text with every cell of `column` equal to `old` made `new`, and how many there were (STANDARD 11).

    `rows` selects rows by their first cell. Every other byte stays, padding around the cell included. Raises
    DocumentTooLarge as `tables` does.
    """
    lines = _LINE.findall(markdown)
    count = 0
    for table in tables(markdown, where):
        index = table.column(column)
        if index is None:
            continue
        for row, number in zip(table.rows, table.lines, strict=True):
            if row[index] != old or (rows is not None and not rows(row[0])):
                continue
            changed = _with_cell(lines[number - 1], row, index, new)
            if changed is not None:
                lines[number - 1] = changed
                count += 1
    return "".join(lines), count


def add_row(
    markdown: str, cells: tuple[str, ...], after: str | None = None, where: str = "document"
) -> tuple[str, int]:
    """The text with a row added behind each row whose first cell is `after`, or at the end of its one table.

    Returns the text and how many rows were added: with `after` None, 0 unless exactly one table has as many
    columns as there are `cells`. Raises DocumentTooLarge as `tables` does.
    """
    lines = _LINE.findall(markdown)
    fitting = [table for table in tables(markdown, where) if len(table.headers) == len(cells)]
    if after is None:
        # a table without rows ends with its delimiter row, one line below the header
        places = [table.lines[-1] if table.lines else table.line + 1 for table in fitting]
        places = places if len(places) == 1 else []
    else:
        places = [at for table in fitting for row, at in zip(table.rows, table.lines, strict=True) if row[0] == after]
    for number in sorted(places, reverse=True):
        line = lines[number - 1]
        end = line[len(line.rstrip("\r\n")) :]
        added = "| " + " | ".join(cell_text(cell) for cell in cells) + " |"
        if not end:
            end = _newline(markdown)
            lines[number - 1] = line + end
            lines.insert(number, added)
        else:
            lines.insert(number, added + end)
    return "".join(lines), len(places)


def delete_rows(markdown: str, key: str, where: str = "document") -> tuple[str, int]:
    """The text without the table rows whose first cell is `key`, and how many there were."""
    lines = _LINE.findall(markdown)
    found = {
        number
        for table in tables(markdown, where)
        for row, number in zip(table.rows, table.lines, strict=True)
        if row[0] == key
    }
    return "".join(line for number, line in enumerate(lines, 1) if number not in found), len(found)


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # without the inline pass cells stay as written, and no inline syntax can cost time
    reader = MarkdownIt("commonmark").enable("table").disable(["inline", "reference"])
    if "text_join" in reader.get_active_rules()["core"]:
        reader.disable("text_join")
    return reader


def _refuse_monsters(markdown: str, where: str) -> None:
    remedy = "a document of this kind is a few hundred kilobytes at most"
    if len(markdown) > MAX_DOCUMENT_BYTES:
        raise DocumentTooLarge(where, f"longer than {MAX_DOCUMENT_BYTES} characters", remedy)
    if max(markdown.count("\n"), markdown.count("\r")) > MAX_DOCUMENT_LINES:
        raise DocumentTooLarge(where, f"longer than {MAX_DOCUMENT_LINES} lines", remedy)


def _tables(tokens: list[Token]) -> Iterator[Table]:
    cells: list[str] = []
    headers: tuple[str, ...] = ()
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    top = at = 0
    for index, token in enumerate(tokens):
        match token.type:
            case "table_open":
                rows, lines, headers = [], [], ()
            case "tr_open":
                cells, at = [], (token.map[0] + 1 if token.map else 0)
            case "inline" if tokens[index - 1].type in ("td_open", "th_open"):
                cells.append(token.content.strip())
            case "tr_close" if not headers:
                headers, top = tuple(cells), at
            case "tr_close":
                rows.append(tuple(cells))
                lines.append(at)
            case "table_close":
                yield Table(headers, tuple(rows), top, tuple(lines))


def _with_cell(line: str, row: tuple[str, ...], index: int, new: str) -> str | None:
    """The line with one cell replaced; None when the line does not hold the row by itself (a table in a quote)."""
    body = line.rstrip("\r\n")
    spans = _spans(body)
    seen = tuple(body[start:end].replace(r"\|", "|").strip() for start, end in spans)
    if seen[: len(row)] != row[: len(seen)] or index >= len(seen):
        return None
    start, end = spans[index]
    text = body[start:end]
    padding = len(text) - len(text.lstrip())
    kept = text[:padding], text[len(text.rstrip()) :] if text.strip() else ""
    return body[:start] + kept[0] + cell_text(new) + kept[1] + body[end:] + line[len(body) :]


def _spans(body: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand in its line: between pipes that no backslash stands before."""
    pipes = [match.start() for match in re.finditer(r"(?<!\\)\|", body)]
    edges = [-1, *pipes, len(body)]
    spans = [(left + 1, right) for left, right in pairwise(edges)]
    if spans and not body[slice(*spans[0])].strip():
        spans = spans[1:]
    if len(spans) > 1 and not body[slice(*spans[-1])].strip():
        spans = spans[:-1]
    return spans


def _newline(markdown: str) -> str:
    return "\r\n" if "\r\n" in markdown else "\n"
