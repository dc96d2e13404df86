r"""The claims checker: where the paper bears results a quantity is a macro, never a literal (STANDARD 12).

Looked at is `main.tex`, every section that is not in `FREE`, and what these take in by `\input` or `\include`, but for
what lies in `generated/`. What counts as a literal is decided by the rules here and by nothing else:

- a run of digits in running text (captions, tables, footnotes and titles are text), a fraction or an index that is one
  sign, a Roman numeral of two letters or more, and a number word (`three`, `half`, `twice`, `tenfold`, ...), also one
  that is broken up by `\-` or `{}`;
- `one` and `single` only before a word that is counted (`one run`, `one of`) or after one that counts (`all but one`):
  otherwise `one` is a pronoun;
- not counted: comments; options of classes and packages; arguments of `\ref`, `\label` and the like, of
  `\cite` (its option only where it names a page or a section); ISO dates, and a year (1900 to 2099) after `in`, `of`,
  `since`, a month or `(` unless something counted follows it. Section and figure numbers come from `\ref`;
- not counted: code in `\code`, `\texttt`, `\verb`, `\url`, as long as it looks like code: a number among plain words is
  none;
- not counted: the names `pass@1` and `pass^k`; in mathematics 0 and 1 as ends of an interval, and in a term with a
  letter that states no value (`1 - p`, not `k = 1`);
- in a section of `FREE` number words may stand (`three sources`) and pictures too, numerals may not;
- elsewhere a picture counts unless it is generated. A definition in a section of `FREE` counts: it could carry a figure
  to where nobody looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError

FREE = ("related", "system", "design")
"""The sections (`paper/sections/<name>.tex`) that state no result: what others did, and how the benchmark is made."""

RESULTS_BEARING = (
    "abstract",
    "introduction",
    "setup",
    "results",
    "failures",
    "ablations",
    "threats",
    "reproducibility",
    "conclusion",
    "suite",
)
"""The sections that have to be there, and whose quantities are results, as are those of any other section."""

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_BROKEN = re.compile(r"\\-|\{\}|\\/")
_OPTION = r"(?:\[[^\]]*\])"
_VERB = re.compile(r"\\verb\*?([^A-Za-z\s*])(?P<code>.*?)\1")
_CODE = re.compile(r"\\(?:code|texttt|url)\{(?P<code>[^{}]*)\}")
_LOOKS_LIKE_CODE = re.compile(r"[=_/:(){}<>|@\[\]\\-]|\.\w")
_PAGE = r"(?:\[(?:pp?|ch|sec|fig|tab)\.[~\s]*\d+(?:--?\d+)?\])"
_QUIET = re.compile(
    rf"\\cite[a-z]*\*?{_PAGE}?\{{[^{{}}]*\}}|\\(?:documentclass|usepackage){_OPTION}?\{{[^{{}}]*\}}"
    rf"|\\(?:ref|pageref|autoref|label|input|include|begin|end|vspace|hspace|bibliography(?:style)?)"
    rf"\*?{_OPTION}*\{{[^{{}}]*\}}"
)
_PICTURE = re.compile(rf"\\includegraphics\*?{_OPTION}*\{{(?P<path>[^{{}}]*)\}}")
_PICTURE_LEFT = re.compile("<picture [a-z/-]*>")
_PARAMETERS = re.compile(r"(?<=\})\[\d\](?=\{)|#\d")
_INCLUDED = re.compile(r"\\(?:input|include|subfile)(?:\s*\{(?P<braced>[^{}]*)\}|[ \t]+(?P<bare>[^\s{}\\]+))")
_DEFINITION = re.compile(
    r"\\(?:(?:re|provide)?new(?:command|environment|counter)|providecommand|[egx]?def|let|setcounter"
    r"|(?:New|Renew|Provide|Declare)[A-Z][A-Za-z]*Command)\b\*?"
)
_MATHS = re.compile(r"\$([^$]*)\$|\\\(([^)]*)\\\)")
_INTERVAL = re.compile(r"[\[(\\{]+\s*0\s*,\s*1\s*[\])\\}]+")
_STATES = re.compile(r"[=<>]|\\(?:leq?|geq?|approx|sim|equiv)\b")
_NAME = re.compile(r"pass@(?:1|\$k\$|k)|pass\\?\^(?:\{\})?\$?k\$?")
_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_THINGS = (
    r"runs?|tasks?|models?|records?|agents?|fixtures?|boards?|traps?|repeats?|cases?|pass(?:es)?|failures?|tiers?"
    r"|percent|assertions?|rows?|turns?|variants?|category|categories|commits?|edits?|refusals?|tokens?|dollars?|cents?"
    r"|others?|segments?"
)
_COUNTED = rf"(?:{_THINGS}|tenth|half|hundred|thousand|million|of|in|out)\b"
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_YEAR = re.compile(rf"(?:\b(?:in|of|since|{_MONTH})[\s~]+|\()(?:19|20)\d\d\b(?!\.\d)(?![\s~-]+(?:{_THINGS})\b)")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?")
_NUMERAL = re.compile(
    r"\d+(?:[.,]\d+)*|[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2079\u2080-\u2089\u2150-\u218b\u2460-\u249b]"
    r"|\b(?=[IVX]{2,}\b)X{0,3}(?:IX|IV|V?I{0,3})\b"
)
_UNITS = "two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_LARGE = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|billions?"
_PARTS = (
    "zero|half|halves|thirds|quarters|fifths|(?:a|one)[ ~-](?:third|quarter|fifth|sixth|eighth|tenth)|tenths"
    "|dozens?|twice|thrice|doubled?|triple[ds]?|percent|a[ ~]couple"
)
_ALONE = (
    r"(?:(?:all|every|none|no[ ~]\w+)[ ~]but|only|just|exactly|at[ ~](?:least|most)|(?:more|less|fewer)[ ~]than)[ ~]one"
)
_RANKS = r"rank(?:s|ed|ing)?[ ~]+(?:first|second|third)"
_WORDS = re.compile(
    rf"\b(?:(?:{_UNITS}|{_TEENS}|{_LARGE})(?:fold)?|{_PARTS}|{_RANKS}|{_ALONE}|(?:one|single)(?=[\s~-]+{_COUNTED}))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A quantity typed by hand: `path`, the 1-based `line` and the `text` as it stands there."""

    path: Path
    line: int
    text: str


def paper_sources(sections: Path) -> tuple[Path, ...]:
    """The files whose quantities are results: `main.tex` beside the folder if there is one, and its sections.

    Raises CopperbenchError for a section of RESULTS_BEARING that is missing.
    """
    wanted = [sections / f"{name}.tex" for name in RESULTS_BEARING]
    if absent := [path for path in wanted if not path.is_file()]:
        raise CopperbenchError(absent[0], "is missing", "write that section, or name the folder of the sections")
    main = sections.parent / "main.tex"
    others = sorted(path for path in sections.glob("*.tex") if path not in wanted)
    return (*([main] if main.is_file() else []), *wanted, *others)


def find_claims(files: Iterable[Path]) -> tuple[Claim, ...]:
    """Every literal quantity of `files` and of what they take in, in their order (STANDARD 12).

    In a section of FREE only numerals and definitions are looked for. Raises CopperbenchError for a file that cannot be
    read as UTF-8.
    """
    found: list[Claim] = []
    pending, seen = list(files), set()
    while pending:
        path = pending.pop(0)
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        # Verbatim text first: a percent sign in it begins no comment.
        text = _COMMENT.sub(_blank, _VERB.sub(_without_code, _read(path)))
        found += _claims(path, text)
        pending += _included(path, text)
    return tuple(found)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CopperbenchError(path, f"cannot be read ({error})", "save it as UTF-8 text") from error


def _included(path: Path, text: str) -> Iterator[Path]:
    """What a file takes in, as TeX finds it from the paper's folder or from the file's own."""
    for match in _INCLUDED.finditer(text):
        name = (match["braced"] or match["bare"] or "").strip()
        if name.startswith("generated/") and ".." not in name:
            continue
        for folder in (path.parent, path.parent.parent):
            for place in (folder / name, folder / f"{name}.tex"):
                if place.is_file():
                    yield place


def _claims(path: Path, text: str) -> Iterator[Claim]:
    if path.stem in FREE and path.parent.name == "sections":
        for match in _DEFINITION.finditer(text):
            yield Claim(path, text.count("\n", 0, match.start()) + 1, match.group())
        rules: tuple[re.Pattern[str], ...] = (_NUMERAL,)
    else:
        rules = (_NUMERAL, _WORDS, _PICTURE_LEFT)
    for number, line in enumerate(_blanked(text).split("\n"), start=1):
        found = [match for rule in rules for match in rule.finditer(line)]
        for match in sorted(found, key=lambda each: each.start()):
            yield Claim(path, number, match.group())


def _blanked(text: str) -> str:
    """`text` with what is no claim turned into blanks; every line stays the line that it is."""
    text = _CODE.sub(_without_code, _BROKEN.sub("", text))
    for rule in (_QUIET, _PARAMETERS, _NAME, _DATE, _YEAR):
        text = rule.sub(_blank, text)
    text = _PICTURE.sub(_only_its_name, text)
    text = _MATHS.sub(_without_constants, text)
    return _COMMAND.sub(_blank, text)


def _without_code(found: re.Match[str]) -> str:
    """Blank where the argument looks like code or holds no number at all; else the text that it is."""
    code = found["code"]
    if _LOOKS_LIKE_CODE.search(code) and not re.fullmatch(r"[\d.,/%$\s\\-]*", code):
        return _blank(found)
    return " " + code.replace("%", " ")


def _only_its_name(found: re.Match[str]) -> str:
    """Nothing of a generated picture; of another a mark, and letters in place of digits, which are no quantity."""
    path = found["path"]
    generated = path.startswith("generated/") and ".." not in path
    return _blank(found) if generated else f"<picture {re.sub('[^a-z/]', '-', path)}>"


def _without_constants(found: re.Match[str]) -> str:
    term = _INTERVAL.sub(_blank, found.group())
    if _STATES.search(term) or not re.search(r"[A-Za-z]", _COMMAND.sub("", term)):
        return term
    return re.sub(r"(?<![\d.,])[01](?![\d.,]*\d)", " ", term)


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
