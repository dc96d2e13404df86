"""Patterns that tasks bring along: compiled once, multiline, and never given more than their time (STANDARD 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from copperbench.errors import CopperbenchError, SuiteError

TIME_LIMIT_S = 2.0
_MAX_LENGTH = 1000


class PatternTimeout(CopperbenchError):
    """A pattern did not finish in its time on the text it was given."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled multiline pattern; `where` names the place that it was written in."""

    text: str
    where: str
    compiled: Any

    def search(self, text: str, limit_s: float = TIME_LIMIT_S) -> bool:
        """Whether the pattern matches anywhere in `text`.

        Raises PatternTimeout when that is not known after `limit_s` seconds (STANDARD 4).
        """
        try:
            return self.compiled.search(text, timeout=limit_s) is not None
        except (TimeoutError, MemoryError) as error:
            what = f"the pattern {self.text!r} is not done after {limit_s:g} s on {len(text)} characters"
            raise PatternTimeout(self.where, what, "write a pattern that does not backtrack") from error


def compile_pattern(text: str, where: str) -> Pattern:
    """Compile a task's pattern: `^` and `$` match at every line, letters case-sensitive (STANDARD 4).

    Raises SuiteError when it is no pattern of 1 to 1000 characters.
    """
    import regex

    if not 0 < len(text) <= _MAX_LENGTH:
        raise SuiteError(where, f"a pattern has 1 to {_MAX_LENGTH} characters, not {len(text)}", "shorten it")
    try:
        compiled = regex.compile(text, regex.MULTILINE | regex.VERSION0, cache_pattern=False)
    except (regex.error, RecursionError, OverflowError, ValueError, TypeError) as error:
        raise SuiteError(where, f"{text!r} is no pattern ({error})", "correct it") from error
    return Pattern(text, where, compiled)
