"""A room's public names, each loaded when it is first asked for, so that a verb starts without what it never calls."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

_IMPORT = re.compile(r"^    from (copperbench[\w.]+) import (?:\(([^)]*)\)|([^#\n(]*))", re.MULTILINE)


class _Room(ModuleType):
    """A room in which a name stays what `__all__` says, though a module of the room is called the same."""

    def __setattr__(self, name: str, value: object) -> None:
        # Importing `scaffold.drift` would put the module where the room has the function `drift`.
        if not (isinstance(value, ModuleType) and name in self.__all__):
            super().__setattr__(name, value)


def on_demand(room: str) -> Callable[[str], Any]:
    """The `__getattr__` of a room (PEP 562), for names that it imports in an `if TYPE_CHECKING:` block.

    That block is read by type checkers, by the import linter and, once, by this: where a name comes from is written
    down in one place. Raises AttributeError for a name that the room does not have.
    """
    places: dict[str, str] = {}
    module = sys.modules[room]
    module.__class__ = _Room

    def load(name: str) -> Any:
        if not places and not name.startswith("__"):
            places.update(_places(module))
        if name not in places:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(places[name]), name)
        setattr(module, name, value)
        return value

    return load


def _places(module: Any) -> dict[str, str]:
    source = module.__spec__.loader.get_source(module.__name__) or ""
    found = _IMPORT.findall(source[: source.find("\n__all__")])
    names = [(name.strip(), place) for place, several, one in found for name in (several or one).split(",")]
    return {name: place for name, place in names if name}
