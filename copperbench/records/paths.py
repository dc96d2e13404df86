"""Where records lie: `results/<date>/<model>/<task>/run-<n>.json`, and nowhere else (STANDARD 12)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError

_PATTERN = re.compile(
    r"results/(?P<date>\d{4}-\d\d-\d\d)/(?P<model>[a-z0-9][a-z0-9-]*(?:\+[a-z0-9-]+)*)"
    r"/(?P<task>[a-z0-9][a-z0-9-]*)/run-(?P<n>[1-9]\d*)\.json"
)
RUN_JSON = "run.json"


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """The place of one record; `name` is its path relative to the checkout at `root`."""

    root: Path
    name: str
    campaign: str
    model: str
    task: str
    repeat: int

    @property
    def path(self) -> Path:
        """The record itself."""
        return self.root / self.name

    @property
    def folder(self) -> Path:
        """The folder of its sealed evidence."""
        return self.path.with_suffix("")

    @property
    def judgement(self) -> Path:
        """A model's judgement of the run, where one was asked for (STANDARD 11)."""
        return self.path.with_suffix(".rubric.json")

    @property
    def is_sealed(self) -> bool:
        """Whether the evidence is there and complete: `run.json` is published last."""
        return (self.folder / RUN_JSON).is_file()


def record_place(path: Path, root: Path) -> RecordPlace:
    """The place that `path` names, absolute or relative to the checkout. Raises CopperbenchError when it is none."""
    absolute = os.path.normpath(root.absolute() / path)
    name = os.path.relpath(absolute, os.path.normpath(root.absolute())).replace(os.sep, "/")
    found = place_of(name, root)
    if found is None:
        form = "name results/<date>/<model>/<task>/run-<n>.json in the checkout"
        raise CopperbenchError(path, "is no record's path", form)
    return found


def place_of(name: str, root: Path) -> RecordPlace | None:
    """The place with this path relative to the checkout, None where no record can lie."""
    match = _PATTERN.fullmatch(name)
    if match is None:
        return None
    return RecordPlace(root, name, match["date"], match["model"], match["task"], int(match["n"]))


def record_places(root: Path, pattern: str = "*/*/*") -> Iterator[RecordPlace]:
    """Every place under `root/results` with a record or sealed evidence, in a fixed order.

    `pattern` narrows it down: campaign, model and task as a glob.
    """
    found = {path.relative_to(root).as_posix() for path in root.glob(f"results/{pattern}/run-*.json")}
    sealed = root.glob(f"results/{pattern}/run-*/{RUN_JSON}")
    found |= {f"{path.parent.relative_to(root).as_posix()}.json" for path in sealed}
    for name in sorted(found):
        place = place_of(name, root)
        if place is not None:
            yield place
