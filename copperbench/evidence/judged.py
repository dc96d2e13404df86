"""KiCad's sealed judgement of an end state, as grading reads it (STANDARD 4)."""

from __future__ import annotations

import json
from dataclasses import dataclass

from copperbench.errors import CopperbenchError, SealBroken
from copperbench.kicad import Report
from copperbench.publish import SELF_DIGEST, is_whole

FORMAT = 1
_REMEDY = "restore the file, or move it aside"


@dataclass(frozen=True, slots=True)
class Unloadable:
    """The design no longer loads, or kicad-cli cannot get through it though it gets through the fixture's own."""

    reason: str


@dataclass(frozen=True, slots=True)
class VerifyReports:
    """KiCad's two reports on an end state; `drc` is None for a fixture without a board.

    `end_state` is the digest of the tree they were made of.
    """

    kicad_version: str
    end_state: str
    erc: Report | Unloadable
    drc: Report | Unloadable | None


def read_verify(data: bytes, where: str = "verify.json") -> VerifyReports:
    """Read a sealed `verify.json`. Raises SealBroken when it is not what `verify` writes."""
    try:
        body = json.loads(data)
        if not isinstance(body, dict) or body.get("format") != FORMAT:
            raise SealBroken(where, f"is no verify.json of format {FORMAT}", _REMEDY)
        if SELF_DIGEST not in body or not is_whole(data, body):
            raise SealBroken(where, "has changed since it was sealed (its own digest is another)", _REMEDY)
        erc = _read(body["erc"], f"{where}: $.erc")
        drc = _read(body["drc"], f"{where}: $.drc") if body["drc"] is not None else None
        return VerifyReports(str(body["kicadCliVersion"]), str(body["endState"]), erc, drc)
    except SealBroken:
        raise
    except (ValueError, KeyError, RecursionError, CopperbenchError) as error:
        raise SealBroken(where, f"cannot be read ({error})", _REMEDY) from error


def _read(value: object, where: str) -> Report | Unloadable:
    if isinstance(value, dict) and isinstance(value.get("unloadable"), str):
        return Unloadable(value["unloadable"])
    return Report.from_json(value, where)
