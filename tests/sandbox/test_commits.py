"""Commits are made as git would make them, without git."""

from __future__ import annotations

import os
import subprocess

import pytest

from copperbench.errors import CopperbenchError
from copperbench.sandbox import commit_all


@pytest.fixture
def git(sandbox):
    def run(*arguments: str) -> str:
        environment = {"PATH": os.environ["PATH"], "HOME": str(sandbox.parent), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", *arguments],
            cwd=sandbox,
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        return done.stdout

    return run


def test_an_edit_a_new_file_and_a_deletion_are_committed(sandbox, git):
    (sandbox / "hw/board.kicad_sch").write_text("edited")
    (sandbox / "docs/new.md").write_text("new")
    (sandbox / "hw/board.kicad_pro").unlink()
    commit_all(sandbox, "edit", when=1_800_000_000)
    assert git("show", "--name-status", "--format=%s %at %an").split("\n") == [
        "edit 1800000000 copperbench",
        "",
        "A\tdocs/new.md",
        "D\thw/board.kicad_pro",
        "M\thw/board.kicad_sch",
        "",
    ]


def test_git_agrees_that_nothing_is_left_to_commit(sandbox, git):
    (sandbox / "a").write_text("x")
    (sandbox / "run.sh").write_text("x")
    (sandbox / "run.sh").chmod(0o700)
    (sandbox / "link").symlink_to("a")
    commit_all(sandbox, "edit", when=1_800_000_000)
    git("fsck", "--strict")
    assert git("status", "--porcelain") == ""


def test_git_add_makes_the_very_same_tree(sandbox, git):
    (sandbox / "sub/deep").mkdir(parents=True)
    (sandbox / "sub/deep/.gitignore").write_text("*.log\n!keep.log\n")
    for name in ("a.log", "keep.log", "b.txt", "~x.lck", "ä.md"):
        (sandbox / "sub/deep" / name).write_text(name)
    git("add", "-A")
    expected = git("write-tree")
    commit_all(sandbox, "edit", when=1_800_000_000)
    assert git("rev-parse", "HEAD^{tree}") == expected


def test_ignored_files_stay_out_but_tracked_ones_go_on_being_tracked(sandbox, git):
    (sandbox / "hw/x.kicad_prl").write_text("x")
    (sandbox / ".gitignore").write_text("*.kicad_prl\nhw/board.kicad_sch\n")
    (sandbox / "hw/board.kicad_sch").write_text("edited")
    commit_all(sandbox, "edit", when=1_800_000_000)
    assert git("show", "--name-only", "--format=").split() == [".gitignore", "hw/board.kicad_sch"]


def test_a_commit_without_a_change_is_made_all_the_same(sandbox, git):
    commit_all(sandbox, "nothing", when=1_800_000_000)
    assert git("rev-list", "--count", "HEAD") == "2\n"


def test_where_there_is_no_repository_that_is_said(tmp_path):
    with pytest.raises(CopperbenchError, match="is no git repository"):
        commit_all(tmp_path, "x", when=0)
