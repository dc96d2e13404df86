"""Merging on one sheet: groups that share a strong name, and weak names that must be told apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from copperbench.kicad.geometry import Joined
from copperbench.kicad.groups import Group, Priority


def merged(groups: list[Group]) -> list[Group]:
    """Merge the groups of each sheet instance that share a strong name; the groups given are used up."""
    _tell_twins_apart(groups)
    joined = Joined(len(groups))
    first: dict[tuple[int, str, str], int] = {}
    for index, group in enumerate(groups):
        for driver in group.joining():
            joined.join(index, first.setdefault((group.instance.index, group.kind, driver.name), index))
    return [_absorbed([groups[at] for at in same]) for same in joined.sets(range(len(groups))).values()]


def _tell_twins_apart(groups: list[Group]) -> None:
    """Give weak groups of equal name a suffix each but the last; promote sheet pins whose name is unique."""
    left = Counter({name: len(same) for name, same in _claims(groups).items()})
    last: dict[str, int] = defaultdict(int)
    on_sheet = {(group.instance.index, group.claimed) for group in groups}
    for group in groups:
        if group.strong:
            continue
        name = group.claimed
        crowded = max(_claimed(group), key=left.__getitem__)
        if left[crowded] > 1:
            last[name] += 1
            while f"{name}_{last[name]}" in left:
                last[name] += 1
            left[crowded] -= 1
            group.suffix = f"_{last[name]}"
            left[f"{name}{group.suffix}"] += 1
        elif group.driver.priority is Priority.SHEET_PIN:
            group.promoted = (group.instance.index, group.driver.name) not in on_sheet


def _claims(groups: Iterable[Group]) -> dict[str, list[Group]]:
    """The groups by the names they claim.

    Marks groups whose weak name others have too: which of them keeps it depends on KiCad's order.
    """
    by_name: dict[str, list[Group]] = defaultdict(list)
    for group in groups:
        for name in _claimed(group):
            by_name[name].append(group)
    for name, same in by_name.items():
        weak = [group for group in same if not group.strong]
        for group in weak if len(same) > 1 else ():
            group.torn = group.kind == "vector" and group.driver.priority is Priority.SHEET_PIN
        if len({group.nodes for group in weak}) > 1 or any(group.sheet_pins for group in weak[1:]):
            for group in weak:
                group.twin = name
    return by_name


def _claimed(group: Group) -> Iterable[str]:
    """The names that a group claims for itself: a vector bus also every other range of its prefix."""
    name = group.claimed
    return (name, f"{name.partition('[')[0]}[]") if group.kind == "vector" else (name,)


def _absorbed(same: list[Group]) -> Group:
    first = same[0]
    if len(same) > 1:
        for other in same[1:]:
            first.drivers += other.drivers
            first.pins += other.pins
            first.sheet_pins += other.sheet_pins
            first.ports += other.ports
        promoted = next((group for group in same if group.promoted), None)
        if promoted is not None:
            first.promoted, first.twin, first.twin_matters = True, promoted.twin, bool(promoted.twin)
        first.choose()
    return first
