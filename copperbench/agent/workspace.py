"""The files of the project as tools may see and change them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from copperbench.agent.transcript import RUNS
from copperbench.errors import CopperbenchError
from copperbench.sandbox import inside

DESIGN_SUFFIXES = (".kicad_sch", ".kicad_pcb", ".kicad_pro", ".kicad_dru", ".kicad_sym", ".kicad_mod", ".kicad_wks")
_LIBRARY_TABLES = ("sym-lib-table", "fp-lib-table")
_CLOSED = (f"{RUNS}/", ".copperhead/llm-cache/")
_SKIPPED = frozenset({".git", "node_modules", "dist", ".copperhead", ".history"})
_LARGEST = 64 * 1024 * 1024


class ToolError(CopperbenchError):
    """A tool call that cannot be carried out; the model reads `error: ` and this."""

    def __init__(self, what: str) -> None:
        super().__init__("tool", what)

    def __str__(self) -> str:
        return self.what


def is_design(path: str) -> bool:
    """Whether a path is one of KiCad's design files."""
    return path.endswith(DESIGN_SUFFIXES) or path.rsplit("/", 1)[-1] in _LIBRARY_TABLES


class Workspace:
    """The project folder: relative paths only, through no link, never `.git`, run folders or `.env` files.

    `touched` are the files that tools changed, in order; `edits` counts changes, so that readers know when to look
    again.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.touched: list[str] = []
        self.edits = 0

    def place(self, path: str) -> Path:
        """The file of a path. Raises ToolError for one that tools must not reach."""
        name = path.rsplit("/", 1)[-1]
        if path.startswith(_CLOSED) or name == ".env" or name.startswith(".env."):
            raise ToolError(f"{path} is not open to tools")
        try:
            return inside(self.root, path, "path")
        except CopperbenchError as error:
            raise ToolError(f"path escapes repo root or is no file path: {path[:200]} ({error.what[-80:]})") from error

    def read(self, path: str) -> str:
        """A text file with its line ends as they are. Raises ToolError."""
        place = self.place(path)
        if not place.is_file():
            raise ToolError(f"no such file: {path}")
        if place.stat().st_size > _LARGEST:
            raise ToolError(f"{path} is larger than {_LARGEST} bytes")
        try:
            return place.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ToolError(f"{path} is no UTF-8 text") from error

    def write(self, path: str, text: str) -> None:
        """Write a file whole, and note that a tool did. Raises ToolError."""
        place = self.place(path)
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ToolError("the text holds half a surrogate pair; send whole characters") from error
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        except OSError as error:
            raise ToolError(f"{path} cannot be written: {error.strerror}") from error
        self.edits += 1
        if path not in self.touched:
            self.touched.append(path)

    def files(self) -> Iterator[str]:
        """The project's regular files, sorted folder by folder; tools' and git's own folders left out."""
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            inner = Path(folder).relative_to(self.root)
            for name in sorted(names):
                if (Path(folder) / name).is_file() and not (Path(folder) / name).is_symlink():
                    yield (inner / name).as_posix()

    def design_files(self) -> Mapping[str, bytes]:
        """KiCad's files and their bytes."""
        return {path: (self.root / path).read_bytes() for path in self.files() if is_design(path)}

    def documents(self, folder: str) -> Mapping[str, str]:
        """The Markdown files directly in a folder, by path; bytes that are no UTF-8 are replaced."""
        place = self.root / folder
        if not place.is_dir() or place.is_symlink():
            return {}
        found = sorted(each for each in place.iterdir() if each.suffix == ".md" and each.is_file())
        return {f"{folder}/{each.name}": each.read_text("utf-8", "replace") for each in found if not each.is_symlink()}
