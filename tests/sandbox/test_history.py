"""Commits are counted by the written rule whatever was done to the repository, as git counts where git is right."""

from __future__ import annotations

import os
import random
import subprocess

import pytest

from copperbench.sandbox import DEFAULT_LIMITS, SealLimits, read_history
from copperbench.sandbox import read_sandbox as opened


@pytest.fixture
def git(sandbox):
    def run(*arguments: str, check: bool = True) -> str:
        identity = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        environment = {"PATH": os.environ["PATH"], "HOME": str(sandbox.parent), "GIT_CONFIG_NOSYSTEM": "1", **identity}
        done = subprocess.run(
            ["git", *arguments], cwd=sandbox, capture_output=True, text=True, env=environment, check=check
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def commit(sandbox, git):
    def made(message: str = "edit", text: str | None = None) -> str:
        (sandbox / "work.txt").write_text(text or message)
        git("add", "-A")
        git("commit", "-q", "-m", message)
        return git("rev-parse", "HEAD")

    return made


@pytest.fixture
def history(sandbox, archive):
    baseline = opened(archive).info.baseline_sha
    return lambda limits=DEFAULT_LIMITS: read_history(sandbox, baseline, limits)


@pytest.fixture
def count(history):
    def counted() -> int:
        commits = history().commits
        assert commits is not None
        return len(commits)

    return counted


def test_no_commit_is_none(count):
    assert count() == 0


def test_commits_come_with_message_and_parents_in_order(commit, history, archive):
    shas = [commit(f"edit {number}\n\nbody") for number in range(3)]
    assert [(each.sha, each.parents, each.message) for each in history().commits] == [
        (sha, (parent,), f"edit {number}\n\nbody\n")
        for number, (sha, parent) in enumerate(zip(shas, [opened(archive).info.baseline_sha, *shas], strict=False))
    ]


def test_commits_on_other_branches_count(commit, git, count):
    git("switch", "-q", "-c", "feature/a")
    commit()
    git("switch", "-q", "main")
    commit("other")
    assert count() == 2


def test_a_commit_on_a_detached_head_counts(commit, git, count):
    git("switch", "-q", "--detach")
    commit()
    assert count() == 1


def test_a_stash_a_tag_and_a_note_are_no_commits_of_the_run(commit, git, sandbox, count):
    commit()
    git("tag", "-a", "v1", "-m", "tag")
    git("notes", "add", "-m", "note")
    (sandbox / "work.txt").write_text("stashed")
    git("stash")
    git("tag", "kept-by-a-tag-only", "stash@{0}")
    assert count() == 1


def test_history_reset_to_the_baseline_counts_none(commit, git, count, archive):
    commit()
    git("reset", "-q", "--hard", opened(archive).info.baseline_sha)
    assert count() == 0


def test_a_merge_counts_all_it_brings(commit, git, count):
    git("switch", "-q", "-c", "side")
    commit("a")
    git("switch", "-q", "main")
    (commit("b", "a"))
    git("merge", "-q", "-m", "merge", "-s", "ours", "side")
    assert count() == 3


def test_an_amended_baseline_counts_and_is_noted(git, history, sandbox):
    (sandbox / "x").write_text("x")
    git("add", "-A")
    git("commit", "-q", "--amend", "-m", "as if it always was so")
    found = history()
    assert (len(found.commits), found.notes) == (
        1,
        ("the baseline commit is not in the history of HEAD: every reachable commit counts",),
    )


def test_orphaned_history_counts_whole(commit, git, count):
    git("switch", "-q", "--orphan", "fresh")
    commit("one")
    commit("two")
    assert count() == 2


def test_packed_objects_and_refs_count_the_same(commit, git, history):
    for number in range(30):
        commit(f"edit {number} {'x' * 500}")
    loose = history()
    git("gc", "-q", "--aggressive", "--prune=now")
    assert (history(), len(loose.commits)) == (loose, 30)


def test_a_replace_ref_changes_nothing(commit, git, history, archive):
    commit("one")
    commit("two")
    before = history()
    git("replace", "HEAD", opened(archive).info.baseline_sha)
    assert (git("rev-list", "--count", "HEAD"), history()) == ("1", before)


def test_a_graft_changes_nothing(commit, git, history, sandbox):
    commit("one")
    commit("two")
    before = history()
    (sandbox / ".git/info").mkdir(exist_ok=True)
    (sandbox / ".git/info/grafts").write_text(git("rev-parse", "HEAD") + "\n")
    assert (git("rev-list", "--count", "HEAD"), history()) == ("1", before)


def test_a_shallow_boundary_hides_no_commit(commit, git, sandbox, history):
    for number in range(4):
        commit(str(number))
    git("clone", "-q", "--depth", "1", f"file://{sandbox}", "../shallow")
    (sandbox / ".git").rename(sandbox.parent / "old")
    (sandbox.parent / "shallow/.git").rename(sandbox / ".git")
    assert git("rev-list", "--count", "HEAD") == "1"
    assert [each.message for each in history().commits] == ["", "3\n"]


@pytest.mark.parametrize("what", ["gone", "file", "link", "empty", "no-head", "head-fifo", "reftable", "sha256"])
def test_where_no_repository_is_left_that_can_be_read_there_are_no_commits_to_count(sandbox, history, git, what):
    place = sandbox / ".git"
    if what in ("no-head", "head-fifo"):
        (place / "HEAD").unlink()
    else:
        place.rename(sandbox.parent / "moved")
    match what:
        case "file":
            place.write_text(f"gitdir: {sandbox.parent / 'moved'}\n")
        case "link":
            place.symlink_to(sandbox.parent / "moved")
        case "empty":
            place.mkdir()
        case "head-fifo":
            os.mkfifo(place / "HEAD")
        case "reftable":
            (place / "reftable").mkdir(parents=True)
        case "sha256":
            git("init", "-q", "--object-format=sha256", "-b", "main")
            git("commit", "-q", "--allow-empty", "-m", "x")
    found = history()
    assert (found.commits, len(found.notes)) == (None, 1)


def test_alternates_are_not_followed(commit, sandbox, history):
    sha = commit()
    (sandbox / ".git/objects").rename(sandbox.parent / "elsewhere")
    (sandbox / ".git/objects/info").mkdir(parents=True)
    (sandbox / ".git/objects/info/alternates").write_text(f"{sandbox.parent / 'elsewhere'}\n")
    found = history()
    assert ([each.message for each in found.commits], found.notes[0]) == (
        [""],
        f"commit {sha} is named and its object is gone: it counts",
    )


def test_linked_object_folders_are_not_followed(commit, sandbox, history):
    commit()
    (sandbox / ".git/objects").rename(sandbox.parent / "elsewhere")
    (sandbox / ".git/objects").symlink_to(sandbox.parent / "elsewhere")
    assert ".git/objects is no plain folder and was not read" in history().notes


def test_an_object_under_another_objects_name_is_not_believed(commit, sandbox, git, history, archive):
    sha = commit()
    baseline = opened(archive).info.baseline_sha
    objects = sandbox / ".git/objects"
    forged = objects / sha[:2] / sha[2:]
    forged.unlink()
    forged.write_bytes((objects / baseline[:2] / baseline[2:]).read_bytes())
    found = history()
    assert [each.sha for each in found.commits] == [sha]
    assert f"object {sha} is not what its name says and was not read" in found.notes


def test_a_zlib_bomb_is_not_inflated(sandbox, history):
    import zlib

    bomb = zlib.compress(b"blob 9\0" + bytes(64 << 20))
    place = sandbox / ".git/objects/aa"
    place.mkdir(exist_ok=True)
    (place / ("b" * 38)).write_bytes(bomb)
    found = history(SealLimits(file_bytes=1 << 20))
    assert "object aabbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb is not what its name says and was not read" in found.notes


def test_many_bombs_together_pass_the_limit(sandbox, history):
    import zlib

    place = sandbox / ".git/objects/aa"
    place.mkdir(exist_ok=True)
    for number in range(50):
        (place / f"{number:038x}").write_bytes(zlib.compress(bytes(900_000)))
    found = history(SealLimits(file_bytes=1 << 20, git_bytes=10 << 20))
    assert (found.commits, found.excess) == (None, ".git: a repository of more than 20971520 bytes")


@pytest.mark.parametrize("limits", [SealLimits(commits=3), SealLimits(paths=2)])
def test_a_repository_past_a_limit_is_not_counted(commit, history, limits):
    for number in range(5):
        commit(str(number))
    found = history(limits)
    assert found.commits is None
    assert found.excess is not None


def test_a_branch_that_names_itself_or_nothing_counts_none(sandbox, count):
    (sandbox / ".git/refs/heads/loop").write_text("ref: refs/heads/loop\n")
    (sandbox / ".git/refs/heads/lost").write_text("ref: refs/heads/nowhere\n")
    assert count() == 0


def test_a_branch_that_names_a_missing_commit_counts_it(sandbox, count):
    (sandbox / ".git/refs/heads/x").write_text("1" * 40)
    assert count() == 1


def test_a_branch_that_names_nonsense_is_no_history_to_trust(sandbox, history):
    (sandbox / ".git/refs/heads/x").write_text("nonsense")
    assert history().commits is None


def test_fifos_and_links_in_the_repository_are_not_opened(commit, sandbox, count):
    commit()
    for name in ("config", "index", "FETCH_HEAD", "refs/heads/pipe", "objects/pack/pack-1.pack", "packed-refs"):
        place = sandbox / ".git" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        os.mkfifo(place)
    with pytest.raises(AssertionError):
        count()
    (sandbox / ".git/objects/pack/pack-1.pack").unlink()
    assert count() == 1


def test_a_damaged_pack_is_noted_and_the_rest_is_read(commit, git, sandbox, history):
    commit("packed")
    git("gc", "-q", "--prune=now")
    (pack,) = (sandbox / ".git/objects/pack").glob("*.pack")
    pack.chmod(0o644)
    data = pack.read_bytes()
    for seed in range(60):
        noise = random.Random(seed)
        broken = bytearray(data)
        for _ in range(noise.randint(1, 6)):
            broken[noise.randrange(len(broken))] = noise.randrange(256)
        pack.write_bytes(broken[: noise.randrange(1, len(broken) + 1)])
        found = history()
        assert found.commits is None or found.commits == () or len(found.commits) == 1


def test_messages_that_are_no_utf8_and_endless_ones_are_kept_within_bounds(sandbox, git, history):
    from dulwich.objects import Commit
    from dulwich.repo import Repo

    with Repo(str(sandbox)) as repo:
        made = Commit()
        made.tree = repo[repo.head()].tree
        made.author = made.committer = b"x <x>"
        made.author_time = made.commit_time = made.author_timezone = made.commit_timezone = 0
        made.message = b"\xff" * 100_000
        made.parents = [repo.head()]
        repo.object_store.add_object(made)
        repo.refs[b"refs/heads/main"] = made.id
    assert [len(each.message) for each in history().commits] == [16_384]


def test_the_count_agrees_with_git_on_histories_of_any_shape(commit, git, history, archive):
    noise = random.Random(7)
    for number in range(40):
        action = noise.random()
        branches = git("branch", "--format=%(refname:short)").split()
        if action < 0.2:
            git("switch", "-q", "-c", f"b{number}")
        elif action < 0.4:
            git("switch", "-q", noise.choice(branches))
        elif action < 0.6:
            git("merge", "-q", "-s", "ours", "-m", "m", "--no-ff", noise.choice(branches), check=False)
        else:
            commit(str(number))
    listed = git("rev-list", "HEAD", "--branches", f"^{opened(archive).info.baseline_sha}").split()
    assert sorted(each.sha for each in history().commits) == sorted(listed)
