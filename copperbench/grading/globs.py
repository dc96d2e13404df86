"""The globs of `files_touched_subset`: anchored, exact, and linear in the length of a hostile path (STANDARD 4)."""

from __future__ import annotations


def glob_match(pattern: str, path: str) -> bool:
    """Whether a whole path matches a whole pattern, both from the root of the tree, `/` between folders.

    `*` stands for any characters but `/`, `?` for one such character, `**` for any characters, `/` included, and
    `**/` at the start or after a `/` also for nothing: `docs/**` is everything below docs, `**/x.md` is x.md in
    any folder. All else stands for itself, brackets too. Unlike ignore files, a pattern without `/` matches at
    the root only, and a pattern that names a folder does not match what is in it.
    """
    states = {0}
    tokens = _tokens(pattern)
    states = _closed(states, tokens)
    for character in path:
        states = _closed(_step(states, tokens, character), tokens)
        if not states:
            return False
    return len(tokens) in states


def _tokens(pattern: str) -> list[str]:
    tokens: list[str] = []
    place = 0
    while place < len(pattern):
        at_start = place == 0 or pattern[place - 1] == "/"
        if at_start and pattern.startswith("**/", place):
            tokens.append("**/")
            place += 3
        elif pattern.startswith("**", place):
            tokens.append("**")
            place += 2
        else:
            tokens.append(pattern[place])
            place += 1
    return tokens


def _closed(states: set[int], tokens: list[str]) -> set[int]:
    """With every state that is reached without reading a character: each kind of star may stand for nothing."""
    closed = set(states)
    pending = list(states)
    while pending:
        state = pending.pop()
        if state < len(tokens) and tokens[state] in ("*", "**", "**/") and state + 1 not in closed:
            closed.add(state + 1)
            pending.append(state + 1)
    return closed


def _step(states: set[int], tokens: list[str], character: str) -> set[int]:
    reached: set[int] = set()
    for state in states:
        token = tokens[state] if state < len(tokens) else None
        if token == "**" or (token == "*" and character != "/"):  # noqa: S105 - a part of a glob, no password
            reached.add(state)
        elif (token == "?" and character != "/") or (token == character and token not in ("*", "?")):  # noqa: S105
            reached.add(state + 1)
    return reached
