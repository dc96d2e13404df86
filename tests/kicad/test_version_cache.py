"""A kicad-cli's version is asked once, and again as soon as anything about the program is another."""

from pathlib import Path

import pytest

from copperbench.kicad.version_cache import remembered_version


class Asked:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self, path: Path) -> str:
        self.times += 1
        return f"10.0.{self.times}"


@pytest.fixture
def wrapper(tmp_path: Path) -> Path:
    (tmp_path / "real-program").write_bytes(b"\x7fELF one")
    path = tmp_path / "kicad-cli"
    path.write_text(f'#!/bin/sh\nexec "{tmp_path}/real-program" "$@"\n')
    return path


def test_a_program_is_asked_once(wrapper, tmp_path):
    ask = Asked()
    told = [remembered_version(wrapper, tmp_path / "cache", ask) for _ in range(3)]
    assert (told, ask.times) == (["10.0.1"] * 3, 1)


def test_a_wrapper_whose_program_was_replaced_is_asked_again(wrapper, tmp_path):
    ask = Asked()
    remembered_version(wrapper, tmp_path / "cache", ask)
    (tmp_path / "real-program").write_bytes(b"\x7fELF two, longer")
    assert remembered_version(wrapper, tmp_path / "cache", ask) == "10.0.2"


@pytest.mark.parametrize("damage", [b"", b"no version", b"\xff\xfe"])
def test_a_damaged_entry_is_asked_anew(wrapper, tmp_path, damage):
    ask = Asked()
    remembered_version(wrapper, tmp_path / "cache", ask)
    for entry in (tmp_path / "cache").iterdir():
        entry.write_bytes(damage)
    assert remembered_version(wrapper, tmp_path / "cache", ask) == "10.0.2"


def test_a_folder_that_cannot_be_made_costs_the_asking_alone(wrapper, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert remembered_version(wrapper, tmp_path / "cache", Asked()) == "10.0.1"
