#!/usr/bin/env python3
"""The canonical tree hash of a fixture (STANDARD 13), with nothing but Python's standard library.

SHA-256 over the files of a tree in byte order of their `/`-separated relative path. Each file contributes its
path in UTF-8, a 0x00 byte, its length in decimal, a 0x00 byte, and its bytes. Folders contribute nothing and
nothing is filtered: a dropping of a tool changes the hash, as it should.

    hash_fixture.py TREE                     print the hash
    hash_fixture.py --check fixtures/<id>    compare fixtures/<id>/tree with the sha256 of its fixture.json

Exit code 0 ok, 1 the hash differs, 2 the tree or the manifest cannot be read (one line on stderr).
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
from pathlib import Path

_CHUNK = 1 << 20


class TreeRefused(ValueError):
    """A tree that is no frozen copy: `where` is the offending path, `what` the fault, `remedy` what to do."""

    def __init__(self, where: object, what: str, remedy: str) -> None:
        self.where = str(where)
        self.what = what
        self.remedy = remedy
        super().__init__(f"{self.where}: {what}; {remedy}")


def tree_hash(tree: Path) -> str:
    """The canonical hash of a tree in lower-case hex (STANDARD 13).

    Raises TreeRefused when `tree` is no folder or is itself a link, and when anything in it is a link, a special
    file, a `.git` or a name that is not UTF-8; also when a file cannot be read or changes while it is read.
    """
    digest = hashlib.sha256()
    for relative, path in tree_files(tree):
        _add(digest, relative, path)
    return digest.hexdigest()


def tree_files(tree: Path) -> list[tuple[str, Path]]:
    """Every file of a frozen copy as (relative path, path), in byte order of the relative path (STANDARD 13).

    Raises TreeRefused as `tree_hash` does.
    """
    try:
        mode = tree.lstat().st_mode
    except OSError as error:
        raise TreeRefused(tree, f"there is no such folder ({error.strerror})", "obtain the tree first") from error
    except ValueError as error:
        raise TreeRefused(repr(str(tree)), "is no path", "name the fixture's tree folder") from error
    if not stat.S_ISDIR(mode):
        what = "is a link" if stat.S_ISLNK(mode) else "is not a folder"
        raise TreeRefused(tree, what, "name the real folder that holds the design files")
    found: list[tuple[str, Path]] = []
    folders = [("", tree)]
    while folders:
        prefix, folder = folders.pop()
        for name, mode in _entries(folder):
            path = folder / name
            _refuse_unfit(name, mode, path)
            if stat.S_ISDIR(mode):
                folders.append((f"{prefix}{name}/", path))
            else:
                found.append((f"{prefix}{name}", path))
    return sorted(found, key=lambda file: file[0].encode("utf-8"))


def _entries(folder: Path) -> list[tuple[str, int]]:
    try:
        with os.scandir(folder) as entries:
            return [(entry.name, entry.stat(follow_symlinks=False).st_mode) for entry in entries]
    except OSError as error:
        raise TreeRefused(_shown(folder), f"cannot be listed ({error.strerror})", "fix its permissions") from error


def _refuse_unfit(name: str, mode: int, path: Path) -> None:
    if name == ".git":
        raise TreeRefused(_shown(path), "a frozen copy holds no .git", "copy the design files alone")
    if stat.S_ISLNK(mode):
        raise TreeRefused(_shown(path), "is a link, and a frozen copy holds none", "copy what it points to instead")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        raise TreeRefused(_shown(path), "is neither a file nor a folder", "remove it")
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise TreeRefused(_shown(path), "has a name that is not UTF-8", "rename it") from error


def _add(digest: hashlib._Hash, relative: str, path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            size = os.fstat(handle).st_size
            digest.update(relative.encode("utf-8") + b"\0" + str(size).encode("ascii") + b"\0")
            read = 0
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                read += len(chunk)
    except OSError as error:
        raise TreeRefused(path, f"cannot be read ({error.strerror})", "fix its permissions") from error
    if read != size:
        raise TreeRefused(path, "changed while it was read", "repeat when nothing writes to the tree")


def _shown(path: Path) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _recorded(fixture: Path) -> str:
    manifest = fixture / "fixture.json"
    try:
        recorded = json.loads(manifest.read_bytes())["sha256"]
    except OSError as error:
        raise TreeRefused(manifest, f"cannot be read ({error.strerror})", "name a fixture's folder") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise TreeRefused(manifest, "is no fixture manifest with a sha256", "see fixtures/FIXTURES.md") from error
    return str(recorded)


def main(arguments: list[str] | None = None) -> int:
    """Print the hash of a tree, or check a fixture's tree against its manifest; returns the exit code."""
    import argparse  # only the script needs it; the library, which imports this module, should start quickly

    parser = argparse.ArgumentParser(description="The canonical tree hash of a fixture.")
    parser.add_argument("folder", type=Path, help="a tree, or with --check a fixture's folder")
    parser.add_argument("--check", action="store_true", help="compare FOLDER/tree with FOLDER/fixture.json")
    options = parser.parse_args(arguments)
    try:
        expected = _recorded(options.folder) if options.check else None
        actual = tree_hash(options.folder / "tree" if options.check else options.folder)
    except TreeRefused as refusal:
        sys.stderr.write(" ".join(str(refusal).split()) + "\n")
        return 2
    if expected is not None and expected != actual:
        sys.stderr.write(f"{options.folder}/tree: expected {expected}, found {actual}\n")
        return 1
    sys.stdout.write(f"{actual}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
