"""Making commits without git: fixed identity, given time, normalised modes, so that equal trees give equal SHAs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.errors import CopperbenchError

if TYPE_CHECKING:
    from dulwich.repo import Repo

IDENTITY = "copperbench <copperbench@example.invalid>"
BASELINE_TIME = 1_767_225_600  # 2026-01-01T00:00:00Z: any fixed day serves, and no clock may
BASELINE_MESSAGE = "Baseline: the state that the run starts from"
_CONFIG = (
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tautocrlf = false\n"
    "[user]\n\tname = copperbench\n\temail = copperbench@example.invalid\n"
    "[commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n"
)


def start_repository(root: Path) -> None:
    """Make `root` a git repository on branch `main` with our identity and no hooks (STANDARD 2)."""
    from dulwich.repo import Repo

    Repo.init(root, default_branch=b"main").close()
    (root / ".git" / "config").write_text(_CONFIG, encoding="ascii")


def commit_all(root: Path, message: str, *, when: int, ignored_too: bool = False) -> str:
    """Commit the whole tree as `git add -A` and `git commit` would; returns the SHA (STANDARD 2, 11).

    `when` is seconds since 1970, in UTC, for author and committer. Files that `.gitignore` names are left out
    unless they are tracked already or `ignored_too`; the machine's and the user's own ignore rules never count.
    A tree without a change makes an empty commit. Raises CopperbenchError when there is no repository.
    """
    from dulwich.errors import NotGitRepository
    from dulwich.index import commit_tree
    from dulwich.objects import Commit
    from dulwich.refs import Ref
    from dulwich.repo import Repo

    try:
        repo = Repo(str(root))
    except NotGitRepository as error:
        raise CopperbenchError(root, "is no git repository", "unpack the sandbox again") from error
    head = Ref(b"HEAD")
    with repo:
        commit = Commit()
        commit.tree = commit_tree(repo.object_store, _stage(repo, root, ignored_too=ignored_too))
        parent = repo.refs.follow(head)[1]
        commit.parents = [parent] if parent else []
        commit.author = commit.committer = IDENTITY.encode()
        commit.author_time = commit.commit_time = when
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = message.encode("utf-8", "surrogateescape")
        repo.object_store.add_object(commit)
        repo.refs[head] = commit.id
        return str(commit.id.decode("ascii"))


def _stage(repo: Repo, root: Path, *, ignored_too: bool) -> list[tuple[bytes, Any, int]]:
    """Store every file that belongs in the commit, write the index, and return path, blob and mode of each."""
    from dulwich.ignore import IgnoreFilterManager
    from dulwich.index import Index, index_entry_from_stat
    from dulwich.objects import Blob

    index = Index(repo.index_path())
    tracked = set(index)
    ignore = IgnoreFilterManager(str(root), [], ignorecase=False)
    index.clear()
    entries = []
    for place in walk_files(root):
        path = os.fsencode(place.relative_to(root))
        if not (ignored_too or path in tracked) and ignore.is_ignored(os.fsdecode(path)):
            continue
        state = place.lstat()
        if stat.S_ISLNK(state.st_mode):
            blob, mode = Blob.from_string(os.fsencode(place.readlink())), stat.S_IFLNK
        elif stat.S_ISREG(state.st_mode):
            blob, mode = Blob.from_string(place.read_bytes()), stat.S_IFREG | tree_mode(state.st_mode)
        else:
            continue
        if blob.id not in repo.object_store:
            repo.object_store.add_object(blob)
        index[path] = index_entry_from_stat(state, blob.id, mode)
        entries.append((path, blob.id, mode))
    index.write()
    return entries


def tree_mode(mode: int) -> int:
    """The normalised mode of a regular file: 0o755 when its owner may execute it, else 0o644."""
    return 0o755 if mode & stat.S_IXUSR else 0o644


def walk_files(root: Path) -> Iterator[Path]:
    """Every file and link under `root` but git's own, in no order; folders that are links are not entered."""
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        pending.append(Path(entry.path))
                else:
                    yield Path(entry.path)
