"""Where a sandbox may be written, and which of its paths no model wrote."""

from __future__ import annotations

import re
import stat
from pathlib import Path, PurePosixPath

from copperbench.errors import OperationFailed

# one list for diff, ignore rules and seal (STANDARD 2, 3): droppings of KiCad and the harness's own run folders
IGNORE_RULES = (".copperhead/runs/", ".copperhead/llm-cache/", ".history/", "*.kicad_prl", "~*.lck", "fp-info-cache")
_TOOL_OWNED = re.compile(
    r"(?:\.copperhead/runs|\.copperhead/llm-cache|(?:[^/]+/)*\.history)/.+"
    r"|(?:[^/]+/)*(?:[^/]*\.kicad_prl|~[^/]*\.lck|fp-info-cache)",
    re.DOTALL,
)


def tool_owned(path: str) -> bool:
    """Whether a tree path belongs to a tool and not to the run's work (STANDARD 3): such changes are no changes."""
    return _TOOL_OWNED.fullmatch(path) is not None


def safe_parts(path: str) -> tuple[str, ...] | None:
    """The parts of a relative path that stays inside its root; None when it does not, or names `.git`."""
    parts = tuple(path.split("/"))
    refused = "\0" in path or parts[0] == ".git" or any(part in ("", ".", "..") for part in parts)
    return None if refused else parts


def inside(root: Path, path: str, where: str) -> Path:
    """`root / path`, checked: relative, no `..`, not in `.git`, through no link.

    Raises OperationFailed otherwise.
    """
    parts = safe_parts(path)
    if parts is None or parts[0].casefold() == ".git":
        raise OperationFailed(where, f"{path!r} is not a path inside the sandbox", "name a file relative to its root")
    place = root
    for part in parts:
        place = place / part
        try:
            mode = place.lstat().st_mode
        except FileNotFoundError:
            break
        except (OSError, ValueError) as error:
            raise OperationFailed(where, f"{path!r} cannot be reached ({error})", "name a file in a folder") from error
        if stat.S_ISLNK(mode):
            raise OperationFailed(where, f"{path!r} leads through a link", "operations follow no links")
    return root / PurePosixPath(*parts)
