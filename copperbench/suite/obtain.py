"""Putting a third-party board's tree in place: from a store, a clone or its upstream, verified first (STANDARD 13)."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from copperbench.errors import FixtureMismatch
from copperbench.publish import publish
from copperbench.suite.loading import tree_hash
from copperbench.suite.models import Fixture, Package

GIT_TIME_LIMIT_S = 600.0
_LARGEST_FILE = 512 * 1024 * 1024
_FROM_A_CHECKOUT = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
)


@dataclass(frozen=True, slots=True)
class Obtained:
    """What `obtain` did: the tree's canonical hash and where it came from (`in place` when nothing was to do)."""

    sha256: str
    source: str


@dataclass(frozen=True, slots=True)
class _Source:
    """A place that a fixture can be had from: `design` takes a file's path here and upstream, `licence` upstream's."""

    name: str
    design: Callable[[str, str], bytes]
    licence: Callable[[str], bytes]


def obtain(
    fixture: Fixture,
    folder: Path,
    *,
    store: Path | None = None,
    clone: str | None = None,
    fetch_limit_s: float = GIT_TIME_LIMIT_S,
) -> Obtained:
    """Fill `folder/tree`, and `folder/LICENSE` with it, unless they are there already (STANDARD 13).

    The sources in order: `store` (`<store>/<id>/tree`, copied by the manifest's list, never linked), `clone` (a git
    repository that holds the pinned commit; for a board out of a package, the folder where that is unpacked),
    upstream by a shallow fetch within `fetch_limit_s`; a package is never fetched. The canonical
    hash is verified before anything is published, and publishing is a rename: a tree is there whole or not at all.
    Raises FixtureMismatch when there is no source, a source lacks a file, or the hash is not the manifest's.
    """
    tree, licence = folder / "tree", folder / "LICENSE"
    in_place = os.path.lexists(tree)
    if in_place:
        _verify(fixture, tree, tree, "move it away and repeat; it is not overwritten")
        if licence.is_file() or fixture.availability == "committed":
            return Obtained(fixture.sha256, "in place")
    with _source(fixture, folder, store, clone, fetch_limit_s) as source, _staging(folder) as staging:
        upstream = fixture.upstream
        if upstream is not None and not (upstream.package and licence.is_file()):
            (staging / "LICENSE").write_bytes(source.licence(upstream.license_file))
        if not in_place:
            _fill(fixture, staging / "tree", source)
            _verify(fixture, staging / "tree", source.name, "the source is not the pinned state: name another")
        if (staging / "LICENSE").exists():
            publish(licence, (staging / "LICENSE").read_bytes())
        if not in_place:
            _publish_tree(fixture, staging / "tree", tree)
    return Obtained(fixture.sha256, source.name)


def obtain_made(fixture: Fixture, folder: Path, make: Callable[[Path], None], licence: Path) -> Obtained:
    """Fill `folder/tree` by `make`, which writes it from another board's, and copy that board's licence (STANDARD 10).

    Verified and published as by `obtain`. Raises FixtureMismatch, and whatever `make` raises.
    """
    tree = folder / "tree"
    if os.path.lexists(tree):
        _verify(fixture, tree, tree, "move it away and repeat; it is not overwritten")
        if (folder / "LICENSE").is_file():
            return Obtained(fixture.sha256, "in place")
    of = "the original" if fixture.variant is None else f"fixtures/{fixture.variant.of}"
    with _staging(folder) as staging:
        publish(folder / "LICENSE", licence.read_bytes())
        if not os.path.lexists(tree):
            make(staging / "tree")
            _verify(fixture, staging / "tree", f"made from {of}", "make the variant anew with `copperbench variant`")
            _publish_tree(fixture, staging / "tree", tree)
    return Obtained(fixture.sha256, f"made from {of}")


def _verify(fixture: Fixture, tree: Path, where: object, remedy: str) -> None:
    actual = tree_hash(tree)
    if actual != fixture.sha256:
        what = f"the tree's hash is {actual}, expected {fixture.sha256} (fixtures/{fixture.id})"
        raise FixtureMismatch(where, what, remedy)


def _fill(fixture: Fixture, tree: Path, source: _Source) -> None:
    tree.mkdir()
    for file in fixture.files:
        target = tree / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_with_line_ends(source.design(file.path, file.upstream_path), file.eol))


def _with_line_ends(data: bytes, eol: str) -> bytes:
    """The bytes with the line ends that the manifest names; the hash judges the result."""
    if eol == "binary":
        return data
    plain = data.replace(b"\r\n", b"\n")
    return plain if eol == "lf" else plain.replace(b"\n", b"\r\n")


def _publish_tree(fixture: Fixture, staged: Path, tree: Path) -> None:
    try:
        staged.rename(tree)
    except OSError as error:
        if not tree.is_dir():
            raise FixtureMismatch(tree, f"cannot be put in place ({error.strerror})", "fix the permissions") from error
        # Another process was first. Its tree is as good as ours, if it is the right one.
        _verify(fixture, tree, tree, "move it away and repeat; it is not overwritten")


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A folder beside the tree, so that the rename stays on one file system; nothing of it remains."""
    try:
        staging = Path(tempfile.mkdtemp(prefix=".obtaining-", dir=folder))
    except OSError as error:
        raise FixtureMismatch(folder, f"cannot be written to ({error.strerror})", "fix its permissions") from error
    try:
        yield staging
    except OSError as error:
        raise FixtureMismatch(folder, f"cannot be filled ({error.strerror})", "free space and repeat") from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def _source(
    fixture: Fixture, folder: Path, store: Path | None, clone: str | None, fetch_limit_s: float
) -> Iterator[_Source]:
    where = f"fixtures/{fixture.id}"
    if fixture.availability == "published-only":
        raise FixtureMismatch(where, "is recorded as published-only: its tree cannot be had", "skip its tasks")
    if fixture.availability == "committed" or fixture.upstream is None:
        raise FixtureMismatch(folder / "tree", "is missing, and it is committed", f"git checkout -- {where}")
    if clone is not None and fixture.upstream.package is not None:
        yield _from_package(Path(clone), fixture.upstream.package, where)
    elif clone is not None:
        yield _from_repository(Path(clone), fixture.upstream.commit, f"clone {clone}")
    elif store is not None and (store / fixture.id / "tree").exists():
        yield _from_store(store, fixture.id)
    elif fixture.upstream.package is not None:
        package = fixture.upstream.package
        what = f"is out of the package {package.name} {package.version}, which is not fetched here"
        raise FixtureMismatch(where, what, "install it, and name the folder that it is in with --from")
    else:
        with tempfile.TemporaryDirectory(prefix="copperbench-fetch-", ignore_cleanup_errors=True) as scratch:
            repository, url, commit = Path(scratch), fixture.upstream.url, fixture.upstream.commit
            fetch_commit(repository, url, commit, time_limit_s=fetch_limit_s)
            yield _from_repository(repository, commit, f"{url} at {commit}")


def _from_store(store: Path, fixture_id: str) -> _Source:
    def read(relative: str) -> bytes:
        return _read_without_links(store, f"{fixture_id}/{relative}")

    return _Source(
        f"store {store / fixture_id}",
        design=lambda path, _upstream_path: read(f"tree/{path}"),
        licence=lambda _name: read("LICENSE"),
    )


def _from_package(unpacked: Path, package: Package, where: str) -> _Source:
    """The folder that a package was unpacked to, or the one just above the board's own folder."""
    named = (package.path, PurePosixPath(package.path).name)
    inner = next((each for each in named if (unpacked / each).is_dir()), None)
    if inner is not None:
        return _Source(
            f"{package.name} in {unpacked}",
            design=lambda path, _upstream_path: _read_without_links(unpacked, f"{inner}/{path}"),
            licence=lambda name: _read_without_links(unpacked, f"{inner}/{name}"),
        )
    what = f"is not in {unpacked} (no {package.path} there)"
    raise FixtureMismatch(where, what, f"name the folder where {package.name} is unpacked")


def _read_without_links(base: Path, relative: str) -> bytes:
    """A regular file below `base`, no part of whose relative path is a link. FixtureMismatch otherwise."""
    path = base
    try:
        for part in relative.split("/"):
            path = path / part
            if stat.S_ISLNK(path.lstat().st_mode):
                raise FixtureMismatch(path, "is a link, and a store holds none", "put the file itself there")
        if not path.is_file():
            raise FixtureMismatch(path, "is no regular file", "a store holds exactly the files of the manifest")
        with path.open("rb") as file:
            data = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise FixtureMismatch(path, f"cannot be read from the store ({error.strerror})", "complete it") from error
    if len(data) > _LARGEST_FILE:
        raise FixtureMismatch(path, f"is larger than {_LARGEST_FILE} bytes", "this is no design file")
    return data


def _from_repository(repository: Path, commit: str, name: str) -> _Source:
    """A repository read object by object: no checkout, so no filter, hook or line-end rule touches the bytes."""

    def read(path: str) -> bytes:
        return git(repository, name, "cat-file", "blob", f"{commit}:{path}")

    return _Source(name, design=lambda _path, upstream_path: read(upstream_path), licence=read)


def fetch_commit(repository: Path, url: str, commit: str, *, time_limit_s: float = GIT_TIME_LIMIT_S) -> None:
    """Make the existing folder `repository` a bare one that holds one commit of upstream. Raises like `git`."""
    git(repository, url, "init", "--quiet", "--bare")
    fetch = ("fetch", "--quiet", "--depth", "1", "--no-tags", "--", url, commit)
    git(repository, url, *fetch, time_limit_s=time_limit_s)


def git(repository: Path, where: str, *arguments: str, time_limit_s: float = GIT_TIME_LIMIT_S) -> bytes:
    """What a git command in `repository` prints, under no influence of the caller's checkout.

    Raises FixtureMismatch at `where` when git is missing, fails, or is not done within the limit.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _FROM_A_CHECKOUT}
    environment |= {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C"}
    command = ["git", "-C", str(repository), *arguments]
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        raise FixtureMismatch(where, "git is not installed", "install it, or name a store with --store") from None
    try:
        data, said = process.communicate(timeout=time_limit_s)
    except subprocess.TimeoutExpired:
        limit = f"git {arguments[0]} did not finish within {time_limit_s:g} s"
        raise FixtureMismatch(where, limit, "repeat, or name a clone with --from") from None
    finally:
        if process.poll() is None:
            # git's helpers hold its pipes and would keep us waiting: end the session, not the process.
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode != 0:
        lines = said.decode("utf-8", errors="replace").strip().splitlines()
        fault = lines[-1] if lines else f"code {process.returncode}"
        what = f"git {arguments[0]} {arguments[-1]} failed ({fault})"
        raise FixtureMismatch(where, what, "name another source with --store or --from")
    return data
