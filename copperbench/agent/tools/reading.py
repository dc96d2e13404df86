"""Looking at the project: files, text in files, symbols, nets."""

from __future__ import annotations

import time
from collections.abc import Iterator

from copperbench.agent.session import Session
from copperbench.agent.tools.tool import COUNT, PATH, TEXT, Arguments, Tool, told
from copperbench.agent.workspace import ToolError

_MOST_CHARACTERS = 60_000
_MOST_HITS = 200
_LONGEST_LINE = 400
_SEARCH_LIMIT_S = 10.0


def _read_file(session: Session, args: Arguments) -> str:
    path = args.text("path")
    lines = session.workspace.read(path).splitlines(keepends=True)
    first, last = args.optional_count("start_line") or 1, args.optional_count("end_line") or len(lines)
    if lines and first > len(lines):
        raise ToolError(f"{path} has only {len(lines)} lines")
    size = 0
    taken: list[str] = []
    for line in lines[first - 1 : last]:
        size += len(line)
        if size > _MOST_CHARACTERS and taken:
            end = first + len(taken) - 1
            return "".join(taken) + f"\n[cut after line {end} of {len(lines)}; go on with start_line {end + 1}]"
        taken.append(line[:_MOST_CHARACTERS])
    return "".join(taken)


def _search(session: Session, args: Arguments) -> str:
    from copperbench.suite import compile_pattern

    pattern = compile_pattern(args.text("pattern"), "pattern")
    hits: list[str] = []
    until = time.monotonic() + _SEARCH_LIMIT_S
    for path in _matching(session, args.optional_text("glob")):
        text = (session.workspace.root / path).read_bytes().decode("utf-8", "replace")
        if "\0" in text or not pattern.search(text):
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if pattern.search(line):
                hits.append(f"{path}:{number}: {line.strip()[:_LONGEST_LINE]}")
                if len(hits) >= _MOST_HITS:
                    return "\n".join([*hits, f"[the first {_MOST_HITS} hits; narrow the pattern or the glob]"])
            if time.monotonic() > until:
                raise ToolError("the search takes too long; narrow the glob or simplify the pattern")
    return "\n".join(hits) or "no match"


def _matching(session: Session, glob: str | None) -> Iterator[str]:
    from pathspec import PathSpec

    wanted = PathSpec.from_lines("gitignore", [glob]) if glob else None
    for path in session.workspace.files():
        name = path.rsplit("/", 1)[-1]
        if (wanted is None or wanted.match_file(path)) and name != ".env" and not name.startswith(".env."):
            yield path


def _list_files(session: Session, _args: Arguments) -> str:
    root = session.workspace.root
    files = list(session.workspace.files())
    lines = [f"{path} ({(root / path).stat().st_size} bytes)" for path in files[:_MOST_HITS]]
    return "\n".join([*lines, *(["[and more; use search with a glob]"] if len(files) > _MOST_HITS else [])])


def _list_symbols(session: Session, _args: Arguments) -> str:
    rows = [
        f"{each.refdes} | {each.value} | {each.footprint} | {each.lib_id} | {each.sheet}"
        + (" | not populated" if each.dnp else "")
        for each in session.design.schematic().symbols
    ]
    return _cut("\n".join(["refdes | value | footprint | library symbol | sheet", *rows]))


def _list_nets(session: Session, _args: Arguments) -> str:
    nets = session.design.netlist()
    rows = [f"{net.name}: {', '.join(f'{refdes}.{pin}' for refdes, pin in net.pins)}" for net in nets.nets]
    return _cut("\n".join([*rows, *(f"note: {warning}" for warning in nets.warnings)]) or "no nets")


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_CHARACTERS else text[:_MOST_CHARACTERS] + "\n[cut; use search for the rest]"


TOOLS = (
    Tool(
        "read_file",
        "Read a text file of the project, whole or from start_line to end_line (counted from 1). Long answers are cut "
        "and say where to go on; schematics are long, so search first and read the lines around a hit.",
        _read_file,
        {"path": PATH, "start_line": COUNT, "end_line": told(COUNT, "this line included")},
        optional=("start_line", "end_line"),
    ),
    Tool(
        "search",
        "Search the project's files for a regular expression, line by line; answers `path:line: text`. `glob` narrows "
        "the files, for example `*.kicad_sch` or `docs/*.md`.",
        _search,
        {
            "pattern": told(TEXT, "a regular expression, case-sensitive; escape ( ) [ ] . to find them as they are"),
            "glob": told(TEXT, "as in .gitignore"),
        },
        optional=("glob",),
    ),
    Tool("list_files", "List the project's files.", _list_files, {}),
    Tool("list_symbols", "List the parts of the schematic with value, footprint and sheet.", _list_symbols, {}),
    Tool("list_nets", "List the nets of the schematic with the pins on each, as KiCad names them.", _list_nets, {}),
)
