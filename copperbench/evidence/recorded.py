"""A fixture's recorded reports: the allowlist of baseline-relative verification (STANDARD 13)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from copperbench.errors import SuiteError
from copperbench.kicad import Report
from copperbench.suite import read_bytes

ReportKind = Literal["erc", "drc"]


def recorded_reports(folder: Path) -> Mapping[ReportKind, Report]:
    """The recorded reports of a fixture, `erc.json` and `drc.json`, those that exist (STANDARD 13).

    Raises SuiteError or CopperbenchError for one that cannot be read.
    """
    kinds: tuple[ReportKind, ...] = ("erc", "drc")
    return {kind: _recorded(folder / f"{kind}.json") for kind in kinds if (folder / f"{kind}.json").exists()}


def _recorded(path: Path) -> Report:
    where = f"{path.parent.parent.name}/baseline/{path.name}"
    try:
        value = json.loads(read_bytes(path, where))
    except (ValueError, RecursionError) as error:
        raise SuiteError(where, "is not JSON", "measure the baseline again with `copperbench baseline`") from error
    return Report.from_json(value, where)
