"""Putting the three sources together, from a seal and nothing else (STANDARD 3)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from copperbench.errors import SealBroken
from copperbench.evidence.diff import Diff
from copperbench.evidence.end_state import EndState
from copperbench.evidence.judged import VerifyReports
from copperbench.evidence.recorded import ReportKind
from copperbench.evidence.shared import Shared
from copperbench.evidence.transcript import Transcript, read_transcript
from copperbench.evidence.tree import LazyTree, Tree, tree_digest
from copperbench.kicad import Report
from copperbench.sandbox import Commit, ExitFacts
from copperbench.suite import Fixture, Task

if TYPE_CHECKING:
    from copperbench.sandbox import Seal


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that grading may look at.

    `recorded` holds the fixture's recorded reports by kind: the allowlist of baseline-relative verification.
    """

    end_state: EndState
    baseline: EndState
    diff: Diff
    transcript: Transcript
    exit: ExitFacts
    task: Task
    fixture: Fixture
    recorded: Mapping[ReportKind, Report]


def evidence_of(
    baseline: Tree,
    end: Tree,
    commits: tuple[Commit, ...] | None,
    transcript: Transcript,
    exit_facts: ExitFacts,
    task: Task,
    fixture: Fixture,
    recorded: Mapping[ReportKind, Report],
    reports: Callable[[], VerifyReports | None] = lambda: None,
) -> Evidence:
    """Evidence from any two trees; nothing is read before a handler asks for it (STANDARD 3)."""
    before = EndState(baseline, fixture)
    after = EndState(end, fixture, before, reports)
    return Evidence(after, before, Diff(baseline, end, commits), transcript, exit_facts, task, fixture, recorded)


@contextmanager
def collect(
    seal: Seal,
    task: Task,
    fixture: Fixture,
    fixture_tree: Path,
    kicad: Callable[[], VerifyReports | None],
    recorded: Path | None = None,
    shared: Shared | None = None,
) -> Iterator[Evidence]:
    """Evidence of a sealed run, for as long as the context lasts (STANDARD 3).

    `kicad` gives the sealed reports, or None where no kicad-cli of the baseline's major has judged the run.
    `recorded` is the folder of the fixture's recorded reports, by default `baseline` beside its tree; `shared` keeps
    what other runs of the task have in common with this one. Raises SealBroken when the reports belong to another end
    state, SuiteError when a recorded report is unreadable.
    """

    def reports() -> VerifyReports | None:
        found = kicad()
        if found is not None and found.end_state != tree_digest(seal.end):
            raise SealBroken("verify.json", "was made of another end state", "restore it, or move it aside")
        return found

    shared = shared if shared is not None else Shared()
    known = shared.recorded(recorded if recorded is not None else fixture_tree.parent / "baseline")
    baseline, before = shared.baseline(seal, fixture, fixture_tree)
    with tempfile.TemporaryDirectory(prefix="copperbench-evidence-") as scratch:
        end = LazyTree(
            seal.end,
            lambda path: seal.read_end(path, fixture_tree),
            lambda into: seal.materialise("end", fixture_tree, into, leave_out=(fixture.board or "",)),
            Path(scratch) / "end",
        )
        transcript = read_transcript(seal.transcript)
        after = EndState(end, fixture, before, reports)
        diff = Diff(baseline, end, seal.commits)
        yield Evidence(after, before, diff, transcript, seal.facts.exit, task, fixture, known)
