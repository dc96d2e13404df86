"""The tables of fixtures/FIXTURES.md that the manifests decide (STANDARD 13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from copperbench.suite import TIERS, Fixture, Suite

_HEAD = (
    "| fixture | tier | sheets / symbols | licence | availability | ERC errors / warnings | DRC errors / warnings "
    "| unconnected / parity |\n|---|---|---|---|---|---|---|---|\n"
)
_HASHES = "| fixture | canonical hash of `tree/` |\n|---|---|\n"


def fixture_regions(suite: Suite) -> Mapping[str, Callable[[], str]]:
    """The regions `boards` and `board-hashes` and what makes each: the boards that are no variants, by tier and size.

    Raises CopperbenchError for a manifest that cannot be read.
    """
    every = [suite.fixture(name) for name in suite.fixture_ids()]
    boards = sorted(
        (each for each in every if each.variant is None),
        key=lambda each: (TIERS.index(each.complexity), each.scale["symbols"], each.id),
    )
    return {
        "boards": lambda: _HEAD + "".join(map(_board, boards)),
        "board-hashes": lambda: _HASHES + "".join(map(_hash, boards)),
    }


def _board(fixture: Fixture) -> str:
    upstream, drc = fixture.upstream, fixture.drc
    packaged = ", out of a package" if upstream is not None and upstream.package is not None else ""
    quoted = _quoted(fixture)
    cells = (
        f"`{fixture.id}`",
        fixture.complexity,
        f"{fixture.scale['sheets']} / {fixture.scale['symbols']}",
        "Apache-2.0, our own" if upstream is None else upstream.license,
        f"{fixture.availability}{packaged}",
        f"{fixture.erc.errors} / {fixture.erc.warnings}{quoted}",
        "no board" if drc is None else f"{drc.errors} / {drc.warnings}{quoted}",
        "no board" if drc is None else f"{drc.unconnected_items} / {drc.schematic_parity}{quoted}",
    )
    return f"| {' | '.join(cells)} |\n"


def _hash(fixture: Fixture) -> str:
    return f"| `{fixture.id}` | `{fixture.sha256}`{_quoted(fixture)} |\n"


def _quoted(fixture: Fixture) -> str:
    """What is added to figures that were published elsewhere and not measured here."""
    return ", as published" if fixture.availability == "published-only" else ""
