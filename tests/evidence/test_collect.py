"""From a seal to a grade: nothing but the seal and the fixture's tree is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.errors import SealBroken
from copperbench.evidence import LazyTree, VerifyReports, collect, read_verify, tree_digest, verify
from copperbench.grading import Grade, grade
from copperbench.kicad import Report, find_kicad_cli
from copperbench.sandbox import Seal
from copperbench.suite import Fixture, Task

Edit = Callable[[Path], None]
Sealed = Callable[..., Seal]
SHEET_NAME = '(property "Sheetname" "again" (at 10 9 0))'


def clean(seal: Seal) -> VerifyReports:
    return VerifyReports("10.0.6", tree_digest(seal.end), Report("erc", "10.0.6", ()), Report("drc", "10.0.6", ()))


def graded(seal: Seal, task: Task, fixture: Fixture, tree: Path, reports: VerifyReports | None) -> Grade:
    with collect(seal, task, fixture, tree, lambda: reports) as evidence:
        return grade(evidence)


def test_a_right_edit_passes_from_its_seal_alone(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    seal = sealed(rename)
    assert graded(seal, task, board_fixture, board_tree, clean(seal)).verdict == "pass"


def test_a_run_that_did_nothing_fails(sealed: Sealed, task: Task, board_fixture: Fixture, board_tree: Path) -> None:
    seal = sealed(commit=False)
    grade = graded(seal, task, board_fixture, board_tree, clean(seal))
    assert (grade.verdict, grade.first_failed_required, grade.failure_category) == ("fail", "renamed", "wrong-target")


def test_without_kicads_reports_a_run_is_unscoreable(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    assert graded(sealed(rename), task, board_fixture, board_tree, None).verdict == "unscoreable"


def test_a_run_that_removed_its_repository_has_no_commit(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    def edit(sandbox: Path) -> None:
        rename(sandbox)
        (sandbox / ".git").rename(sandbox.parent / "gone")

    seal = sealed(edit, commit=False)
    grade = graded(seal, task, board_fixture, board_tree, clean(seal))
    assert (grade.first_failed_required, grade.failure_category) == ("one-commit", "commit-failed")


def test_reports_of_another_end_state_are_refused(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    seal = sealed(rename)
    other = replace(clean(seal), end_state="0" * 64)
    with pytest.raises(SealBroken, match="was made of another end state"):
        graded(seal, task, board_fixture, board_tree, other)


def test_a_grade_does_not_depend_on_where_it_was_made(
    sealed: Sealed, task: Task, board_fixture: Fixture, board_tree: Path, schematic: str
) -> None:
    seal = sealed(lambda sandbox: (sandbox / schematic).write_text("(broken"))
    first = graded(seal, task, board_fixture, board_tree, clean(seal))
    assert graded(seal, task, board_fixture, board_tree, clean(seal)) == first
    assert "/tmp" not in "".join(item.detail for item in first.assertions)


@pytest.mark.kicad
def test_kicads_own_judgement_is_sealed_read_and_graded(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    seal = sealed(rename)
    cli = find_kicad_cli()
    assert cli is not None
    reports = read_verify(verify(seal, board_fixture, board_tree, cli))
    grade = graded(seal, task, board_fixture, board_tree, reports)
    assert [item.status for item in grade.assertions] == ["pass"] * 5


def test_a_board_is_written_out_only_for_who_asks_for_it(
    sealed: Sealed, rename: Edit, task: Task, board_fixture: Fixture, board_tree: Path
) -> None:
    board = str(board_fixture.board)
    tree = LazyTree(
        (seal := sealed(rename)).end,
        lambda path: seal.read_end(path, board_tree),
        lambda into: seal.materialise("end", board_tree, into, leave_out=(board,)),
        Path(seal.where).parent / "out",
    )
    assert {path.name for path in tree.folder.iterdir()} >= {board_fixture.schematic, "docs"}
    assert not (tree.folder / board).exists()
    assert tree.file(board).read_bytes() == (board_tree / board).read_bytes()


def test_a_sheet_may_lie_in_the_boards_file(
    sealed: Sealed, task: Task, board_fixture: Fixture, board_tree: Path, schematic: str
) -> None:
    def edit(sandbox: Path) -> None:
        root, board = sandbox / schematic, sandbox / str(board_fixture.board)
        text = root.read_text()
        board.write_text(text.replace('"ALERT"', '"SENS_ALERT"'))
        sheet = f'(sheet (at 10 10) (size 20 20) (uuid "0e6f2b66-5f0c-4a53-8b3a-1d2c3b4a5d6e") {SHEET_NAME} {{}})'
        file = f'(property "Sheetfile" "{board_fixture.board}" (at 10 31 0))'
        root.write_text(text.rstrip().removesuffix(")") + sheet.format(file) + ")\n")

    seal = sealed(edit)
    with collect(seal, task, board_fixture, board_tree, lambda: None) as evidence:
        assert [instance.file for instance in evidence.end_state.schematic().instances[1:]] == [board_fixture.board]
