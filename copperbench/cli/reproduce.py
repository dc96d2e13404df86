"""`copperbench reproduce`: grade a published campaign again from its sealed evidence, and say what differs."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from copperbench.records import RecordPlace
    from copperbench.records.reproduce import Reproduced
    from copperbench.reporting import HandEdit
    from copperbench.suite import Suite

STATUSES = ("identical", "differs", "broken", "skipped")


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a campaign: its runs, whether there is a leaderboard, and its first line that they do not give."""

    name: str
    found: list[Reproduced]
    page: bool
    edit: HandEdit | None

    @property
    def counts(self) -> dict[str, int]:
        """How many runs came out in which way."""
        return {status: sum(each.status == status for each in self.found) for status in STATUSES}

    @property
    def identical(self) -> bool:
        """Whether all that could be graded is as it was published, and something could be."""
        counts = self.counts
        spoiled = counts["differs"] or counts["broken"] or self.edit is not None or not self.page
        return counts["identical"] > 0 and not spoiled

    @property
    def leaderboard(self) -> str:
        """The leaderboard in a word."""
        return ("differs" if self.edit else "identical") if self.page else "missing"


def command(
    campaign: Annotated[Path, typer.Argument(help="results/<date>, as it was published.")],
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
    fixtures: Annotated[Path | None, typer.Option(help="The folder of fixtures (default: fixtures/).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Verify every digest of a campaign, grade its runs again, and regenerate the leaderboard. Writes nothing.

    Needs no key, no network and no kicad-cli: KiCad's reports are part of the evidence. Runs on third-party boards
    that are not here are skipped and named. Exit code 0 when all that was graded is identical, 1 when anything
    differs or nothing could be graded; of a field that differs, what was published ("was") and what a grading gives
    now ("is").
    Example: copperbench reproduce results/2026-01-02
    """
    from copperbench.suite import load_suite

    suite = load_suite(root)
    date, places = _places(campaign, root)
    found = _reproduce(suite, places, fixtures or root / "fixtures", root, date)
    outcome = _Outcome(f"results/{date}", found, *_page(root, suite, found))
    (_print_json if as_json else _print)(outcome)
    if not outcome.identical:
        raise typer.Exit(1)


def _places(campaign: Path, root: Path) -> tuple[str, list[RecordPlace]]:
    import os
    import re

    from copperbench.errors import CopperbenchError
    from copperbench.records import record_places

    name = os.path.relpath(os.path.normpath(root.absolute() / campaign), os.path.normpath(root.absolute()))
    match = re.fullmatch(r"results[/\\](\d{4}-\d\d-\d\d)", name)
    if match is None or not (root / name).is_dir() or (root / name).is_symlink():
        raise CopperbenchError(campaign, "is no campaign's folder", "name results/<date> of the checkout")
    places = list(record_places(root, f"{match[1]}/*/*"))
    if not places:
        raise CopperbenchError(campaign, "holds no record and no sealed run", "name a campaign that was published")
    return match[1], places


def _reproduce(suite: Suite, places: list[RecordPlace], fixtures: Path, root: Path, date: str) -> list[Reproduced]:
    from copperbench.records.reproduce import Reproducer, strays

    reproducer = Reproducer(suite, fixtures)
    found: list[Reproduced] = list(strays(root, date))
    for number, place in enumerate(places, 1):
        _progress(number, len(places))
        found.append(reproducer.reproduce(place))
    return found


def _progress(number: int, total: int) -> None:
    """One line that counts up, for people only."""
    if sys.stderr.isatty():
        end = "\n" if number == total else ""
        print(f"\rgrading run {number} of {total}", end=end, file=sys.stderr, flush=True)


def _page(root: Path, suite: Suite, found: list[Reproduced]) -> tuple[bool, HandEdit | None]:
    """Whether there is a leaderboard, and the first line of it that the runs as graded now do not give."""
    from copperbench.reporting.reproduction import check_page

    try:
        text = (root / "LEADERBOARD.md").read_bytes().decode("utf-8", "replace")
    except OSError:
        return False, None
    graded = {each.record: each.data for each in found if each.data is not None}
    return True, check_page(text, root, suite, graded)


def _print(outcome: _Outcome) -> None:
    for each in outcome.found:
        if each.status == "differs":
            for detail in each.details:
                print(f"{each.record}: {detail}", file=sys.stderr)
        elif each.status == "broken":
            print(f"broken: {each.details[0]}", file=sys.stderr)
    skipped = Counter(each.details[0] for each in outcome.found if each.status == "skipped")
    for reason, runs in sorted(skipped.items()):
        print(f"skipped {runs} run(s): {reason}", file=sys.stderr)
    if (edit := outcome.edit) is not None:
        what = f"has {edit.found!r} where the records give {edit.expected!r}"
        print(f"LEADERBOARD.md:{edit.line}: {what}; run `copperbench leaderboard`", file=sys.stderr)
    print(f"{outcome.name}: " + ", ".join(f"{count} {status}" for status, count in outcome.counts.items()))
    print(f"LEADERBOARD.md: {outcome.leaderboard}")
    print("identical" if outcome.identical else "not identical")


def _print_json(outcome: _Outcome) -> None:
    from copperbench.publish import json_bytes

    records: list[dict[str, Any]] = [
        {"record": each.record, "status": each.status, "details": list(each.details)} for each in outcome.found
    ]
    board: dict[str, Any] = {"status": outcome.leaderboard}
    if (edit := outcome.edit) is not None:
        board |= {"line": edit.line, "found": edit.found, "expected": edit.expected}
    value = {
        "campaign": outcome.name,
        "identical": outcome.identical,
        "counts": outcome.counts,
        "records": records,
        "leaderboard": board,
    }
    sys.stdout.write(json_bytes(value).decode("ascii"))
