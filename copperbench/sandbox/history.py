"""The commits of a run, counted by one written rule and read without running anything."""

from __future__ import annotations

import heapq
import re
import stat
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.sandbox.models import Commit
from copperbench.sandbox.objects import GitFolder, GitObject, object_sha
from copperbench.sandbox.walk import SealLimits, TooMuch

MESSAGE_CHARACTERS = 16_384
_SHA = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class History:
    """What a run left in its repository; `commits` is None where no repository is left that can be read.

    `excess` names the limit that reading it passed, if any.
    """

    commits: tuple[Commit, ...] | None
    notes: tuple[str, ...]
    excess: str | None = None


def read_history(
    root: Path,
    baseline_sha: str,
    limits: SealLimits,
    known: Container[str] = frozenset(),
    inspect: Callable[[GitObject], None] = lambda _: None,
) -> History:
    """The commits that a run made in the sandbox `root`, parents before children (STANDARD 4, `commit_count`).

    The rule: commits are those reachable from HEAD or from any refs/heads/*, that are not the baseline commit or its
    ancestors. Stashes, tags and notes are no commits of the run; replace refs and grafts are ignored, a shallow
    boundary is not believed: a parent whose object is gone counts as one commit, and is noted. If the baseline is no
    ancestor of HEAD (rewritten history), every reachable commit counts, and that is noted.

    `inspect` is shown every object that is not in `known`, reachable or not. `.git` that is missing, a file, a link,
    or of another object format is no repository. Never raises for what it finds.
    """
    folder = GitFolder(root / ".git", limits)
    absent = _absent(root / ".git")
    if absent:
        return History(None, (absent,))
    try:
        commits: dict[str, Commit] = {}
        for found in folder.objects(known):
            inspect(found)
            if found.kind == "commit":
                commits[found.sha] = _parse(found)
        counted = _count(folder, commits, baseline_sha, limits)
    except TooMuch as limit:
        return History(None, tuple(sorted(folder.notes)), f".git: {limit}")
    return History(counted, tuple(sorted(folder.notes)))


def blob_shas(contents: Iterable[bytes]) -> frozenset[str]:
    """The git SHAs of files' bytes: objects that need not be read again from the repository."""
    return frozenset(object_sha("blob", data) for data in contents)


def _absent(git: Path) -> str:
    try:
        mode = git.lstat().st_mode
    except OSError:
        return "there is no .git"
    if not stat.S_ISDIR(mode):
        return ".git is no folder and was not followed"
    if (git / "reftable").exists():
        return "branches are kept in a form that is not read (reftable)"
    return ""


def _count(
    folder: GitFolder, commits: Mapping[str, Commit], baseline: str, limits: SealLimits
) -> tuple[Commit, ...] | None:
    refs = folder.branches()
    if "HEAD" not in refs:
        folder.notes.add("HEAD is missing or no file")
        return None
    tips = {name: _resolve(name, refs) for name in refs if name == "HEAD" or name.startswith("refs/heads/")}
    if any(sha is not None and not _SHA.fullmatch(sha) for sha in tips.values()):
        folder.notes.add("a branch names no SHA-1 object")
        return None
    head = tips["HEAD"]
    reached, whole = _reach([head] if head else [], commits, baseline, limits)
    if not whole:
        folder.notes.add("the baseline commit is not in the history of HEAD: every reachable commit counts")
    everything, _ = _reach([sha for sha in tips.values() if sha], commits, baseline, limits)
    gone = sorted(sha for sha in everything if sha not in commits)
    folder.notes.update(f"commit {sha} is named and its object is gone: it counts" for sha in gone[:10])
    return _sorted({sha: commits.get(sha, Commit(sha, (), "")) for sha in everything | reached})


def _reach(
    tips: Iterable[str], commits: Mapping[str, Commit], baseline: str, limits: SealLimits
) -> tuple[set[str], bool]:
    """Everything reachable but the baseline, and whether the baseline was met. It has no ancestors: it is a root."""
    reached: set[str] = set()
    met = False
    pending = list(tips)
    while pending:
        sha = pending.pop()
        if sha == baseline:
            met = True
        elif sha not in reached:
            reached.add(sha)
            if len(reached) > limits.commits:
                raise TooMuch(f"more than {limits.commits} commits")
            pending += commits[sha].parents if sha in commits else ()
    return reached, met


def _resolve(name: str, refs: Mapping[str, str]) -> str | None:
    """The SHA that a ref comes to; None for a branch without a commit, or one that names itself."""
    for _ in range(5):
        value = refs.get(name)
        if value is None or not value.startswith("ref:"):
            return value
        name = value.removeprefix("ref:").strip()
    return None


def _parse(found: GitObject) -> Commit:
    head, _, message = found.data.partition(b"\n\n")
    parents = [line.removeprefix(b"parent ") for line in head.split(b"\n") if line.startswith(b"parent ")]
    shas = tuple(sha.decode("ascii", "replace") for sha in parents)
    text = message.decode("utf-8", "surrogateescape")
    return Commit(found.sha, shas[:100], text[:MESSAGE_CHARACTERS])


def _sorted(commits: Mapping[str, Commit]) -> tuple[Commit, ...]:
    """Parents before children, equal ranks by SHA: the same order wherever the objects lay."""
    children: dict[str, list[str]] = {sha: [] for sha in commits}
    waiting = {}
    for sha, commit in commits.items():
        parents = {parent for parent in commit.parents if parent in commits}
        waiting[sha] = len(parents)
        for parent in parents:
            children[parent].append(sha)
    ready = [sha for sha, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        sha = heapq.heappop(ready)
        order.append(commits[sha])
        for child in children[sha]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return tuple(order)
