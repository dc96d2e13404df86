"""Changing files: exact replacement with a load check, and new files."""

from __future__ import annotations

import re

from copperbench.agent.session import Session
from copperbench.agent.tools.tool import FLAG, PATH, TEXT, Arguments, Tool, mangled, told
from copperbench.agent.workspace import ToolError, is_design

_LARGEST = 8 * 1024 * 1024
_LONGEST_SOUGHT = 20_000
_LOST = "rejected: the text holds U+FFFD; a special character was lost on the way, send it again or write it in ASCII"


def _edit_file(session: Session, args: Arguments) -> str:
    path, old, new = args.text("path"), args.content("old_string"), args.content("new_string")
    if not old:
        raise ToolError('missing required string arg "old_string"')
    if mangled(new):
        return _LOST
    before = session.workspace.read(path)
    count = before.count(old)
    if count == 0:
        raise ToolError(f"anchor not found in {path}; {_near_miss(before, old)}")
    if count > 1 and not args.flag("replace_all"):
        raise ToolError(
            f"anchor matched {count} times in {path}; widen it with the lines around until it is unique, "
            "or pass replace_all: true to change every occurrence"
        )
    if old == new:
        raise ToolError("old_string and new_string are the same")
    after = before.replace(old, new)
    if len(after) > max(_LARGEST, 2 * len(before)):
        raise ToolError(f"the edit would make {path} larger than any design needs")
    return _write_checked(session, path, after, before) or f"edited {path} ({count} occurrence(s) replaced)"


def _near_miss(text: str, sought: str) -> str:
    """What to do about an excerpt that is not there: most often it is, with other white space."""
    words = sought.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if len(sought) <= _LONGEST_SOUGHT and words else None
    if found is None:
        return "read the file again and use an exact excerpt"
    first, last = (text.count("\n", 0, end) + 1 for end in found.span())
    return f"lines {first} to {last} differ from it in white space alone (KiCad indents with tabs): copy them exactly"


def _write_file(session: Session, args: Arguments) -> str:
    path, content = args.text("path"), args.content("content")
    if mangled(content):
        return _LOST
    if len(content) > _LARGEST:
        raise ToolError(f"{path} would be larger than any design needs")
    if session.workspace.place(path).exists():
        raise ToolError(f"refuses to overwrite existing file {path}; use edit_file")
    if is_design(path) and session.command != "create":
        raise ToolError(f"refuses KiCad files ({path}); use edit_file on those that exist")
    return _write_checked(session, path, content, None) or f"wrote {path}"


def _write_checked(session: Session, path: str, after: str, before: str | None) -> str:
    """Write, and undo it when the file then no longer loads; returns what to tell the model, empty when all is well.

    A file that did not load before is not held to more.
    """
    known = path in session.workspace.touched
    session.workspace.write(path, after)
    fault = session.checks.loads(path)
    if fault is None or (before is not None and not session.checks.loaded_before(path, before.encode("utf-8"))):
        session.edited(path)
        return ""
    if before is None:
        session.workspace.place(path).unlink()
    else:
        session.workspace.write(path, before)
    if not known:
        session.workspace.touched.remove(path)
    return (
        f"edit REVERTED: it would make {path} unloadable in KiCad: {fault}\n"
        "Read the text around it again and make a smaller, syntactically complete edit."
    )


TOOLS = (
    Tool(
        "edit_file",
        "Replace an exact excerpt of a file. `old_string` must occur exactly once (white space counts), unless "
        "replace_all is true. An edit that leaves a KiCad file unloadable is undone.",
        _edit_file,
        {
            "path": PATH,
            "old_string": told(TEXT, "the excerpt as it stands in the file, line ends and indentation included"),
            "new_string": told(TEXT, "what stands there afterwards"),
            "replace_all": told(FLAG, "replace every occurrence, however many there are"),
        },
        optional=("replace_all",),
        locked=True,
    ),
    Tool(
        "write_file",
        "Write a new file. Existing files are changed with edit_file.",
        _write_file,
        {"path": PATH, "content": TEXT},
        locked=True,
    ),
)
