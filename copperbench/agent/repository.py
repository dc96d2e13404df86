"""The git repository of a run: where it starts, whether it is clean, how it gets back, the one commit.

Git itself is never run: no hook, filter, alias or file monitor that a repository may carry can act.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from copperbench.agent.transcript import RUNS
from copperbench.errors import CopperbenchError, HarnessUnavailable
from copperbench.sandbox import commit_all

if TYPE_CHECKING:
    from dulwich.repo import Repo

_IGNORE_RUNS = f"{RUNS}/"
_GITLINK = 0o160000


class CommitFailed(CopperbenchError):
    """The run's commit could not be made; the run ends `commit-failed`."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A file as it was when the run started; of a link, `data` is its target."""

    data: bytes
    mode: int
    link: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole working tree when the run started, but for git's own files and the run folders."""

    files: Mapping[str, Saved]
    folders: frozenset[str]
    index: bytes | None

    def matching(self, *suffixes: str) -> Mapping[str, bytes]:
        """The regular files whose path ends in one of the suffixes."""
        return {path: saved.data for path, saved in self.files.items() if path.endswith(suffixes) and not saved.link}


@dataclass(frozen=True, slots=True)
class GitState:
    """What run-start says of the repository; `uncommitted` are the paths that differ from the commit."""

    commit: str
    branch: str
    uncommitted: tuple[str, ...]
    pre_commit_hook: bool


class Repository:
    """A working tree with at least one commit.

    Raises HarnessUnavailable when `root` is none: such a run does not start.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        with _open(root) as repo:
            self._head = _head_commit(repo, root)

    def state(self, snapshot: Snapshot) -> GitState:
        """Commit, branch, and what of the snapshot is not as committed (ignored files do not count)."""
        from dulwich.refs import Ref

        with _open(self.root) as repo:
            chain, _ = repo.refs.follow(Ref(b"HEAD"))
            branch = os.fsdecode(chain[-1]).removeprefix("refs/heads/") if len(chain) > 1 else "HEAD"
            uncommitted = tuple(sorted(_differing(repo, self._head, self.root, snapshot)))
        hook = self.root / ".git" / "hooks" / "pre-commit"
        return GitState(self._head.decode("ascii"), branch, uncommitted, hook.is_file())

    def snapshot(self) -> Snapshot:
        """Keep the working tree in memory, ignored files included."""
        files, folders = {}, set()
        for path, entry in _walk(self.root):
            if entry.is_dir(follow_symlinks=False):
                folders.add(path)
            elif (saved := _save(Path(entry.path))) is not None:
                files[path] = saved
        index = self.root / ".git" / "index"
        return Snapshot(files, frozenset(folders), index.read_bytes() if index.is_file() else None)

    def restore(self, snapshot: Snapshot) -> None:
        """Make the working tree the snapshot again, byte for byte, ignored files included."""
        present = dict(_walk(self.root))
        for path, entry in present.items():
            if path not in snapshot.files and not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink()
        for path in sorted((path for path in present if path not in snapshot.folders), key=len, reverse=True):
            place = self.root / path
            if place.is_dir() and not place.is_symlink():
                place.rmdir()
        for path, saved in snapshot.files.items():
            _put_back(self.root / path, saved)
        if snapshot.index is not None:
            (self.root / ".git" / "index").write_bytes(snapshot.index)

    def changed(self, snapshot: Snapshot) -> tuple[str, ...]:
        """The paths whose files are not those of the snapshot, sorted."""
        now = {
            path: _save(Path(entry.path)) for path, entry in _walk(self.root) if not entry.is_dir(follow_symlinks=False)
        }
        return tuple(sorted(path for path in {*now, *snapshot.files} if now.get(path) != snapshot.files.get(path)))

    def commit(self, message: str) -> str:
        """Commit the whole working tree as `git add -A` would; returns the SHA.

        A missing ignore rule for the run folders is added, so that a run never commits its own transcript. Raises
        CommitFailed.
        """
        from dulwich.file import FileLocked

        try:
            self._ignore_runs()
            return commit_all(self.root, message, when=int(time.time()))
        except FileLocked as error:
            raise CommitFailed("git", f"{_name(error.filename)} is locked", "end the other git process") from error
        except (OSError, ValueError, KeyError, CopperbenchError) as error:
            raise CommitFailed("git", f"the commit failed ({type(error).__name__})", "check the repository") from error

    def _ignore_runs(self) -> None:
        from dulwich.ignore import IgnoreFilterManager

        if not IgnoreFilterManager(str(self.root), [], ignorecase=False).is_ignored(f"{_IGNORE_RUNS}x"):
            place = self.root / ".gitignore"
            text = place.read_bytes() if place.is_file() else b""
            joint = b"" if not text or text.endswith(b"\n") else b"\n"
            place.write_bytes(text + joint + _IGNORE_RUNS.encode() + b"\n")


def _open(root: Path) -> Repo:
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        return Repo(str(root))
    except (NotGitRepository, OSError, ValueError) as error:
        raise HarnessUnavailable(root, "is no git repository", "git init it and commit the design") from error


def _head_commit(repo: Repo, root: Path) -> bytes:
    try:
        return bytes(repo.head())
    except (KeyError, ValueError) as error:
        raise HarnessUnavailable(root, "has no commit", "commit the design first") from error


def _differing(repo: Repo, head: bytes, root: Path, snapshot: Snapshot) -> Iterator[str]:
    from dulwich.ignore import IgnoreFilterManager
    from dulwich.object_store import iter_tree_contents
    from dulwich.objects import Blob, Commit

    commit = repo[head]
    tree = commit.tree if isinstance(commit, Commit) else commit.id
    committed = {
        os.fsdecode(entry.path): entry.sha
        for entry in iter_tree_contents(repo.object_store, tree)
        if entry.mode != _GITLINK
    }
    ignore = IgnoreFilterManager(str(root), [], ignorecase=False)
    for path, saved in snapshot.files.items():
        known = committed.pop(path, None)
        if known is None:
            if not ignore.is_ignored(path):
                yield path
        elif Blob.from_string(saved.data).id != known:
            yield path
    yield from (path for path in committed if not path.startswith(_IGNORE_RUNS))


def _walk(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Every entry below `root` with its relative path; links are not followed, git and run folders not entered."""
    pending = [""]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name == ".git" or path == RUNS:
                    continue
                yield path, entry
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)


def _save(place: Path) -> Saved | None:
    """A regular file or a link; None for anything else, and for what vanished meanwhile."""
    try:
        state = place.lstat()
        if stat.S_ISLNK(state.st_mode):
            return Saved(os.fsencode(place.readlink()), 0, link=True)
        if stat.S_ISREG(state.st_mode):
            return Saved(place.read_bytes(), stat.S_IMODE(state.st_mode))
    except FileNotFoundError:
        pass
    return None


def _put_back(place: Path, saved: Saved) -> None:
    if _save(place) == saved:
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    if saved.link:
        place.symlink_to(os.fsdecode(saved.data))
    else:
        place.write_bytes(saved.data)
        place.chmod(saved.mode)


def _name(path: str | bytes) -> str:
    return Path(os.fsdecode(path)).name
