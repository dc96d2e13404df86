"""Other numbers for the same reasoning: budgets and values change together, and every inequality still holds."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from copperbench.errors import SuiteError
from copperbench.variants.declaring import TaskSubset
from copperbench.variants.naming import AFTER, BEFORE, draw

_NOTATION = re.compile(r"(\d+)(?:\.(\d+))?(?:([Rkm])(\d*))?")
_FACTORS = {"R": 1.0, "k": 1e3, "m": 1e-3}
_ARITHMETIC: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class Scaling:
    """New numbers by old: `words` are texts as the task writes them, `budgets` the numbers of a configuration."""

    words: Mapping[str, str]
    budgets: Mapping[tuple[str, float], float]

    def text(self, text: str) -> str:
        """Words of the task with every declared number changed; a number inside a longer one is another number."""
        return self._pattern.sub(lambda match: self.words[match[0]], text)

    def budget(self, key: str, number: float) -> float:
        """The new number of a budget; as it is where that is none of the declared ones."""
        new = self.budgets.get((key, float(number)), number)
        return int(new) if float(new).is_integer() else new

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = sorted(self.words, key=lambda word: (-len(word), word))
        return re.compile("|".join(map(_bounded, words))) if words else re.compile(r"(?!)")


def scaling(subset: TaskSubset, seed: int) -> Scaling:
    """The numbers of variant `seed` of a task (STANDARD 10).

    Raises SuiteError where an inequality of the declaration does not hold for all numbers, or two forms collide.
    """
    rows = [_row(subset, at) for at in range(_rows(subset))]
    for row in rows:
        for rule in subset.keeps:
            if not holds(rule, _numbers(row), subset.place):
                said = ", ".join(f"{name} {value}" for name, value in row.items())
                raise SuiteError(subset.place, f"{rule!r} does not hold for {said}", "correct the numbers")
    old, new = rows[0], rows[1 + draw(f"{seed}/values", len(rows) - 1)] if len(rows) > 1 else rows[0]
    words: dict[str, str] = {}
    budgets: dict[tuple[str, float], float] = {}
    for each in subset.quantities:
        for form in each.forms:
            word, said = form.replace("{}", old[each.name]), form.replace("{}", new[each.name])
            if words.setdefault(word, said) != said:
                raise SuiteError(subset.place, f"{word!r} would become two things", "make the forms longer")
        if each.budget is not None:
            budgets[each.budget, number(old[each.name], subset.place)] = number(new[each.name], subset.place)
    return Scaling(words, budgets)


def _rows(subset: TaskSubset) -> int:
    return max((len(each.values) for each in subset.quantities), default=1)


def _row(subset: TaskSubset, at: int) -> dict[str, str]:
    """Every quantity as it is written in one alternative, worked ones in the order of the declaration."""
    row: dict[str, str] = {}
    for each in subset.quantities:
        if each.worked is None:
            row[each.name] = each.values[at]
        else:
            row[each.name] = f"{work(each.worked, _numbers(row), subset.place):.{each.digits}f}"
    return row


def _numbers(row: Mapping[str, str]) -> dict[str, float]:
    return {name: number(value, name) for name, value in row.items()}


def number(text: str, place: str) -> float:
    """A number as a sheet writes it: 15, 0.5, 220R, 3k3, 8R2 (in ohm). Raises SuiteError."""
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise SuiteError(place, f"{text!r} is no number", "write it as 15, 0.5, 220R or 3k3")
    whole, fraction, unit, behind = match.groups()
    return float(f"{whole}.{behind or fraction or 0}") * (_FACTORS[unit] if unit else 1.0)


def work(formula: str, numbers: Mapping[str, float], place: str) -> float:
    """What a formula of names, numbers, + - * / and brackets gives. Raises SuiteError."""
    return _value(_parsed(formula, place), numbers, f"{place}: {formula!r}")


def holds(rule: str, numbers: Mapping[str, float], place: str) -> bool:
    """Whether an inequality of two formulas holds. Raises SuiteError."""
    node = _parsed(rule, place)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS:
        raise SuiteError(
            f"{place}: {rule!r}", "is no inequality", "write two formulas with <, <=, > or >= between them"
        )
    sides = (_value(side, numbers, f"{place}: {rule!r}") for side in (node.left, node.comparators[0]))
    return _COMPARISONS[type(node.ops[0])](*sides)


def _parsed(formula: str, place: str) -> ast.expr:
    try:
        return ast.parse(formula, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        raise SuiteError(f"{place}: {formula!r}", "is no formula", "use names, numbers, + - * / and brackets") from None


def _value(node: ast.expr, numbers: Mapping[str, float], place: str) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in numbers:
        return numbers[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = _value(node.left, numbers, place), _value(node.right, numbers, place)
        if isinstance(node.op, ast.Div) and right == 0:
            raise SuiteError(place, "divides by zero", "correct the numbers")
        return _ARITHMETIC[type(node.op)](left, right)
    known = ", ".join(numbers) or "none"
    raise SuiteError(place, f"{ast.unparse(node)!r} is not known here", f"use + - * / and earlier quantities ({known})")


def _bounded(word: str) -> str:
    """The word as a pattern, which does not begin or end inside another word or number."""
    before = BEFORE + r"(?<!\d[.,])" if word[0].isalnum() else ""
    after = AFTER + r"(?![.,]\d)" if word[-1].isalnum() else ""
    return f"{before}{re.escape(word)}{after}"
