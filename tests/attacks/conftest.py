"""A sandbox for an attacker to play in, its seal, and the grade that results.

The attacks, and the test that holds each (the first of several):

  attributes that call every file binary
    test_repository.py::test_an_attribute_that_makes_files_binary_hides_no_line
  textconv, fsmonitor, filter, external diff, included config: code run by a reader
    test_repository.py::test_nothing_that_a_repository_says_is_run
  hooks
    test_repository.py::test_no_hook_is_run
  aliases
    test_repository.py::test_an_alias_is_not_run
  assume-unchanged
    test_repository.py::test_assume_unchanged_hides_no_edit
  skip-worktree
    test_repository.py::test_skip_worktree_hides_no_edit
  info/exclude
    test_repository.py::test_info_exclude_hides_no_new_file
  .gitignore
    test_repository.py::test_gitignore_hides_no_new_file_and_is_itself_a_change
  sparse checkout, another work tree
    test_repository.py::test_a_moved_work_tree_shows_no_other_tree
  replace refs
    test_repository.py::test_a_replaced_commit_shows_no_other_history
  grafts
    test_repository.py::test_a_graft_shows_no_other_history
  shallow boundary
    test_repository.py::test_a_shallow_boundary_hides_no_commit
  amended baseline
    test_repository.py::test_an_amended_baseline_hides_no_edit
  rewritten history
    test_repository.py::test_rewritten_history_counts_whole
  commits on another branch or a detached HEAD
    test_repository.py::test_commits_on_a_branch_nobody_is_on_count
  deleted .git
    test_repository.py::test_a_deleted_repository_is_no_way_to_have_made_one_commit
  .git as a file or a link, alternates
    test_repository.py::test_a_repository_elsewhere_is_not_followed
  reset with the change left in a stash
    test_repository.py::test_a_change_left_in_a_stash_after_a_reset_is_no_change_and_no_commit
  nested repository
    test_repository.py::test_a_nested_repository_is_a_change_like_any_other
  submodule
    test_repository.py::test_a_submodule_is_a_change_with_all_its_files
  objects that unpack to gigabytes
    test_repository.py::test_a_repository_that_unpacks_to_gigabytes_is_recorded_and_fails
  links to /etc/passwd, the repository, the sandbox, themselves
    test_tree.py::test_a_link_is_recorded_and_never_followed
  what a link points at, in the seal
    test_tree.py::test_what_a_link_points_at_is_never_in_the_seal
  hard links
    test_tree.py::test_a_hard_link_is_the_file_that_it_is
  FIFOs and sockets
    test_tree.py::test_a_fifo_stops_nobody
  a sparse gigabyte
    test_tree.py::test_a_sparse_gigabyte_costs_nothing_and_fails
  200,000 files
    test_tree.py::test_two_hundred_thousand_files_are_recorded_and_fail
  folders 300 deep
    test_tree.py::test_folders_three_hundred_deep_are_recorded_and_fail
  names with line ends, quotes, other bytes than UTF-8, dots
    test_tree.py::test_a_file_of_any_name_is_one_change_of_that_name
  budget raised in config, in constraints, in both
    test_tree.py::test_a_raised_budget_is_found_wherever_it_is_raised
  case-only rename
    test_tree.py::test_a_case_only_rename_is_two_changes
  other line ends throughout
    test_tree.py::test_other_line_ends_throughout_are_a_rewritten_file
  a document of 50 MB
    test_tree.py::test_a_document_of_fifty_megabytes_cannot_hang_a_grade
  files changed while they are sealed
    test_tree.py::test_files_changed_while_they_are_sealed_are_sealed_as_one_state
  severities set to ignore, ERC
    test_rules.py::test_severities_set_to_ignore_hide_no_erc_error_from_the_grade
  severities set to ignore, DRC
    test_rules.py::test_severities_set_to_ignore_hide_no_drc_error_from_the_grade
  .kicad_dru emptied, deleted, linked, forgiving
    test_rules.py::test_design_rules_taken_away_are_judged_by_all_the_same
  exclusions added
    test_rules.py::test_an_exclusion_forgives_no_violation
  rule edits unseen
    test_rules.py::test_the_edit_to_the_rules_is_seen_as_a_change
  transcript rewritten, edited, replaced, moved, linked; a run folder too many
    test_transcripts.py::test_a_transcript_changed_after_it_was_seen_makes_the_run_fail_as_tampered
  transcript appended to, run-end forged
    test_transcripts.py::test_a_line_behind_the_end_of_a_run_was_written_by_another_hand
  transcript empty, cut, not UTF-8, deep, huge lines
    test_transcripts.py::test_a_transcript_that_says_nothing_clear_is_graded_and_fails
  budget key only in tool output
    test_transcripts.py::test_a_budget_that_the_refusal_itself_does_not_name_is_not_cited
  edit after finish
    test_transcripts.py::test_an_edit_after_finish_is_in_the_end_state_that_is_graded
  credentials of each kind in a document
    test_secrets.py::test_a_credential_of_each_kind_in_a_document_is_found_and_named_by_kind
  credentials of each kind in a commit message, a deleted blob, a file name, the transcript
    test_secrets.py::test_a_credential_of_each_kind_is_found_wherever_it_is
  credentials anywhere else
    test_secrets.py::test_a_credential_anywhere_lands_nowhere_under_results
  base64, and words that only look like keys
    test_secrets.py::test_words_that_only_look_like_keys_fail_no_honest_run
  kills at any step
    test_kill_points.py::test_thirty_kills_all_over_each_phase_lose_nothing
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from given.tasks import plain_facts, plain_task

from copperbench.evidence import VerifyReports, collect, read_verify, verify
from copperbench.grading import Grade, Outcome, grade, judge
from copperbench.kicad import KicadCli
from copperbench.sandbox import (
    DEFAULT_LIMITS,
    ExitFacts,
    HarnessStamp,
    Seal,
    build_sandbox,
    commit_all,
    open_seal,
    read_sandbox,
    seal_run,
    unpack_sandbox,
)
from copperbench.suite import AssertionSpec, Fixture, Task, load_fixture

BOARD = "copperbench-ldo-sensor"
SHEET = f"{BOARD}.kicad_sch"
DONE = b'{"ts": "", "type": "run-start", "data": {}}\n{"ts": "", "type": "run-end", "data": {"exitPath": "done"}}\n'


class Sandbox:
    """The starting state of a task on our own board, unpacked for an attacker; sealed when it is first judged."""

    def __init__(self, place: Path, archive: Path, task: Task, fixture: Fixture, tree: Path) -> None:
        self.place = place
        self.root = place / "sandbox"
        self.run = place / "results/2026-12-31/attacker/do-something/run-1"
        self.archive, self.task, self.fixture, self.tree = archive, task, fixture, tree
        self.baseline = unpack_sandbox(archive, self.root).baseline_sha
        self.transcript = DONE
        self.limits = DEFAULT_LIMITS
        self.secrets: tuple[bytes, ...] = ()
        self.exit = ExitFacts(0, None, None, None)
        self.reports: VerifyReports | None = None

    def write(self, path: str, text: str | bytes = "x") -> Sandbox:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def edit(self, path: str = SHEET, old: str = "ALERT", new: str = "ALARM") -> Sandbox:
        text = (self.root / path).read_text()
        assert old in text
        return self.write(path, text.replace(old, new))

    def commit(self, message: str = "edit") -> Sandbox:
        commit_all(self.root, message, when=1_800_000_000)
        return self

    def git(self, *arguments: str) -> str:
        """What git says in the sandbox as the attacker left it: the naive reader."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.place), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, capture_output=True, text=True, env=environment, timeout=60
        )
        return done.stdout.strip()

    def believed(self) -> str:
        """The changes that a reader would believe in who asks git."""
        return self.git("diff", "--stat", self.baseline) + self.git("status", "--porcelain")

    @cached_property
    def seal(self) -> Seal:
        facts = plain_facts(
            self.task,
            self.baseline,
            model_slug="attacker",
            run_mode="agent",
            harness=HarnessStamp("copperhead", "0.9.0"),
            exit=self.exit,
            fixture_manifest=self.fixture.manifest,
        )
        seal_run(
            self.run, facts, self.root, self.archive, self.tree, self.transcript, self.limits, secrets=self.secrets
        )
        return open_seal(self.run)

    def outcome(self, kind: str, **args: Any) -> Outcome:
        """The outcome of one assertion over the seal."""
        spec = AssertionSpec(kind.replace("_", "-"), kind, args, 1, True)
        with collect(self.seal, self.task, self.fixture, self.tree, lambda: self.reports) as evidence:
            return judge(spec, evidence)

    def grade(self, *specs: AssertionSpec) -> Grade:
        """The grade of a run whose task asks for this."""
        task = replace(self.task, assertions=specs)
        with collect(self.seal, task, self.fixture, self.tree, lambda: self.reports) as evidence:
            return grade(evidence)

    def judged_by(self, cli: KicadCli) -> Sandbox:
        """Let KiCad judge what was left, as the grader does it."""
        self.reports = read_verify(verify(self.seal, self.fixture, self.tree, cli))
        return self

    def touched(self, *allowed: str) -> Outcome:
        return self.outcome("files_touched_subset", allowed=list(allowed or ("docs/**",)))


@pytest.fixture(scope="session")
def start(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Task, Fixture, Path]:
    """The starting state that every attack begins with."""
    fixture = load_fixture(root / "fixtures" / BOARD)
    tree = root / "fixtures" / BOARD / "tree"
    task = plain_task(fixture.id, fixture.sha256)
    archive = tmp_path_factory.mktemp("start") / "start.tar.zst"
    archive.write_bytes(build_sandbox(task, fixture, tree).data)
    assert read_sandbox(archive).info.task_id == task.id
    return archive, task, fixture, tree


@pytest.fixture
def make(start, tmp_path: Path) -> Callable[[str], Sandbox]:
    """As many sandboxes as an attack and its twin need."""
    archive, task, fixture, tree = start
    return lambda name: Sandbox(tmp_path / name, archive, task, fixture, tree)


@pytest.fixture
def sandbox_of_tree(start, tmp_path: Path) -> Callable[[Path], Sandbox]:
    """A sandbox on another tree of the same board; its recorded reports lie beside it."""
    _, task, fixture, _ = start

    def made(tree: Path) -> Sandbox:
        archive = tmp_path / "other.tar.zst"
        archive.write_bytes(build_sandbox(task, fixture, tree).data)
        return Sandbox(tmp_path / "other", archive, task, fixture, tree)

    return made


@pytest.fixture
def sandbox(make) -> Sandbox:
    return make("attacked")


@pytest.fixture
def twin(make) -> Sandbox:
    """The same sandbox for the same deed without the trick, or without the deed."""
    return make("twin")


@pytest.fixture
def canary(tmp_path: Path) -> tuple[Path, str]:
    """A file that is made when a hostile command runs, and the command."""
    script = tmp_path / "hostile.sh"
    script.write_text(f"#!/bin/sh\ntouch '{tmp_path / 'canary'}'\ncat 2>/dev/null\nexit 0\n")
    script.chmod(0o755)
    return tmp_path / "canary", str(script)


@pytest.fixture
def copy_of(tmp_path: Path) -> Callable[[Sandbox], Path]:
    """A copy of a sandbox for a naive reader to fall into."""

    def copied(sandbox: Sandbox) -> Path:
        place = tmp_path / f"copy-of-{sandbox.place.name}"
        shutil.copytree(sandbox.root, place, symlinks=True)
        return place

    return copied
