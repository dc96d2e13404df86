"""From outcomes to a verdict, partial credit and a failure category (STANDARD 6, 9)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from copperbench.errors import SuiteError
from copperbench.evidence import EXIT_PATHS, Evidence, Unreadable
from copperbench.grading.exit import TAMPERED, effective_exit_path
from copperbench.grading.failures import Situation, failure_category
from copperbench.grading.kicad import UNLOADABLE
from copperbench.grading.models import Grade, GradedAssertion, Outcome, Verdict
from copperbench.grading.registry import HANDLERS, failed, unevaluable
from copperbench.suite import AssertionSpec, PatternTimeout, Task


def grade(evidence: Evidence) -> Grade:
    """Grade a run: every assertion of its task, then what they add up to (STANDARD 4, 6, 9).

    What the run broke fails; what cannot be judged for a reason outside the run is unevaluable. A scoreable run that
    was tampered with fails whatever else holds, by an assertion of its own that says what was seen (STANDARD 6). Raises
    SuiteError for a type outside the vocabulary or arguments that do not fit it, SealBroken for evidence that changed.
    """
    graded = tuple(_graded(spec, judge(spec, evidence)) for spec in evidence.task.assertions)
    exit_path = effective_exit_path(evidence.transcript, evidence.exit)
    verdict, first = verdict_of(graded), first_failed_required(graded)
    if exit_path == TAMPERED:
        first = _tampering(graded, str(evidence.exit.tampered))
        graded = (*graded, first)
        verdict = verdict_of(graded)
    category = failure_category(_situation(graded, exit_path, evidence)) if verdict == "fail" else None
    return Grade(verdict, partial_credit(graded), category, first.id if first else None, exit_path, graded)


def grade_quarantined(task: Task, exit_path: str, quarantine: Mapping[str, str]) -> Grade:
    """The grade of a run in whose leavings a credential was found: a fail, whatever else it did (STANDARD 6, 12).

    Nothing of it can be looked at any more, so `no_secret` fails (and is added where the task has none) and every
    other assertion is unevaluable. `quarantine` says `kind` and `file` of the find.
    """
    leak = failed(f"{quarantine.get('kind', 'credential')} in {quarantine.get('file', 'what the run left')}")
    rest = unevaluable("quarantined: a credential was found in what the run left")
    graded = [_graded(spec, leak if spec.type == "no_secret" else rest) for spec in task.assertions]
    own = [item for item in graded if item.type == "no_secret"]
    if not own:
        own = [_graded(AssertionSpec(_fresh_id("no-secret", graded), "no_secret", {}, 1.0, required=True), leak)]
        graded += own
    return Grade("fail", 0.0, "constraint-violation", own[0].id, exit_path, tuple(graded))


def _tampering(graded: Sequence[GradedAssertion], seen: str) -> GradedAssertion:
    """What stands in the record of a run that was tampered with: an assertion that no task needs to have."""
    name = _fresh_id("not-tampered-with", graded)
    spec = AssertionSpec(name, "exit_path_in", {"paths": list(EXIT_PATHS)}, 1.0, required=True)
    return _graded(spec, failed(f"exit path {TAMPERED}: {seen}"))


def _fresh_id(name: str, graded: Sequence[GradedAssertion]) -> str:
    ids = {item.id for item in graded}
    return name if name not in ids else f"{name}-at-all"


def judge(spec: AssertionSpec, evidence: Evidence) -> Outcome:
    """The outcome of one assertion; what cannot be read fails or is unevaluable, by who is to blame (STANDARD 4)."""
    handler = HANDLERS.get(spec.type)
    if handler is None:
        raise SuiteError(f"assertion {spec.id}", f"{spec.type!r} is not in the vocabulary", "see STANDARD 4")
    try:
        return handler(spec.args, evidence)
    except Unreadable as fault:
        return _unreadable(fault)
    except PatternTimeout as fault:
        return failed(f"on what the run wrote, {fault.what}")


def verdict_of(graded: Sequence[GradedAssertion]) -> Verdict:
    """`unscoreable` when any required assertion is unevaluable, even beside one that failed (STANDARD 6).

    Otherwise an environment without KiCad would keep its failures and drop its passes.
    """
    required = {item.status for item in graded if item.required}
    if "unevaluable" in required:
        return "unscoreable"
    return "fail" if "fail" in required else "pass"


def partial_credit(graded: Sequence[GradedAssertion]) -> float:
    """The weighted share of all assertions that passed, in [0, 1]; diagnostic only (STANDARD 6)."""
    total = math.fsum(item.weight for item in graded)
    return math.fsum(item.weight for item in graded if item.status == "pass") / total if total else 0.0


def first_failed_required(graded: Sequence[GradedAssertion]) -> GradedAssertion | None:
    """The first required assertion that failed, in the order of the file (STANDARD 9)."""
    return next((item for item in graded if item.required and item.status == "fail"), None)


def _graded(spec: AssertionSpec, outcome: Outcome) -> GradedAssertion:
    source = HANDLERS[spec.type].source
    return GradedAssertion(
        spec.id, spec.type, spec.args, spec.weight, spec.required, source, outcome.status, outcome.detail
    )


def _unreadable(fault: Unreadable) -> Outcome:
    if not fault.by_run:
        return unevaluable(f"{fault}, in the baseline too")
    design = fault.where.split(":")[0].endswith(".kicad_sch")
    return failed(f"{UNLOADABLE}: {fault}" if design else str(fault))


def _situation(graded: Sequence[GradedAssertion], exit_path: str, evidence: Evidence) -> Situation:
    commits = evidence.diff.commits
    failures = [item for item in graded if item.status == "fail"]
    transcript = evidence.transcript
    return Situation(
        exit_path=exit_path,
        expected=evidence.task.expected_outcome,
        first=first_failed_required(graded),
        failed_types=frozenset(item.type for item in failures),
        credential_found=any(item.type == "no_secret" for item in failures),
        dominant_error=transcript.dominant_tool_error,
        finish_turned_down=transcript.finish_was_turned_down,
        design_broken=exit_path == "done" and bool(evidence.end_state.broken_design_file()),
        commits=None if commits is None else len(commits),
    )
