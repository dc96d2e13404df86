"""An archive is opened only when it is exactly what we would have written."""

from __future__ import annotations

import io
import tarfile

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from copperbench.errors import SealBroken
from copperbench.sandbox.archive import Member, decompress, pack, unpack

NAMES = st.one_of(
    st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1, max_size=200),
    st.binary(min_size=1, max_size=30)
    .filter(lambda raw: b"\0" not in raw)
    .map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)


def tar(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
        for info, data in entries:
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return zstandard.compress(plain.getvalue())


def info(name: str, **fields) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(made, field, value)
    return made


@given(st.dictionaries(NAMES, st.builds(Member, st.binary(max_size=2000), st.sampled_from([0o644, 0o755])), max_size=8))
def test_what_is_packed_is_unpacked(members):
    assert unpack(pack(members), "x") == members


@given(st.dictionaries(NAMES, st.builds(Member, st.binary(max_size=100)), max_size=5))
def test_the_order_of_putting_in_changes_no_byte(members):
    assert pack(dict(reversed(members.items()))) == pack(members)


def test_any_tar_reader_can_read_it():
    packed = zstandard.decompress(
        pack({"a/" + "n" * 150: Member(b"x"), "b": Member(b"y", 0o755)}), max_output_size=1 << 20
    )
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert [(each.name[:3], each.mode, each.mtime, each.uid) for each in archive] == [
            ("a/n", 0o644, 0, 0),
            ("b", 0o755, 0, 0),
        ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not an archive",
        zstandard.compress(b"not a tar at all"),
        zstandard.compress(b"x" * 2048),
        tar((info("link", type=tarfile.SYMTYPE, linkname="/etc/passwd"), b"")),
        tar((info("link", type=tarfile.LNKTYPE, linkname="a"), b"")),
        tar((info("fifo", type=tarfile.FIFOTYPE), b"")),
        tar((info("null", type=tarfile.CHRTYPE), b"")),
        tar((info("folder", type=tarfile.DIRTYPE), b"")),
        tar((info("a", mtime=1), b"x")),
        tar((info("a", mode=0o4755), b"x")),
        tar((info("a", uid=1000), b"x")),
        tar((info("a"), b"x"), (info("a"), b"y")),
        tar((info("ä" * 80, mtime=1.5), b"x"), form=tarfile.PAX_FORMAT),
        pack({"a": Member(b"x")})[:-5],
        zstandard.compress(zstandard.decompress(pack({"a": Member(b"x")})) + b"behind"),
        zstandard.compress(zstandard.decompress(pack({"a": Member(b"x")}))[:-512]),
    ],
    ids=[
        *("empty", "text", "zstd-text", "zstd-text-long", "symlink", "hard-link", "fifo", "device", "folder", "time"),
        *("setuid", "owner", "twice", "pax", "cut", "behind", "short-end"),
    ],
)
def test_every_other_archive_is_refused(data):
    with pytest.raises(SealBroken, match=r"^runs/x\.tar\.zst: "):
        unpack(data, "runs/x.tar.zst")


@given(st.binary(max_size=3000))
def test_no_bytes_raise_anything_but_our_own_error(data):
    for each in (data, zstandard.compress(data)):
        try:
            unpack(each, "x")
        except SealBroken:
            continue


@given(st.data())
def test_one_changed_byte_is_refused_or_changes_what_is_read(data):
    members = {"a": Member(b"hello" * 50), "b/c": Member(b"x", 0o755)}
    raw = bytearray(zstandard.decompress(pack(members)))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    try:
        read = unpack(zstandard.compress(bytes(raw)), "x")
    except SealBroken:
        return
    assert read != members


def test_a_bomb_is_refused_before_it_goes_off():
    bomb = zstandard.compress(bytes(300 << 20))
    with pytest.raises(SealBroken, match="unpacks to more than 1048576 bytes"):
        decompress(bomb, 1 << 20, "x")


def test_a_frame_that_lies_about_its_size_is_refused():
    bomb = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(64 << 20))
    with pytest.raises(SealBroken):
        decompress(bomb, 1 << 20, "x")
