"""The claims checker: in results-bearing sections a quantity is a macro, never a literal (STANDARD 12).

What counts as a literal is decided by the rules below and by nothing else:

- a run of digits in running text, and a number word (`three`, `forty`, `half`, `twice`, `dozen`, ...);
- `one` only before a word that is counted (`one run`, `one of`): otherwise it is a pronoun;
- not counted: comments; arguments of `\\cite`, `\\ref`, `\\label`, `\\input`, `\\url` and the like; code in
  `\\code`, `\\texttt`, `\\verb`;
- not counted: the names `pass@1` and `pass^k`; in mathematics the constants 0 and 1; ISO dates, and a year (1900
  to 2099) after `in`, `of`, `since`, a month or `(`. Section and figure numbers come from `\\ref`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError

RESULTS_BEARING = (
    "abstract",
    "introduction",
    "results",
    "failures",
    "ablations",
    "threats",
    "reproducibility",
    "conclusion",
)
"""The sections (`paper/sections/<name>.tex`) whose quantities are results."""

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_VERB = re.compile(r"\\verb\*?([^A-Za-z\s*])(.*?)\1")
_QUIET = re.compile(
    r"\\(?:cite[a-z]*|ref|pageref|autoref|label|input|include|url|code|texttt|begin|end|vspace|hspace|includegraphics)"
    r"\*?(?:\[[^\]]*\])*\{[^{}]*\}"
)
_MATHS = re.compile(r"\$([^$]*)\$|\\\(([^)]*)\\\)")
_NAME = re.compile(r"pass@(?:1|\$k\$|k)|pass\\?\^(?:\{\})?\$?k\$?")
_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_YEAR = re.compile(rf"(?:\b(?:in|of|since|{_MONTH})[\s~]+|\()(?:19|20)\d\d\b(?!\.\d)")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_NUMERAL = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL = "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
_LARGE = "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
_PARTS = "zero|half|halves|thirds|quarters|(?:a|one)[ ~-](?:third|quarter)|tenths|dozens?|twice|double|triple|percent"
_COUNTED = r"run|task|model|record|agent|fixture|board|trap|repeat|case|pass|failure|tier|percent|of|in|out"
_WORDS = re.compile(rf"\b(?:{_SMALL}|{_LARGE}|{_PARTS}|one(?=[\s~-]+(?:{_COUNTED})\b))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A quantity typed by hand: `path`, the 1-based `line` and the `text` as it stands there."""

    path: Path
    line: int
    text: str


def find_claims(files: Iterable[Path]) -> tuple[Claim, ...]:
    """Every literal quantity of `files`, in their order (STANDARD 12).

    Raises CopperbenchError for a file that cannot be read as UTF-8.
    """
    return tuple(claim for path in files for claim in _claims(path))


def _claims(path: Path) -> Iterator[Claim]:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CopperbenchError(path, f"cannot be read ({error})", "save it as UTF-8 text") from error
    for number, line in enumerate(_blanked(text).split("\n"), start=1):
        found = [*_NUMERAL.finditer(line), *_WORDS.finditer(line)]
        for match in sorted(found, key=lambda each: each.start()):
            yield Claim(path, number, match.group())


def _blanked(text: str) -> str:
    """`text` with what is no claim turned into blanks, so that places stay what they are."""
    for rule in (_VERB, _COMMENT, _QUIET, _NAME, _DATE, _YEAR):
        text = rule.sub(_blank, text)
    text = _MATHS.sub(lambda found: re.sub(r"(?<![\d.,])[01](?![\d.,]*\d)", " ", found.group()), text)
    return _COMMAND.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
