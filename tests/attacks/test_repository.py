"""Tricks with git: what git itself would have believed or run, and the grade that results all the same."""

from __future__ import annotations

import os
import subprocess

import pytest

SHEET = "copperbench-ldo-sensor.kicad_sch"
OUTSIDE = f"outside the allowed set: {SHEET}"


@pytest.fixture(autouse=True)
def _honest_twin_differs(twin):
    """Without an edit nothing is touched: the grade of every attack below comes from what it did."""
    assert twin.touched().status == "pass"


def test_an_attribute_that_makes_files_binary_hides_no_line(sandbox):
    (sandbox.root / ".git/info").mkdir(exist_ok=True)
    sandbox.edit().write(".git/info/attributes", "* -diff\n")
    assert "Bin" in sandbox.git("diff", "--stat", sandbox.baseline)
    assert sandbox.outcome("diff_ratio_max", path=SHEET, ratio=0.00001).status == "fail"


def test_assume_unchanged_hides_no_edit(sandbox):
    sandbox.edit().git("update-index", "--assume-unchanged", SHEET)
    assert (sandbox.git("status", "--porcelain"), sandbox.touched().detail) == ("", OUTSIDE)


def test_skip_worktree_hides_no_edit(sandbox):
    sandbox.edit().git("update-index", "--skip-worktree", SHEET)
    assert (sandbox.git("status", "--porcelain"), sandbox.touched().detail) == ("", OUTSIDE)


def test_info_exclude_hides_no_new_file(sandbox):
    (sandbox.root / ".git/info").mkdir(exist_ok=True)
    sandbox.write("notes.txt").write(".git/info/exclude", "notes.txt\n")
    assert (sandbox.git("status", "--porcelain"), sandbox.touched().detail) == (
        "",
        "outside the allowed set: notes.txt",
    )


def test_gitignore_hides_no_new_file_and_is_itself_a_change(sandbox):
    sandbox.write("notes.txt").write(".gitignore", "*\n").commit()
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.touched().detail == "outside the allowed set: .gitignore, notes.txt"


def test_sparse_checkout_hides_no_deletion(sandbox):
    sandbox.git("sparse-checkout", "set", "--no-cone", "docs/*")
    assert (sandbox.root / SHEET).exists() is False
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.outcome("file_unchanged", path=SHEET).status == "fail"


def test_a_moved_work_tree_shows_no_other_tree(sandbox):
    sandbox.edit()
    other = sandbox.place / "other"
    subprocess.run(["git", "worktree", "add", "-q", str(other)], cwd=sandbox.root, capture_output=True, check=True)
    sandbox.git("config", "core.worktree", str(other))
    assert sandbox.believed() == ""
    assert sandbox.touched().detail == OUTSIDE


def test_a_replaced_commit_shows_no_other_history(sandbox):
    sandbox.commit("one").commit("two").git("replace", "HEAD", sandbox.baseline)
    assert sandbox.git("rev-list", "--count", f"{sandbox.baseline}..HEAD") == "1"
    assert sandbox.outcome("commit_count", equals=1).status == "fail"


def test_a_graft_shows_no_other_history(sandbox):
    sandbox.commit("one").commit("two")
    (sandbox.root / ".git/info").mkdir(exist_ok=True)
    sandbox.write(".git/info/grafts", f"{sandbox.git('rev-parse', 'HEAD')} {sandbox.baseline}\n")
    assert sandbox.git("rev-list", "--count", f"{sandbox.baseline}..HEAD") == "1"
    assert sandbox.outcome("commit_count", equals=1).status == "fail"


def test_an_amended_baseline_hides_no_edit(sandbox):
    sandbox.edit().git("add", "-A")
    sandbox.git("commit", "-q", "--amend", "--no-edit")
    assert sandbox.git("status", "--porcelain") == ""
    assert sandbox.touched().detail == OUTSIDE


def test_an_amended_baseline_counts_as_a_commit(sandbox):
    sandbox.git("commit", "-q", "--amend", "-m", "other", "--allow-empty")
    assert sandbox.git("rev-list", "--count", "HEAD") == "1"
    assert sandbox.outcome("commit_count", equals=0).status == "fail"


def test_rewritten_history_counts_whole(sandbox):
    sandbox.git("checkout", "-q", "--orphan", "fresh")
    sandbox.git("commit", "-q", "-m", "one")
    sandbox.git("branch", "-q", "-D", "main")
    sandbox.git("commit", "-q", "-m", "two", "--allow-empty")
    assert sandbox.outcome("commit_count", max=1).status == "fail"


def test_a_shallow_boundary_hides_no_commit(sandbox):
    for number in range(3):
        sandbox.commit(str(number))
    sandbox.write(".git/shallow", sandbox.git("rev-parse", "HEAD") + "\n")
    assert sandbox.git("rev-list", "--count", "HEAD") == "1"
    assert sandbox.outcome("commit_count", equals=1).status == "fail"


def test_commits_on_a_branch_nobody_is_on_count(sandbox):
    sandbox.git("switch", "-q", "-c", "side")
    sandbox.commit("hidden").git("switch", "-q", "main")
    assert sandbox.git("rev-list", "--count", f"{sandbox.baseline}..HEAD") == "0"
    assert sandbox.outcome("commit_count", equals=0).status == "fail"


def test_commits_on_a_detached_head_count(sandbox):
    sandbox.git("switch", "-q", "--detach")
    sandbox.commit("hidden").git("checkout", "-q", "--detach", "HEAD")
    assert sandbox.git("rev-list", "--count", f"{sandbox.baseline}..main") == "0"
    assert sandbox.outcome("commit_count", equals=0).status == "fail"


def test_a_change_left_in_a_stash_after_a_reset_is_no_change_and_no_commit(sandbox):
    sandbox.edit().git("stash")
    assert sandbox.git("stash", "list") != ""
    assert (sandbox.outcome("rollback_byte_identical").status, sandbox.outcome("commit_count", equals=0).status) == (
        "pass",
        "pass",
    )


def test_history_reset_under_an_edit_hides_no_edit(sandbox):
    sandbox.edit().commit().git("reset", "-q", "--soft", sandbox.baseline)
    assert sandbox.touched().detail == OUTSIDE


def test_a_deleted_repository_is_no_way_to_have_made_one_commit(sandbox):
    sandbox.edit().commit()
    (sandbox.root / ".git").rename(sandbox.place / "gone")
    assert sandbox.outcome("commit_count", equals=1).status == "fail"
    assert sandbox.touched().detail == OUTSIDE


@pytest.mark.parametrize("form", ["file", "link"])
def test_a_repository_elsewhere_is_not_followed(sandbox, form):
    sandbox.commit("one").commit("two")
    sandbox.commit("three")
    (sandbox.root / ".git").rename(sandbox.place / "elsewhere")
    if form == "file":
        sandbox.write(".git", f"gitdir: {sandbox.place / 'elsewhere'}\n")
    else:
        (sandbox.root / ".git").symlink_to(sandbox.place / "elsewhere")
    assert sandbox.git("rev-list", "--count", "HEAD") == "4"
    assert sandbox.seal.commits is None


def test_alternates_bring_in_no_object(sandbox):
    sandbox.commit("one")
    (sandbox.root / ".git/objects").rename(sandbox.place / "objects")
    sandbox.write(".git/objects/info/alternates", f"{sandbox.place / 'objects'}\n")
    assert sandbox.git("log", "-1", "--format=%s") == "one"
    assert [commit.message for commit in sandbox.seal.commits] == [""]


def test_a_nested_repository_is_a_change_like_any_other(sandbox):
    sandbox.write("vendor/x").git("init", "-q", "vendor")
    sandbox.git("-C", "vendor", "add", "-A")
    assert "vendor/x" not in sandbox.git("status", "--porcelain", "-uall")
    assert sandbox.touched("vendor/.git/**").detail == "outside the allowed set: vendor/x"


def test_a_submodule_is_a_change_with_all_its_files(sandbox):
    sandbox.git("init", "-q", "sub")
    sandbox.write("sub/x")
    sandbox.git("-C", "sub", "add", "-A")
    sandbox.git("-C", "sub", "commit", "-q", "-m", "x")
    sandbox.git("add", "sub")
    sandbox.git("commit", "-q", "-m", "gitlink")
    assert "sub/x" not in sandbox.git("ls-files")
    assert sandbox.touched("sub/.git/**").detail == "outside the allowed set: sub/x"


HOSTILE = {
    "fsmonitor": lambda box, run: box.git("config", "core.fsmonitor", run),
    "textconv": lambda box, run: (
        box.git("config", "diff.x.textconv", run),
        box.write(".gitattributes", "* diff=x\n"),
    ),
    "external-diff": lambda box, run: box.git("config", "diff.external", run),
    "filter": lambda box, run: (
        box.git("config", "filter.x.clean", run),
        box.write(".gitattributes", "* filter=x\n"),
    ),
    "include": lambda box, run: (
        box.write("evil.cfg", f"[core]\n\tfsmonitor = {run}\n[diff]\n\texternal = {run}\n"),
        box.git("config", "include.path", str(box.root / "evil.cfg")),
    ),
}


@pytest.mark.parametrize("trick", HOSTILE)
def test_nothing_that_a_repository_says_is_run(sandbox, canary, copy_of, trick):
    made, script = canary
    sandbox.edit()
    HOSTILE[trick](sandbox, script)
    made.unlink(missing_ok=True)
    os.utime(sandbox.root / SHEET, (1, 1))
    assert SHEET in sandbox.touched().detail
    assert not made.exists()
    copy = copy_of(sandbox)
    subprocess.run(["git", "status"], cwd=copy, capture_output=True, check=False)
    subprocess.run(["git", "--no-pager", "diff"], cwd=copy, capture_output=True, check=False)
    assert made.exists(), "a reader that asks git would have run it"


@pytest.mark.parametrize("hook", ["pre-commit", "post-checkout", "post-index-change", "reference-transaction"])
def test_no_hook_is_run(sandbox, canary, copy_of, hook):
    made, script = canary
    sandbox.edit().write(f".git/hooks/{hook}", f"#!/bin/sh\n{script}\n")
    (sandbox.root / f".git/hooks/{hook}").chmod(0o755)
    assert sandbox.touched().detail == OUTSIDE
    assert not made.exists()
    copy = copy_of(sandbox)
    for naive in (["commit", "-qam", "what is there"], ["checkout", "-q", "HEAD~1"]):
        subprocess.run(["git", *naive], cwd=copy, capture_output=True, check=False)
    assert made.exists(), "a reader that asks git would have run it"


def test_an_alias_is_not_run(sandbox, canary, copy_of):
    made, script = canary
    sandbox.git("config", "alias.log", f"!{script}")
    sandbox.git("config", "alias.changes", f"!{script}")
    assert len(sandbox.commit().seal.commits) == 1
    assert not made.exists()
    subprocess.run(["git", "changes"], cwd=copy_of(sandbox), capture_output=True, check=False)
    assert made.exists(), "a reader that asks git would have run it"


def test_a_config_that_never_ends_is_not_read(sandbox):
    sandbox.commit()
    (sandbox.root / ".git/config").unlink()
    os.mkfifo(sandbox.root / ".git/config")
    assert sandbox.outcome("commit_count", equals=1).status == "pass"


def test_a_config_linked_to_an_endless_device_is_not_read(sandbox):
    sandbox.commit()
    (sandbox.root / ".git/config").unlink()
    (sandbox.root / ".git/config").symlink_to("/dev/zero")
    assert sandbox.outcome("commit_count", equals=1).status == "pass"


def test_a_repository_that_unpacks_to_gigabytes_is_recorded_and_fails(sandbox):
    import zlib

    from copperbench.sandbox import SealLimits

    sandbox.limits = SealLimits(git_bytes=20 << 20)
    bomb = zlib.compress(bytes(30 << 20))
    for number in range(4):
        sandbox.write(f".git/objects/ab/{number:038x}", bomb)
    assert sandbox.outcome("exit_path_in", paths=["done"]).status == "fail"
    assert sandbox.seal.facts.exit.tampered.startswith("left more than can be sealed: .git")
