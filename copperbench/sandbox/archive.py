"""The one archive form: a canonical tar in a zstd frame, equal on every machine, refused when it is not ours."""

from __future__ import annotations

import io
import stat
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import SealBroken

LEVEL = 9
MAX_UNPACKED = 1 << 30
_BLOCK = tarfile.BLOCKSIZE
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """One regular file of an archive; `mode` is 0o644 or 0o755."""

    data: bytes
    mode: int = 0o644


def pack(members: Mapping[str, Member], first: str = "") -> bytes:
    """The members as tar.zst: `first` leads, the rest in byte order; no time, owner or machine in it (STANDARD 2)."""
    import zstandard

    order = sorted(members, key=lambda name: (name != first, name.encode("utf-8", "surrogateescape")))
    tar = io.BytesIO()
    for name in order:
        member = members[name]
        tar.write(_header(name, len(member.data), member.mode))
        tar.write(member.data)
        tar.write(bytes(-len(member.data) % _BLOCK))
    tar.write(bytes(2 * _BLOCK))
    return bytes(zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(tar.getvalue()))


def unpack(data: bytes, where: str, limit: int = MAX_UNPACKED) -> dict[str, Member]:
    """The members of an archive that `pack` wrote.

    Raises SealBroken for anything else: other bytes in any header, links, devices, a name twice, a cut or longer
    archive, more than `limit` bytes unpacked. Names are returned as they are: the reader says which it accepts.
    """
    tar = memoryview(decompress(data, limit, where))
    members: dict[str, Member] = {}
    at = 0
    while at + _BLOCK <= len(tar) and tar[at]:
        name, member, at = _member(tar, at, where)
        if name in members:
            raise SealBroken(where, f"holds {name!r} twice", _REMEDY)
        members[name] = member
    if bytes(tar[at:]) != bytes(2 * _BLOCK):
        raise SealBroken(where, "is cut short or carries bytes behind its end", _REMEDY)
    return members


def write_file(place: Path, data: bytes, mode: int = 0o644) -> None:
    """Write a regular file with that mode, whatever the umask; folders are made as needed."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    place.chmod(mode)


def decompress(data: bytes, limit: int, where: str, dictionary: bytes | None = None) -> bytes:
    """What one zstd frame holds, never allocating beyond `limit` bytes and the window.

    Raises SealBroken when it is no such frame or unpacks to more than `limit`.
    """
    import zstandard

    known = (
        zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        if dictionary is not None
        else None
    )
    del dictionary  # it was copied, and may be as big as a board
    parts, size = [], 0
    try:
        decompressor = zstandard.ZstdDecompressor(dict_data=known, max_window_size=1 << 28)
        if 0 < zstandard.frame_content_size(data) <= limit:  # in one piece, without a window beside it
            return bytes(decompressor.decompress(data))
        reader = decompressor.stream_reader(io.BytesIO(data))
        while chunk := reader.read(min(_CHUNK, limit + 1 - size)):
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                raise SealBroken(where, f"unpacks to more than {limit} bytes", _REMEDY)
    except zstandard.ZstdError as error:
        raise SealBroken(where, f"is no readable archive ({error})", _REMEDY) from error
    return b"".join(parts)


_REMEDY = "restore the file from where it was published; the run cannot be graded without it"


def _header(name: str, size: int, mode: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, mode
    return info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")


def _member(tar: memoryview, at: int, where: str) -> tuple[str, Member, int]:
    """Read one member; its header must be byte for byte the one that we would write for that name, size and mode."""
    start = at
    broken = SealBroken(where, f"has a member at byte {start} that we never write", _REMEDY)
    raw = bytes(tar[at : at + _BLOCK])
    if raw[156:157] == tarfile.GNUTYPE_LONGNAME:
        length = _octal(raw[124:136])
        if length is None or not 1 < length <= 1 << 16:
            raise broken
        name_bytes = bytes(tar[at + _BLOCK : at + _BLOCK + length - 1])
        at += _BLOCK + length + -length % _BLOCK
        raw = bytes(tar[at : at + _BLOCK])
    else:
        name_bytes = raw[:100].rstrip(b"\0")
    name, size, mode = name_bytes.decode("utf-8", "surrogateescape"), _octal(raw[124:136]), _octal(raw[100:108])
    if size is None or mode not in (0o644, 0o755) or at + _BLOCK + size > len(tar):
        raise broken
    body = at + _BLOCK
    if "\0" in name or bytes(tar[start:body]) != _header(name, size, mode):
        raise broken
    end = body + size + -size % _BLOCK
    if any(tar[body + size : end]):
        raise broken
    return name, Member(bytes(tar[body : body + size]), stat.S_IMODE(mode)), end


def _octal(field: bytes) -> int | None:
    digits = field.rstrip(b"\0 ")
    return int(digits, 8) if digits and all(b"0"[0] <= digit <= b"7"[0] for digit in digits) else None
