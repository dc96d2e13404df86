"""What lies in files, compressed parts included."""

from __future__ import annotations

from pathlib import Path

import zstandard


def unpacked(path: Path) -> bytes:
    """The bytes of a file, and of what is compressed in it: a sealed end state hides a key from a plain search."""
    data = path.read_bytes()
    if path.suffix != ".zst":
        return data
    with zstandard.ZstdDecompressor().stream_reader(data) as reader:
        return data + reader.read()


def holding(base: Path, text: str) -> list[str]:
    """The files below a folder that hold a text, by their paths from there."""
    files = (path for path in sorted(base.rglob("*")) if path.is_file())
    return [path.relative_to(base).as_posix() for path in files if text.encode() in unpacked(path)]
