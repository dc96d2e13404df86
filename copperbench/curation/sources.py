"""Where a candidate's files come from: a plain folder, or a commit of a repository read object by object."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from copperbench.errors import FixtureMismatch, SuiteError
from copperbench.suite.obtain import fetch_commit, git

_LARGEST_FILE = 512 * 1024 * 1024
_MOST_FILES = 200_000
_NEEDED = (".kicad_sch", ".kicad_pro", ".kicad_pcb", "sym-lib-table", "fp-lib-table")


@dataclass(frozen=True, slots=True)
class Source:
    """A candidate's files by path relative to `root`; links and special files are not among `paths`.

    `read` gives the bytes of one. At `root` lie, as files, at least schematics, boards, projects and tables.
    """

    name: str
    root: Path
    paths: frozenset[str]
    read: Callable[[str], bytes]


def folder_source(folder: Path) -> Source:
    """The regular files of a folder; what lies under `.git` is left out. Raises SuiteError."""
    if not folder.is_dir():
        raise SuiteError(folder, "is no folder", "name a folder that holds a KiCad project")
    paths = set()
    for parent, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in files:
            path = Path(parent) / name
            if stat.S_ISREG(path.lstat().st_mode):
                paths.add(path.relative_to(folder).as_posix())
        if len(paths) > _MOST_FILES:
            raise SuiteError(folder, f"holds more than {_MOST_FILES} files", "name the project's own folder")

    def read(path: str) -> bytes:
        place = folder / path
        if path not in paths or place.stat().st_size > _LARGEST_FILE:
            raise SuiteError(place, f"is missing, or larger than {_LARGEST_FILE} bytes", "a design file is neither")
        return place.read_bytes()

    return Source(str(folder), folder, frozenset(paths), read)


@contextmanager
def repository_source(url: str, commit: str, clone: Path | None = None) -> Iterator[Source]:
    """The files of one commit, from a local clone where one is named, else by a shallow fetch from `url`.

    Nothing is checked out, so no hook, filter or line-end rule of the repository is at work. Raises FixtureMismatch.
    """
    with tempfile.TemporaryDirectory(prefix="copperbench-candidate-", ignore_cleanup_errors=True) as scratch:
        name, repository = f"{url} at {commit}", clone
        if repository is None:
            repository = Path(scratch) / "repository"
            repository.mkdir()
            with _remedy():
                fetch_commit(repository, url, commit)
        blobs = _blobs(repository, name, commit)
        root = Path(scratch) / "files"
        root.mkdir()

        def read(path: str) -> bytes:
            if path not in blobs:
                raise FixtureMismatch(name, f"{path} is not a file of that commit", "look at the commit")
            blob = blobs[path]
            if blob.size > _LARGEST_FILE:
                raise FixtureMismatch(name, f"{path} is larger than {_LARGEST_FILE} bytes", "this is no design file")
            with _remedy():
                return git(repository, name, "cat-file", "blob", blob.sha)

        for path in blobs:
            if path.endswith(_NEEDED):
                _write(root, path, read(path), name)
        yield Source(name, root, frozenset(blobs), read)


@dataclass(frozen=True, slots=True)
class _Blob:
    """A file of a commit: git's id of its bytes, and how many they are."""

    sha: str
    size: int


def _write(root: Path, path: str, data: bytes, where: str) -> None:
    """Put a file of a commit where the reader finds it; a hostile tree may hold paths that no file system takes."""
    try:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    except OSError as error:
        what = f"{path[:200]!r} cannot be written ({error.strerror})"
        raise FixtureMismatch(where, what, "free space, or choose another board") from error


def _blobs(repository: Path, where: str, commit: str) -> Mapping[str, _Blob]:
    """The regular files of a commit by path; links, submodules and odd paths are left out."""
    with _remedy():
        listed = git(repository, where, "ls-tree", "-r", "-l", "-z", "--full-tree", commit)
    found: dict[str, _Blob] = {}
    for entry in filter(None, listed.split(b"\0")):
        about, _, raw = entry.partition(b"\t")
        mode, kind, sha, size = about.decode("ascii").split()
        path = raw.decode("utf-8", errors="surrogateescape")
        parts = PurePosixPath(path).parts
        if kind == "blob" and mode in ("100644", "100755") and ".." not in parts and not path.startswith("/"):
            found[path] = _Blob(sha, int(size))
    if len(found) > _MOST_FILES:
        raise FixtureMismatch(where, f"holds more than {_MOST_FILES} files", "choose a smaller repository")
    return found


@contextmanager
def _remedy() -> Iterator[None]:
    """What can be done here about a git that failed: there is no store of candidates."""
    try:
        yield
    except FixtureMismatch as error:
        raise FixtureMismatch(error.where, error.what, "name a clone that holds the commit with --local") from error
