"""The globs of `files_touched_subset`: anchored, exact, and linear in the length of a hostile path (STANDARD 4)."""

from __future__ import annotations

_FOLDERS, _IN_FOLDERS = "**/", "in **/"


def glob_match(pattern: str, path: str) -> bool:
    """Whether a whole path matches a whole pattern, both from the root of the tree, `/` between folders.

    `*` stands for any characters but `/`, `?` for one such character, `**` for any characters, `/` included, and
    `**/` at the start or after a `/` also for nothing: `docs/**` is everything below docs, `**/x.md` is x.md in
    any folder. All else stands for itself, brackets too. Unlike ignore files, a pattern without `/` matches at
    the root only, and a pattern that names a folder does not match what is in it.
    """
    states = {0}
    parts = _parts(pattern)
    states = _closed(states, parts)
    for character in path:
        if not states or (len(parts) - 1 in states and parts[-1] == "**"):
            break
        states = _closed(_step(states, parts, character), parts)
    return len(parts) in states


def _parts(pattern: str) -> list[str]:
    parts: list[str] = []
    place = 0
    while place < len(pattern):
        at_start = place == 0 or pattern[place - 1] == "/"
        if at_start and pattern.startswith("**/", place):
            parts += (_FOLDERS, _IN_FOLDERS)
            place += 3
        elif pattern.startswith("**", place):
            parts.append("**")
            place += 2
        else:
            parts.append(pattern[place])
            place += 1
    return parts


def _closed(states: set[int], parts: list[str]) -> set[int]:
    """With every state that is reached without reading a character: each kind of star may stand for nothing."""
    closed = set(states)
    pending = list(states)
    while pending:
        state = pending.pop()
        part = parts[state] if state < len(parts) else ""
        onward = {"*": (1,), "**": (1,), _FOLDERS: (1, 2)}.get(part, ())
        new = {state + steps for steps in onward} - closed
        closed |= new
        pending += new
    return closed


def _step(states: set[int], parts: list[str], character: str) -> set[int]:
    reached: set[int] = set()
    for state in states:
        part = parts[state] if state < len(parts) else ""
        if part in ("**", _IN_FOLDERS) or (part == "*" and character != "/"):
            reached.add(state)
        if part == _IN_FOLDERS:
            moves = character == "/"
        else:
            moves = character != "/" if part == "?" else part == character and part != "*"
        if moves:
            reached.add(state + 1)
    return reached
