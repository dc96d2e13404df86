"""The project's documents as pages of the site: standard, guides and notes, linked with each other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.token import Token

NAMED = ("README.md", "STANDARD.md", "fixtures/FIXTURES.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")


@dataclass(frozen=True, slots=True)
class Document:
    """A document as a page: its path in the checkout, its address in the site, its first heading, and its HTML."""

    path: str
    address: str
    title: str
    html: str


def read_documents(root: Path) -> tuple[Document, ...]:
    """Every document of the checkout that is there, in reading order; markup that one holds itself stays text.

    Links between documents lead to their pages. A link to anything else in the project becomes its text, since the
    site does not carry that file; links elsewhere stay.
    """
    paths = [*NAMED, *sorted(path.relative_to(root).as_posix() for path in (root / "docs").glob("*.md"))]
    there = [path for path in paths if (root / path).is_file()]
    pages = {path: document_address(path) for path in there}
    return tuple(_document(root, path, pages) for path in there)


def document_address(path: str) -> str:
    """A document's page under docs/: its path as one name, since two folders may hold documents of one name."""
    return f"docs/{path.removeprefix('docs/').removesuffix('.md').replace('/', '-').lower()}.html"


def _document(root: Path, path: str, pages: dict[str, str]) -> Document:
    from markdown_it import MarkdownIt

    text = (root / path).read_text(encoding="utf-8", errors="replace")
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = markdown.parse(re.sub(r"^<!-- .*? -->\n", "", text, flags=re.MULTILINE))
    title = path
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = tokens[place + 1].content
            token.attrSet("id", _anchor(words))
            title = words if token.tag == "h1" and title == path else title
    for token in _inline(tokens):
        _lead(token, path, pages)
    return Document(path, pages[path], title, markdown.renderer.render(tokens, markdown.options, {}))


def _inline(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        if token.type == "link_open":
            yield token
        yield from _inline(token.children or [])


def _lead(token: Token, path: str, pages: dict[str, str]) -> None:
    """Point a link at the page of the document that it means."""
    link = str(token.attrGet("href") or "")
    if re.match(r"[a-z]+:|#|//", link):
        return
    name, _, anchor = link.partition("#")
    target = pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
    if target is None:
        token.attrs.pop("href", None)
        return
    token.attrSet("href", posixpath.basename(target) + (f"#{anchor}" if anchor else ""))


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
