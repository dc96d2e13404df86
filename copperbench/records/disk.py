"""What a checkout holds on disk, and what of it may go: never a record, never evidence (STANDARD 12)."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copperbench.records.paths import RUN_JSON, place_of

_DAY_S = 86_400.0
_CACHES = {
    "reports": "KiCad's reports by design, made again when needed",
    "sandboxes": "starting states, built again when needed",
    "logs": "logs of jobs",
}
_TEMPORARY = tuple(f"copperbench-{part}-" for part in ("run", "home", "evidence", "verify", "baseline", "kicad"))


@dataclass(frozen=True, slots=True)
class Share:
    """Files of one sort: how many, and how many bytes they hold."""

    what: str
    files: int
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A file or folder that may go, its size in bytes, and why it may."""

    path: Path
    size: int
    why: str


def shares(root: Path) -> tuple[Share, ...]:
    """What the checkout at `root` holds, by sort; links are counted and not followed."""
    counted: dict[str, tuple[int, int]] = {}
    for path, size in _files(root / "results"):
        what = _sort(path.relative_to(root).as_posix())
        files, held = counted.get(what, (0, 0))
        counted[what] = files + 1, held + size
    for name in ("superseded", "quarantine", ".snakemake"):
        found = list(_files(root / name))
        counted[f"{name}/"] = len(found), sum(size for _, size in found)
    for path, size in _files(root / "build"):
        part = path.relative_to(root / "build").parts
        what = f"build/{part[0]}/" if len(part) > 1 else "build/"
        files, held = counted.get(what, (0, 0))
        counted[what] = files + 1, held + size
    return tuple(Share(what, files, size) for what, (files, size) in sorted(counted.items()) if files)


def spare(root: Path, older_than_days: float, *, superseded: bool = False) -> Iterator[Piece]:
    """What may go: caches, logs and left-over temporary folders untouched for so many days; superseded runs if asked.

    Nothing under `results/` or `quarantine/` is ever among them. A cache that is a link, or lies behind one, is left.
    """
    before = time.time() - older_than_days * _DAY_S
    for name, why in _CACHES.items():
        folder = root / "build" / name
        if not folder.is_symlink() and not folder.parent.is_symlink():
            for path, size in _files(folder):
                facts = _facts(path)
                if facts is not None and facts.st_mtime < before:
                    yield Piece(path, size, why)
    yield from _left_over(Path(tempfile.gettempdir()), before)
    aside = root / "superseded"
    if superseded and aside.is_dir() and not aside.is_symlink():
        yield Piece(aside, _size(aside), "records and evidence that were replaced; asked for by --superseded")


def remove(piece: Piece) -> None:
    """Delete a piece; one that is gone already is as good. Raises OSError for one that cannot be deleted."""
    if piece.path.is_dir() and not piece.path.is_symlink():
        shutil.rmtree(piece.path)
    else:
        piece.path.unlink(missing_ok=True)


def _left_over(folder: Path, before: float) -> Iterator[Piece]:
    """Folders of ours that a killed process left: of this user, and untouched since `before`."""
    for path in sorted(folder.glob("copperbench-*")):
        facts = _facts(path)
        if facts is None:
            continue
        ours = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()
        if ours and path.name.startswith(_TEMPORARY) and facts.st_mtime < before:
            yield Piece(path, _size(path), "a temporary folder that a process left behind")


def _sort(name: str) -> str:
    if place_of(name, Path()) is not None:
        return "results: records"
    sealed = {"transcript.jsonl": "transcripts", "end-state.tar.zst": "end states", "verify.json": "KiCad's reports"}
    file = name.rsplit("/", 1)[-1]
    kind = "run.json" if file == RUN_JSON else sealed.get(file)
    return f"results: {kind}" if kind else "results: other"


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Every file below a folder with its size, in a fixed order; no link is followed."""
    if folder.is_symlink():
        return
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(base) / name
            facts = _facts(path)
            if facts is not None:
                yield path, facts.st_size


def _facts(path: Path) -> os.stat_result | None:
    """What `lstat` says; None for a file that went away while we looked."""
    try:
        return path.lstat()
    except FileNotFoundError:
        return None


def _size(folder: Path) -> int:
    return sum(size for _, size in _files(folder))
