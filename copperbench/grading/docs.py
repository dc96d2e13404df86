"""Assertions on documents and registered constraints (STANDARD 4)."""

from __future__ import annotations

import time
from collections.abc import Iterator

from copperbench.evidence import CONFIG, CONSTRAINTS, DRIFT_DOCUMENTS, Evidence
from copperbench.grading.args import ConstraintRegistered, DocContains, DocRow, NoArgs
from copperbench.grading.models import Outcome, Source
from copperbench.grading.registry import SEARCHING_S, assertion, failed, listed, passed, passed_if, unevaluable
from copperbench.scaffold import Constraint, Table
from copperbench.suite import Pattern, PatternTimeout, compile_pattern


@assertion("doc_row_matches", source=Source.END_STATE)
def doc_row_matches(args: DocRow, evidence: Evidence) -> Outcome:
    """Each row whose first cell is the key or `REF:PIN` matches in that column; no row, no document: fail (STANDARD 4).

    A row's key is its first cell, or `REF:PIN` in a table with a Pin column. All tables of the document that
    have the column count, so that a second row cannot hide behind a right one.
    """
    end = evidence.end_state
    path = end.document(args.doc)
    if path is None:
        return failed(f"there is no document {args.doc}")
    pattern = compile_pattern(args.pattern, "doc_row_matches: $.pattern")
    rows = [cell for table in end.tables(path) for cell in _cells(table, args.key, args.column)]
    if not rows:
        return failed(f"{path} has no row {args.key} with a column {args.column}")
    deadline = time.monotonic() + SEARCHING_S
    for cell in dict.fromkeys(rows):
        if time.monotonic() > deadline:
            return _late(path, f"{args.pattern} is not done after {SEARCHING_S:g} s on {len(rows)} rows", evidence)
        if (outcome := _search(pattern, cell, path, evidence)) is not True:
            return outcome or failed(f"{path}: {args.column} of {args.key} is {cell!r}")
    return passed(f"{path}: {args.column} of {args.key} is {listed([repr(cell) for cell in dict.fromkeys(rows)])}")


@assertion("doc_contains", source=Source.END_STATE)
def doc_contains(args: DocContains, evidence: Evidence) -> Outcome:
    """The document exists and the pattern matches somewhere in it, or with `absent` nowhere (STANDARD 4).

    `^` and `$` match at every line.
    """
    path = evidence.end_state.document(args.doc)
    if path is None:
        return failed(f"there is no document {args.doc}")
    pattern = compile_pattern(args.pattern, "doc_contains: $.pattern")
    found = _search(pattern, evidence.end_state.text(path), path, evidence)
    if isinstance(found, Outcome):
        return found
    return passed_if(found is not args.absent, f"{path} {'matches' if found else 'does not match'} {args.pattern}")


@assertion("constraint_registered", source=Source.END_STATE)
def constraint_registered(args: ConstraintRegistered, evidence: Evidence) -> Outcome:
    """The constraint is registered as asked, and no number the baseline held for it changed anywhere (STANDARD 4).

    Numbers are value, min and max of the entry in `.copperhead/constraints.json`, and the budget of that key in
    `.copperhead/config.json`: a run that relaxes its own budget in either place fails. `affects` must name at
    least what is asked for.
    """
    entry = evidence.end_state.constraints().get(args.key)
    if entry is None:
        return failed(f"{CONSTRAINTS} has no entry {args.key}")
    if args.source is not None and entry.source != args.source:
        return failed(f"{args.key}: source is {entry.source!r}, not {args.source!r}")
    missing = sorted(set(args.affects or ()) - set(entry.affects))
    if missing:
        return failed(f"{args.key}: affects lacks {listed(missing)}")
    changed = list(_changed_numbers(args.key, entry, evidence))
    if changed:
        return failed(f"{args.key}: {listed(changed)}")
    return passed(f"{args.key} is registered, numbers as before")


@assertion("drift_clean", source=Source.END_STATE)
def drift_clean(_: NoArgs, evidence: Evidence) -> Outcome:
    """No mismatch of documents and schematic (document, row, column) that the baseline did not have (STANDARD 4).

    Mismatches are keyed by document, row and column, judged by our own netlister. A document that the baseline
    held and the run deleted fails: what is gone cannot agree.
    """
    before, end = evidence.baseline, evidence.end_state
    gone = [doc for doc in DRIFT_DOCUMENTS if before.document(doc) == doc and end.document(doc) != doc]
    if gone:
        return failed(f"deleted: {listed(gone)}")
    mismatches = end.drift()
    known = {mismatch.key for mismatch in before.drift()} if mismatches else set()
    new = [mismatch for mismatch in mismatches if mismatch.key not in known]
    if new:
        return failed(listed([str(mismatch) for mismatch in new], most=4))
    return passed(f"no new drift ({len(mismatches)} known)" if mismatches else "documents and schematic agree")


def _cells(table: Table, key: str, column: str) -> Iterator[str]:
    index, pin = table.column(column), table.column("Pin")
    if index is None:
        return
    for row in table.rows:
        if row[0] == key or (pin is not None and f"{row[0]}:{row[pin]}" == key):
            yield row[index]


def _search(pattern: Pattern, text: str, path: str, evidence: Evidence) -> Outcome | bool:
    """Whether the pattern matches; where time ran out, who is to blame decides."""
    try:
        return pattern.search(text)
    except PatternTimeout as error:
        return _late(path, error.what, evidence)


def _late(path: str, what: str, evidence: Evidence) -> Outcome:
    if evidence.end_state.same(path):
        return unevaluable(f"{path} is as in the baseline, and {what}")
    return failed(f"{path}: {what}")


def _changed_numbers(key: str, entry: Constraint, evidence: Evidence) -> Iterator[str]:
    before = evidence.baseline.constraints().get(key)
    for field, number in (before.numbers if before else {}).items():
        now = entry.numbers.get(field)
        if now != number:
            yield f"{field} was {number:g}, is {'gone' if now is None else format(now, 'g')}"
    budget = evidence.baseline.budgets().get(key)
    if budget is not None:
        now = evidence.end_state.budgets().get(key)
        if now != budget:
            yield f"the budget in {CONFIG} was {budget:g}, is {'gone' if now is None else format(now, 'g')}"
