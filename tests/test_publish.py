"""Files appear whole or not at all, and what killed processes leave is swept."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from copperbench import publish as publishing
from copperbench.errors import CopperbenchError
from copperbench.publish import is_whole, publish, publish_new, self_sealed


@pytest.fixture(params=["nameless", "named", "no linkat"])
def target(request, tmp_path: Path, monkeypatch) -> Path:
    """A place to publish at, on systems of three kinds: the fall-backs leave no other result."""
    if request.param == "named":
        monkeypatch.setattr(publishing, "_NAMELESS", os.O_DIRECTORY | os.O_RDWR)
    if request.param == "no linkat":
        link = os.link

        def refusing(source, path, **how):
            if how:
                raise OSError(18, "Invalid cross-device link")
            link(source, path)

        monkeypatch.setattr(os, "link", refusing)
    return tmp_path / "folder/file.json"


def test_publishing_leaves_the_file_and_nothing_else(target):
    publish(target, b"one")
    publish(target, b"two")
    assert [(path.name, path.read_bytes()) for path in target.parent.iterdir()] == [("file.json", b"two")]


def test_what_exists_is_not_overwritten(target):
    publish_new(target, b"one")
    with pytest.raises(FileExistsError):
        publish_new(target, b"two")
    assert [(path.name, path.read_bytes()) for path in target.parent.iterdir()] == [("file.json", b"one")]


def test_a_link_in_the_place_is_replaced_and_not_followed(target, tmp_path):
    target.parent.mkdir()
    (tmp_path / "elsewhere").write_bytes(b"theirs")
    target.symlink_to(tmp_path / "elsewhere")
    publish(target, b"ours")
    assert (target.is_symlink(), (tmp_path / "elsewhere").read_bytes()) == (False, b"theirs")


def test_everyone_may_read_what_is_published(target):
    publish(target, b"one")
    assert target.stat().st_mode & 0o777 == 0o644


def test_what_a_killed_process_left_is_swept(target):
    target.parent.mkdir()
    left = target.parent / ".file.json.abcd1234"
    left.write_bytes(b"half")
    publish(target, b"whole")
    assert not left.exists()


def test_what_a_living_process_is_writing_is_not_swept(target):
    target.parent.mkdir()
    theirs = target.parent / ".file.json.abcd1234"
    with theirs.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        publish(target, b"whole")
        assert theirs.exists()


def test_nobody_elses_hidden_file_is_swept(target):
    target.parent.mkdir()
    (target.parent / ".file.json.bak").write_bytes(b"mine")
    publish(target, b"whole")
    assert (target.parent / ".file.json.bak").exists()


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CopperbenchError, match="cannot be written"):
        publish(tmp_path / "file/inside.json", b"")


@pytest.mark.parametrize("at", range(0, 120, 7))
def test_no_byte_of_a_self_sealed_document_changes_unnoticed(at):
    data = self_sealed({"a": [1, 2.5, None], "b": {"c": "text"}})
    assert is_whole(data, {"a": [1, 2.5, None], "b": {"c": "text"}, "seal": "whatever"})
    changed = bytearray(data)
    changed[at] ^= 1
    assert not is_whole(bytes(changed), {"a": [1, 2.5, None], "b": {"c": "text"}})
