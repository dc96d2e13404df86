"""Modules that stand beside a test, or in a folder of scripts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any


def module(path: Path) -> Any:
    """Import a file, once, under a name that nothing else has."""
    name = "given_" + "_".join(path.resolve().with_suffix("").parts[1:])
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made
