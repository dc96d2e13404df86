"""Building a starting state: the same archive and the same baseline SHA on every machine (STANDARD 2)."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench import scaffold
from copperbench.errors import CopperbenchError, FixtureMismatch, SealBroken
from copperbench.publish import json_bytes
from copperbench.sandbox.archive import Member, pack, unpack, write_file
from copperbench.sandbox.commits import (
    BASELINE_MESSAGE,
    BASELINE_TIME,
    commit_all,
    start_repository,
    tree_mode,
    walk_files,
)
from copperbench.sandbox.operations import apply_operation
from copperbench.sandbox.paths import IGNORE_RULES, safe_parts, tool_owned
from copperbench.suite import Fixture, Task, parse_json

SetupSkipped = tuple[Mapping[str, str], ...]
Init = Callable[[Path, Task, Fixture], SetupSkipped]
_META = "sandbox.json"
_TREE = "tree/"
_REBUILD = "build the sandbox again"


@dataclass(frozen=True, slots=True)
class SandboxArchive:
    """A starting state: the bytes of its tar.zst and the SHA of its baseline commit."""

    data: bytes
    baseline_sha: str


@dataclass(frozen=True, slots=True)
class SandboxInfo:
    """What an unpacked sandbox says of itself; `setup_skipped` is [{command, reason}] for the record."""

    baseline_sha: str
    setup_skipped: SetupSkipped
    task_id: str
    scaffold: str


def builtin_init(root: Path, task: Task, fixture: Fixture) -> SetupSkipped:
    """The `init` of the in-process harnesses and the reference harness: our own scaffold, nothing skipped."""
    scaffold.init(root, fixture, task.config.budgets)
    return ()


def build_sandbox(
    task: Task, fixture: Fixture, tree: Path, init: Init = builtin_init, scaffold_name: str = "builtin"
) -> SandboxArchive:
    """Build the starting state of a task from a fixture's verified `tree` (STANDARD 2).

    In order: copy the tree into a fresh folder, start a repository, run the setup commands by the harness's `init`
    (which returns what it skipped), merge the task's config, register its budgets, write the ignore rules, apply the
    seed, commit. Files of the fixture are 0644 whatever the copy on this machine has. Raises FixtureMismatch when the
    tree is missing, OperationFailed when the seed does not apply, and whatever `init` raises.
    """
    if not tree.is_dir():
        raise FixtureMismatch(tree, "the fixture's tree is missing", f"copperbench fixture get {fixture.id}")
    with tempfile.TemporaryDirectory(prefix="copperbench-sandbox-") as folder:
        root = Path(folder) / "sandbox"
        _copy_tree(tree, root)
        start_repository(root)
        skipped = init(root, task, fixture) if "init" in task.setup_commands else ()
        scaffold.configure(root, fixture, task.config)
        _write_ignore_rules(root)
        for number, operation in enumerate(task.seed):
            apply_operation(root, operation, f"tasks/{task.id}/task.json: $.setup.seed[{number}]")
        _sweep(root)
        sha = commit_all(root, BASELINE_MESSAGE, when=BASELINE_TIME, ignored_too=True)
        meta = {
            "baselineSha": sha,
            "scaffold": scaffold_name,
            "setupSkipped": [dict(each) for each in skipped],
            "taskId": task.id,
        }
        members = {_TREE + path: member for path, member in _files(root).items()}
        return SandboxArchive(pack({_META: Member(json_bytes(meta)), **members}, first=_META), sha)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The content of a sandbox archive: what it says of itself, and every file of the baseline."""

    info: SandboxInfo
    files: Mapping[str, Member]


def read_sandbox(archive: Path) -> Sandbox:
    """Read a starting state without unpacking it.

    Raises SealBroken when the archive is missing or not one that `build_sandbox` wrote.
    """
    try:
        data = archive.read_bytes()
    except OSError as error:
        raise SealBroken(archive, f"cannot be read ({error.strerror})", _REBUILD) from error
    return parse_sandbox(data, str(archive))


def parse_sandbox(data: bytes, where: str) -> Sandbox:
    """Read a starting state from the bytes of its archive; raises SealBroken as `read_sandbox` does."""
    members = unpack(data, where)
    meta = members.pop(_META, None)
    files = {name.removeprefix(_TREE): member for name, member in members.items() if name.startswith(_TREE)}
    if meta is None or len(files) != len(members) or any(safe_parts(path) is None for path in files):
        raise SealBroken(where, "holds something other than sandbox.json and tree/", _REBUILD)
    try:
        value = parse_json(meta.data, f"{where}: {_META}")
        skipped = tuple(
            {"command": str(each["command"]), "reason": str(each["reason"])} for each in value["setupSkipped"]
        )
        info = SandboxInfo(str(value["baselineSha"]), skipped, str(value["taskId"]), str(value["scaffold"]))
    except (KeyError, TypeError) as error:
        raise SealBroken(where, f"has a sandbox.json without {error}", _REBUILD) from error
    return Sandbox(info, files)


def unpack_sandbox(archive: Path, into: Path) -> SandboxInfo:
    """Make the starting state in the folder `into` (new or empty), with a real `.git` holding the baseline commit.

    Raises SealBroken when the archive is not ours or its files do not make the SHA that it names, CopperbenchError
    when `into` has something in it.
    """
    return _make(read_sandbox(archive), into, str(archive))


def unpack_archive(data: bytes, into: Path, where: str) -> SandboxInfo:
    """As `unpack_sandbox`, from the bytes of an archive."""
    return _make(parse_sandbox(data, where), into, where)


def _make(sandbox: Sandbox, into: Path, where: str) -> SandboxInfo:
    into.mkdir(parents=True, exist_ok=True)
    if any(into.iterdir()):
        raise CopperbenchError(into, "is not empty", "name a new folder for the sandbox")
    for path, member in sandbox.files.items():
        write_file(into / path, member.data, member.mode)
    start_repository(into)
    sha = commit_all(into, BASELINE_MESSAGE, when=BASELINE_TIME, ignored_too=True)
    said = sandbox.info.baseline_sha
    if sha != said:
        raise SealBroken(where, f"makes baseline {sha}, its sandbox.json says {said}", _REBUILD)
    return sandbox.info


def _copy_tree(tree: Path, root: Path) -> None:
    root.mkdir()
    for place in walk_files(tree):
        if not stat.S_ISREG(place.lstat().st_mode):
            raise FixtureMismatch(place, "is no regular file", "a fixture's tree holds files and folders only")
        # a store may have lost or invented execute bits; the tree's hash does not cover them, so neither may the SHA
        write_file(root / place.relative_to(tree), place.read_bytes())


def _files(root: Path) -> dict[str, Member]:
    files = {}
    for place in walk_files(root):
        state = place.lstat()
        if not stat.S_ISREG(state.st_mode):
            raise CopperbenchError(place, "is no regular file in a starting state", "fix the harness's init")
        path = os.fsencode(place.relative_to(root)).decode("utf-8", "surrogateescape")
        files[path] = Member(place.read_bytes(), tree_mode(state.st_mode))
    return files


def _sweep(root: Path) -> None:
    """Remove what tools dropped while setting up: it is no part of the baseline and differs by machine."""
    for place in list(walk_files(root)):
        if tool_owned(place.relative_to(root).as_posix()):
            place.unlink()


def _write_ignore_rules(root: Path) -> None:
    """Append the rules that tools need to whatever `.gitignore` the setup left (STANDARD 2)."""
    place = root / ".gitignore"
    text = place.read_text("utf-8", "surrogateescape") if place.is_file() else ""
    known = text.splitlines()
    missing = [rule for rule in IGNORE_RULES if rule not in known]
    if missing:
        joint = "" if not text or text.endswith("\n") else "\n"
        place.write_text(text + joint + "\n".join(missing) + "\n", "utf-8", "surrogateescape", newline="")
