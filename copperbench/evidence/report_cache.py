"""KiCad's reports by what they were made of: an end state whose design was judged before costs no second call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.kicad import Report
from copperbench.publish import SELF_DIGEST, is_whole, publish, self_sealed

_NO_DESIGN = ("*.md", ".gitignore")
_NO_DESIGN_FOLDERS = (".copperhead", "openspec", ".git")


def keep_only_design(copy: Path) -> None:
    """Remove documents and harness files from a copy, so that what is left is all that KiCad can read of it."""
    import shutil

    for name in _NO_DESIGN_FOLDERS:
        shutil.rmtree(copy / name, ignore_errors=True)
    for pattern in _NO_DESIGN:
        for path in sorted(copy.rglob(pattern)):
            if path.is_file():
                path.unlink()


def design_key(copy: Path) -> str:
    """A digest of every path and byte in a copy: take it before kicad-cli, which leaves files beside what it reads."""
    digest = hashlib.sha256()
    for path in sorted(copy.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            name = path.relative_to(copy).as_posix().encode("utf-8", "surrogateescape")
            digest.update(b"%b\0%d\0" % (name, len(data)) + data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class ReportCache:
    """Reports kept in `folder` under a key of every byte that KiCad could read and its version (STANDARD 4).

    Safe to delete at any time, and safe with many processes: an entry is published by rename, carries a digest of
    itself, and one that is not whole is made anew; one that cannot be kept costs the call. The cache saves calls and
    settles nothing: what a grade rests on is sealed in the run's own `verify.json`, and `score --recheck` does not look
    here.
    """

    folder: Path
    kicad_version: str

    def report(self, kind: str, design: str, make: Callable[[], Report]) -> Report:
        """The report of `kind` on the design of that `design_key`: the one kept, or made now and kept.

        Whatever `make` raises passes through, and nothing is kept then.
        """
        place = self.folder / f"{kind}-{self.kicad_version}-{design}.json"
        kept = self._kept(place)
        if kept is not None:
            return kept
        made = make()
        with suppress(CopperbenchError):  # a full disk, or the folder was deleted just now: the report is here
            publish(place, self_sealed(dict(made.to_json())))
        return made

    @staticmethod
    def _kept(place: Path) -> Report | None:
        try:
            data = place.read_bytes()
            body = json.loads(data)
            if not isinstance(body, dict) or not is_whole(data, body):
                return None
            return Report.from_json({key: value for key, value in body.items() if key != SELF_DIGEST}, place)
        except (OSError, ValueError, RecursionError, CopperbenchError):
            return None
