"""The three sources of grading, read from a seal and nothing else: end state, diff, transcript.

Everything here was written by an agent that may want to deceive: it is read within bounds, never executed,
and whatever cannot be read says so as Unreadable, with who is to blame. `collect` is the way in.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.evidence.collect import Evidence, collect, evidence_of
    from copperbench.evidence.diff import Change, ChangeKind, Diff
    from copperbench.evidence.end_state import CONFIG, CONSTRAINTS, DRIFT_DOCUMENTS, EndState, Unavailable, Unreadable
    from copperbench.evidence.judged import Unloadable, VerifyReports, read_verify
    from copperbench.evidence.lines import LineChange, changed_lines
    from copperbench.evidence.recorded import ReportKind, recorded_reports
    from copperbench.evidence.shared import Shared
    from copperbench.evidence.transcript import (
        EXIT_PATHS,
        Event,
        FinishAttempt,
        RunStats,
        ToolErrorKind,
        Transcript,
        read_transcript,
        tool_error_kind,
    )
    from copperbench.evidence.tree import FolderTree, LazyTree, Tree, tree_digest
    from copperbench.evidence.verify import put_rules_back, verify

__all__ = [
    "CONFIG",
    "CONSTRAINTS",
    "DRIFT_DOCUMENTS",
    "EXIT_PATHS",
    "Change",
    "ChangeKind",
    "Diff",
    "EndState",
    "Event",
    "Evidence",
    "FinishAttempt",
    "FolderTree",
    "LazyTree",
    "LineChange",
    "ReportKind",
    "RunStats",
    "Shared",
    "ToolErrorKind",
    "Transcript",
    "Tree",
    "Unavailable",
    "Unloadable",
    "Unreadable",
    "VerifyReports",
    "changed_lines",
    "collect",
    "evidence_of",
    "put_rules_back",
    "read_transcript",
    "read_verify",
    "recorded_reports",
    "tool_error_kind",
    "tree_digest",
    "verify",
]

__getattr__ = on_demand(__name__)
