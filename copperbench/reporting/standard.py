"""The parts of documents that the code decides: tables between marks, generated so that they cannot drift.

A region begins with `<!-- generated: NAME -->` and goes up to the next `<!-- end -->`, each mark on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from copperbench.errors import CopperbenchError
from copperbench.evidence import EXIT_PATHS
from copperbench.grading import FAILURE_TABLE, HANDLERS, Handler, Source
from copperbench.grading.exit import CAP_EXCEEDED, NO_RUN_END, TAMPERED
from copperbench.grading.registry import field_name
from copperbench.reporting.aggregate import HEADLINE_SEGMENTS, SEGMENTS
from copperbench.reporting.leaderboard import ROUTES
from copperbench.suite import CREDENTIAL_PATTERNS

Regions = Mapping[str, Callable[[], str]]
"""The regions of a document by name, and what makes the text of each."""

_REGION = re.compile(r"^<!-- generated: ([a-z-]+) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
_SOURCES = {Source.END_STATE: "end state", Source.DIFF: "diff", Source.TRANSCRIPT: "transcript"}


def filled(text: str, where: str, regions: Regions | None = None) -> str:
    """`text` with every region as the code has it today (by default those of STANDARD.md); idempotent.

    Raises CopperbenchError, naming `where`, for a region that is not known, and for one that is missing.
    """
    regions = REGIONS if regions is None else regions
    named = [match[1] for match in _REGION.finditer(text)]
    unknown = [name for name in named if name not in regions]
    missing = [name for name in regions if name not in named]
    if unknown:
        raise CopperbenchError(where, f"no region is called {unknown[0]!r}", f"the regions are {', '.join(regions)}")
    if missing:
        remedy = "put `<!-- generated: NAME -->` and `<!-- end -->` around the place for it"
        raise CopperbenchError(where, f"the region {missing[0]!r} is missing", remedy)
    return _REGION.sub(lambda match: f"<!-- generated: {match[1]} -->\n{regions[match[1]]()}<!-- end -->", text)


def stale_regions(text: str, where: str, regions: Regions | None = None) -> tuple[str, ...]:
    """The regions of `text` that are not what the code has today. Raises CopperbenchError like `filled`."""
    today = _REGION.finditer(filled(text, where, regions))
    return tuple(new[1] for old, new in zip(_REGION.finditer(text), today, strict=True) if old[2] != new[2])


def _vocabulary() -> str:
    rows: list[tuple[str, ...]] = []
    for source, name in _SOURCES.items():
        rows.append((f"**{name}**", "", ""))
        rows += [
            (f"`{handler.type}`", _arguments(handler), _first_sentence(handler.function))
            for handler in HANDLERS.values()
            if handler.source is source
        ]
    return _table(("type", "args", "passes when"), rows)


def _arguments(handler: Handler[Any]) -> str:
    return ", ".join(_argument(name, handler.args_class._field_defaults) for name in handler.args_class._fields)


def _argument(name: str, defaults: Mapping[str, Any]) -> str:
    shown = f"`{field_name(name)}`"
    if name not in defaults:
        return shown
    plain = isinstance(defaults[name], str | int) and not isinstance(defaults[name], bool)
    return f"{shown}? = `{defaults[name]}`" if plain else f"{shown}?"


def _first_sentence(function: Callable[..., Any]) -> str:
    """What a handler's docstring says first, without the section that it names."""
    paragraph = " ".join((function.__doc__ or "").split("\n\n")[0].split())
    said = re.sub(r" \(STANDARD [^)]*\)", "", paragraph).rstrip(".")
    return said[:1].lower() + said[1:]


def _exit_paths() -> str:
    def listed(paths: Iterable[str]) -> str:
        return ", ".join(f"`{path}`" for path in paths)

    own = (CAP_EXCEEDED, NO_RUN_END, TAMPERED)
    rows = [("the transcript's run-end", listed(EXIT_PATHS)), ("the runner alone", listed(own))]
    return _table(("said by", "exit paths"), rows)


def _failures() -> str:
    rows = [(str(number), row.when, row.says) for number, row in enumerate(FAILURE_TABLE, 1)]
    return _table(("#", "when", "category"), rows)


def _credentials() -> str:
    return _table(("kind", "pattern"), [(f"`{each.kind}`", f"`{each.pattern}`") for each in CREDENTIAL_PATTERNS])


def _segments() -> str:
    def row(segment: str) -> tuple[str, str, str]:
        costed = ROUTES.get(segment, "").startswith("costed")
        headline = segment in HEADLINE_SEGMENTS
        cost = "USD" if costed else "USD null; tokens kept"
        return f"`{segment}`", cost, "headline tables" if headline else "a table of its own: no headline"

    return _table(("segment", "cost", "where it appears"), [row(segment) for segment in SEGMENTS])


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(cell.replace("|", "\\|") for cell in row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" if line[0] != "---" else f"|{'|'.join(line)}|\n" for line in lines)


REGIONS: Regions = MappingProxyType(
    {
        "vocabulary": _vocabulary,
        "exit-paths": _exit_paths,
        "credential-patterns": _credentials,
        "segments": _segments,
        "failure-categories": _failures,
    }
)
"""The regions of STANDARD.md."""
