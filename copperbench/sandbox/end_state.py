"""`end-state.tar.zst`: the baseline and the end state of a run, as what differs from the fixture (DESIGN 4)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import FixtureMismatch, SealBroken
from copperbench.publish import json_bytes
from copperbench.sandbox.archive import LEVEL, MAX_UNPACKED, Member, decompress, pack, unpack
from copperbench.sandbox.models import Commit, FileState
from copperbench.sandbox.paths import safe_parts

FORMAT = 1
MANIFEST = "manifest.json"
_REMEDY = "restore the file from where it was published; the run cannot be graded without it"
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class EndStateArchive:
    """Both trees of a run by path, its commits (None: no repository left), notes, and where the bytes are.

    `sources` maps a SHA-256 to `fixture`, `blob` or `delta` and, but for a blob, the fixture's path.
    """

    baseline: Mapping[str, FileState]
    end: Mapping[str, FileState]
    commits: tuple[Commit, ...] | None
    notes: tuple[str, ...]
    sources: Mapping[str, tuple[str, str]]
    members: Mapping[str, Member]

    def read(self, state: FileState, fixture_tree: Path, where: str) -> bytes:
        """The bytes of a file, or the target of a link.

        Raises SealBroken when the archive does not hold what its manifest says, FixtureMismatch when the fixture's
        tree is not the one that the run was sealed against.
        """
        kind, path = self.sources.get(state.sha256, ("", ""))
        if kind == "fixture":
            return _fixture_file(fixture_tree, path, state.sha256)
        member = self.members.get(f"{kind}s/{state.sha256}")
        if member is None:
            raise SealBroken(where, f"lacks the bytes of {state.path!r}", _REMEDY)
        data = member.data
        if kind == "delta":
            data = decompress(data, state.size, where, _fixture_file(fixture_tree, path))
        if len(data) != state.size or hashlib.sha256(data).hexdigest() != state.sha256:
            raise SealBroken(where, f"holds other bytes for {state.path!r} than its digest says", _REMEDY)
        return data


def pack_end_state(
    baseline: Mapping[str, FileState],
    end: Mapping[str, FileState],
    contents: Mapping[str, bytes],
    fixture: Mapping[str, bytes],
    commits: tuple[Commit, ...] | None,
    notes: Iterable[str],
) -> bytes:
    """The archive of two trees; `contents` by SHA-256, `fixture` the fixture's files by path. Equal trees, equal bytes.

    A file whose bytes the fixture has anywhere is named, not stored. One that has a version in the fixture is stored
    as its difference: a one-line edit of a megabyte sheet costs some hundred bytes.
    """
    at_home = {}
    for path in sorted(fixture, reverse=True):
        at_home[hashlib.sha256(fixture[path]).hexdigest()] = path
    sources: dict[str, tuple[str, str]] = {}
    members: dict[str, Member] = {}
    for state in (*baseline.values(), *end.values()):
        digest = state.sha256
        if state.kind == "special" or digest in sources:
            continue
        if digest in at_home:
            sources[digest] = ("fixture", at_home[digest])
            continue
        data = contents[digest]
        delta = _delta(data, fixture[state.path]) if state.path in fixture else None
        kind = "delta" if delta is not None else "blob"
        sources[digest] = (kind, state.path if delta is not None else "")
        members[f"{kind}s/{digest}"] = Member(data if delta is None else delta)
    manifest = {
        "format": FORMAT,
        "baseline": [_state_json(state) for state in baseline.values()],
        "end": [_state_json(state) for state in end.values()],
        "commits": None if commits is None else [_commit_json(commit) for commit in commits],
        "notes": sorted(notes),
        "sources": {digest: {"from": kind, "path": path} for digest, (kind, path) in sources.items()},
    }
    return pack({MANIFEST: Member(json_bytes(manifest)), **members}, first=MANIFEST)


def parse_end_state(data: bytes, where: str) -> EndStateArchive:
    """Open an archive that anyone may have written.

    Raises SealBroken for everything that `pack_end_state` would not have made: paths out of the tree, a path twice,
    members that no file needs, more than 1 GiB in all.
    """
    members = unpack(data, where)
    manifest = members.pop(MANIFEST, None)
    if manifest is None:
        raise SealBroken(where, f"holds no {MANIFEST}", _REMEDY)
    try:
        value = json.loads(manifest.data)
        if value["format"] != FORMAT:
            raise ValueError(f"format {value['format']!r}")
        baseline, end = _states(value["baseline"]), _states(value["end"])
        sources = {str(digest): _source(digest, each) for digest, each in value["sources"].items()}
        commits = None if value["commits"] is None else tuple(_commit(each) for each in value["commits"])
        notes = tuple(str(note) for note in value["notes"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SealBroken(f"{where}: {MANIFEST}", f"is not what a seal holds ({str(error)[:200]})", _REMEDY) from error
    expected = {f"{kind}s/{digest}" for digest, (kind, _) in sources.items() if kind != "fixture"}
    if expected != set(members):
        stray = sorted(expected ^ set(members))[0]
        raise SealBroken(where, f"its manifest and its members disagree about {stray!r}", _REMEDY)
    return EndStateArchive(baseline, end, commits, notes, sources, members)


def _delta(data: bytes, base: bytes) -> bytes | None:
    """The zstd frame of `data` with `base` as its dictionary, where that is worth it."""
    import zstandard

    if not data or not base:
        return None
    sizes = {"source_size": len(data), "dict_size": len(base)}
    sizes["window_log"] = min(27, max(10, max(len(data), len(base)).bit_length() + 1))
    usual = zstandard.ZstdCompressionParameters.from_level(LEVEL, **sizes)
    # zstd indexes only the last 8 << hash_log bytes of a dictionary: with its usual table, half of a big board
    table = max(usual.hash_log, len(base).bit_length() - 3)
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, hash_log=table, write_checksum=True, **sizes)
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    frame = bytes(zstandard.ZstdCompressor(dict_data=known, compression_params=parameters).compress(data))
    return frame if len(frame) < len(data) // 2 else None


def _fixture_file(tree: Path, path: str, digest: str | None = None) -> bytes:
    parts = safe_parts(path) or ("",)
    place = tree.joinpath(*parts)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise FixtureMismatch(place, f"cannot be read ({error.strerror})", "obtain the fixture again") from error
    if digest is not None and hashlib.sha256(data).hexdigest() != digest:
        raise FixtureMismatch(place, "is not the file that the run was sealed against", "obtain the fixture again")
    return data


def _state_json(state: FileState) -> dict[str, Any]:
    kind = {} if state.kind == "file" else {"kind": state.kind}
    mode = {} if state.mode == 0o644 else {"mode": f"{state.mode:04o}"}
    return {"path": state.path, "sha256": state.sha256, "size": state.size, **kind, **mode}


def _commit_json(commit: Commit) -> dict[str, Any]:
    return {"sha": commit.sha, "parents": list(commit.parents), "message": commit.message}


def _states(values: list[Mapping[str, Any]]) -> dict[str, FileState]:
    states: dict[str, FileState] = {}
    total = 0
    for each in values:
        path, kind, mode, size = each["path"], each.get("kind", "file"), each.get("mode", "0644"), each["size"]
        if not isinstance(path, str) or safe_parts(path) is None or path in states:
            raise ValueError(f"path {path!r}")
        if kind not in ("file", "symlink", "special") or mode not in ("0644", "0755"):
            raise ValueError(f"kind or mode of {path!r}")
        if not isinstance(size, int) or not 0 <= size <= MAX_UNPACKED:
            raise ValueError(f"size of {path!r}")
        total += size
        if total > MAX_UNPACKED:
            raise ValueError(f"more than {MAX_UNPACKED} bytes")
        states[path] = FileState(path, kind, int(mode, 8), _digest(each["sha256"]), size)
    # a file in the place of a folder could not be written out, and a walk cannot have found it
    folders = {path[: at + 1].rstrip("/") for path in states for at, letter in enumerate(path) if letter == "/"}
    if folders & set(states):
        raise ValueError(f"{min(folders & set(states))!r} is a file and a folder")
    return states


def _source(digest: Any, value: Mapping[str, Any]) -> tuple[str, str]:
    kind, path = value["from"], value["path"]
    _digest(digest)
    if kind not in ("fixture", "blob", "delta") or not isinstance(path, str):
        raise ValueError(f"source of {digest}")
    if kind != "blob" and safe_parts(path) is None:
        raise ValueError(f"path {path!r}")
    return kind, path


def _commit(value: Mapping[str, Any]) -> Commit:
    return Commit(str(value["sha"]), tuple(str(each) for each in value["parents"]), str(value["message"]))


def _digest(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 64 or not set(value) <= _HEX:
        raise ValueError(f"digest {value!r}")
    return value
