"""The closed vocabulary and the verdict: one handler per assertion type, then one of pass, fail, unscoreable.

A handler is a function from arguments and evidence to an outcome; `HANDLERS` holds them all. `grade` is the way in.
"""

from copperbench.grading import diff, docs, end_state, kicad, transcript  # noqa: F401 - each registers its handlers
from copperbench.grading.exit import effective_exit_path
from copperbench.grading.failures import CATEGORIES, FAILURE_TABLE, Situation, failure_category
from copperbench.grading.globs import glob_match
from copperbench.grading.models import Grade, GradedAssertion, Outcome, Source, Status, Verdict
from copperbench.grading.registry import HANDLERS, Handler
from copperbench.grading.verdict import grade, grade_quarantined, judge, partial_credit, verdict_of

__all__ = [
    "CATEGORIES",
    "FAILURE_TABLE",
    "HANDLERS",
    "Grade",
    "GradedAssertion",
    "Handler",
    "Outcome",
    "Situation",
    "Source",
    "Status",
    "Verdict",
    "effective_exit_path",
    "failure_category",
    "glob_match",
    "grade",
    "grade_quarantined",
    "judge",
    "partial_credit",
    "verdict_of",
]
