"""A program's version remembered for as long as the program stays the same file: asking kicad-cli takes 0.1 s."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.publish import publish

_SCRIPT_BYTES = 1 << 16
_NAMED = re.compile(rb"/[\w./+@-]+")
_VERSION = re.compile(r"\d+\.\d+\S*")


def remembered_version(program: Path, folder: Path, ask: Callable[[Path], str]) -> str:
    """The version that `program` told before, else what `ask` finds out now; kept in `folder`.

    Known by place, size and time of change of the program's file and, if it is a script, of every file that it names:
    a wrapper stays as it is when what it starts is replaced. A folder that cannot be written costs the asking each
    time and nothing else. Raises what `ask` raises.
    """
    identity = "\n".join(_identity(program))
    place = folder / f"kicad-cli-{hashlib.sha256(identity.encode()).hexdigest()[:24]}.txt"
    try:
        kept = place.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        kept = ""
    if _VERSION.fullmatch(kept):
        return kept
    version = ask(program)
    try:
        publish(place, f"{version}\n".encode("ascii"))
    except (CopperbenchError, ValueError):
        return version
    return version


def _identity(program: Path) -> Iterator[str]:
    real = program.resolve()
    yield _stamp(real)
    with real.open("rb") as file:
        head = file.read(_SCRIPT_BYTES)
    if head.startswith(b"#!"):
        for name in sorted(set(_NAMED.findall(head))):
            named = Path(name.decode("ascii"))
            if named.is_file():
                yield _stamp(named.resolve())


def _stamp(path: Path) -> str:
    facts = path.stat()
    return f"{path} {facts.st_size} {facts.st_mtime_ns}"
