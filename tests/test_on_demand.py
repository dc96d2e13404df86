"""Rooms load what is asked for: every public name is there, and no more is loaded than it takes."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = sorted(path.parent.name for path in (ROOT / "copperbench").glob("*/__init__.py"))


def said_by(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_of_a_room_is_there_and_is_no_module(room):
    module = import_module(f"copperbench.{room}")
    found = {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    assert [name for name, value in found.items() if isinstance(value, ModuleType)] == []


def test_a_name_is_the_rooms_even_where_a_module_is_called_the_same():
    code = "import copperbench.scaffold.drift; from copperbench.scaffold import drift; print(type(drift).__name__)"
    assert said_by(code) == "function"


def test_a_name_that_a_room_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"'copperbench\.kicad' has no attribute 'nonsense'"):
        _ = import_module("copperbench.kicad").nonsense


def test_a_module_of_a_room_can_be_imported_by_its_name():
    assert (
        said_by("from copperbench.kicad import netlister; print(netlister.__name__)") == "copperbench.kicad.netlister"
    )


@pytest.mark.parametrize(
    ("asked", "spared"),
    [
        ("from copperbench.suite import load_suite", "copperbench.suite.campaign"),
        ("from copperbench.kicad import netlist", "copperbench.kicad.measure"),
        ("from copperbench.records import record_place", "copperbench.evidence"),
        ("from copperbench.harness import carry_out", "copperbench.harness.external"),
    ],
)
def test_what_is_not_asked_for_is_not_loaded(asked, spared):
    assert said_by(f"{asked}; import sys; print({spared!r} in sys.modules)") == "False"


def test_every_module_can_be_the_first_to_be_imported():
    code = """
import importlib, pkgutil, sys, copperbench
names = [each.name for each in pkgutil.walk_packages(copperbench.__path__, "copperbench.")]
for name in names:
    for loaded in [each for each in sys.modules if each.split(".")[0] == "copperbench"]:
        del sys.modules[loaded]
    if not name.endswith("__main__"):
        importlib.import_module(name)
print(len(names) > 100)
"""
    assert said_by(code) == "True"
