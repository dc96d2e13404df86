"""From the groups of every sheet to the nets of the design: merging by name, hierarchy, buses, final names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from copperbench.kicad.geometry import Joined
from copperbench.kicad.groups import Group, GroupBuilder, Priority
from copperbench.kicad.nets import Net, Netlist
from copperbench.kicad.schematic import Schematic
from copperbench.kicad.text import natural

_TWO_BUSES = "the net is a member of two buses of different names"
_TWO_GLOBALS = "two global names meet only through sheet pins"
_TWINS = "several nets have the same weak name, and one keeps it without a suffix"


@dataclass(slots=True)
class _Class:
    """Groups and bus members that are one net."""

    groups: list[Group] = field(default_factory=list)
    members: set[str] = field(default_factory=set)


def netlist(schematic: Schematic) -> Netlist:
    """Decide every net of a schematic, its name and its pins, as `kicad-cli sch export netlist` does (STANDARD 3)."""
    builder = GroupBuilder(schematic)
    groups = list(builder.groups())
    twins = _tell_twins_apart(groups)
    groups = _merge_on_sheets(groups)
    return _Resolver(groups, twins).netlist()


def _tell_twins_apart(groups: Iterable[Group]) -> set[str]:
    """Give weak groups of equal name a suffix each but the last; promote sheet pins whose name is unique.

    Returns the names that several weak groups share: which of them keeps the name depends on KiCad's order.
    """
    by_name: dict[str, list[Group]] = defaultdict(list)
    on_sheet: set[tuple[int, str]] = set()
    for group in groups:
        name = group.full_name
        by_name[name].append(group)
        on_sheet.add((group.instance.index, name))
        if group.kind == "vector":
            by_name[_vector_key(name)].append(group)
    twins = {name for name, same in by_name.items() if sum(not group.strong for group in same) > 1}
    for group in groups:
        if group.strong:
            continue
        name = group.full_name
        same = by_name[name]
        if len(same) < 2 and group.kind == "vector":
            same = by_name[_vector_key(name)]
        if len(same) > 1:
            number = 1
            while f"{name}_{number}" in by_name:
                number += 1
            same.remove(group)
            group.suffix = f"_{number}"
            by_name[f"{name}_{number}"].append(group)
        elif group.driver.priority is Priority.SHEET_PIN:
            group.promoted = (group.instance.index, group.driver.name) not in on_sheet
    return twins


def _vector_key(name: str) -> str:
    return name.partition("[")[0] + "[]"


def _merge_on_sheets(groups: list[Group]) -> list[Group]:
    """Merge the groups of each sheet instance that share a strong name."""
    joined = Joined(len(groups))
    first: dict[tuple[int, str, str], int] = {}
    for index, group in enumerate(groups):
        if group.strong:
            for name in group.strong_names():
                joined.join(index, first.setdefault((group.instance.index, group.kind, name), index))
    return [_absorb([groups[at] for at in same]) for same in joined.sets(range(len(groups))).values()]


def _absorb(same: list[Group]) -> Group:
    first = same[0]
    for other in same[1:]:
        first.drivers += other.drivers
        first.pins += other.pins
        first.sheet_pins += other.sheet_pins
        first.ports += other.ports
        first.has_bus |= other.has_bus
        first.promoted |= other.promoted
    if len(same) > 1:
        first.choose()
    return first


class _Resolver:
    """Joins merged groups over the hierarchy and names what comes out."""

    def __init__(self, groups: list[Group], twins: set[str]) -> None:
        self.groups = groups
        self.twins = twins
        self.prefixes = {group.instance.index: group.instance.prefix for group in groups}
        self.chains = Joined(len(groups))
        self._link_hierarchy()
        self._link_globals()

    def _link_hierarchy(self) -> None:
        ports: dict[tuple[int, str, str], list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            if group.strong:
                for name in group.ports:
                    ports[group.instance.index, group.kind, name].append(index)
        for index, group in enumerate(self.groups):
            for child, name in group.sheet_pins:
                for port in ports[child, group.kind, name]:
                    self.chains.join(index, port)

    def _link_globals(self) -> None:
        first: dict[tuple[str, str], int] = {}
        for index, group in enumerate(self.groups):
            for driver in group.drivers:
                if driver.priority >= Priority.GLOBAL_POWER:
                    self.chains.join(index, first.setdefault((group.kind, driver.name), index))

    def netlist(self) -> Netlist:
        """Name every class of groups and collect its pins."""
        chains = self.chains.sets(range(len(self.groups)))
        buses = {root: self._best(chain) for root, chain in chains.items() if self.groups[chain[0]].bus}
        atoms = self._member_atoms(buses)
        names = dict(atoms.values())
        joined = Joined(len(self.groups) + len(atoms))
        for index in range(len(self.groups)):
            joined.join(index, self.chains.find(index))
        outdone: set[str] = set()
        nets = self._nets_by_name()
        for (sheet, name), members in self._members_by_name(buses, atoms).items():
            joined.join_all(members)
            for net in nets.get((sheet, name), ()):
                joined.join(net, members[0])
            if len({names[member] for member in members}) > 1:
                outdone |= {own for own in map(names.__getitem__, members) if own == self.prefixes[sheet] + name}
        classes: dict[int, _Class] = defaultdict(_Class)
        for root, things in joined.sets(range(len(self.groups) + len(atoms))).items():
            for thing in things:
                if thing < len(self.groups):
                    classes[root].groups.append(self.groups[thing])
                else:
                    classes[root].members.add(names[thing])
            classes[root].members = classes[root].members - outdone or classes[root].members
        return self._collect(classes.values())

    def _best(self, chain: list[int]) -> Group:
        """The group that names a chain."""
        return min((self.groups[index] for index in chain), key=_standing)

    def _member_atoms(self, buses: Mapping[int, Group]) -> dict[tuple[int, int | str], tuple[int, str]]:
        """A number and a full name for every member of every bus of the design."""
        atoms: dict[tuple[int, int | str], tuple[int, str]] = {}
        for root, best in buses.items():
            for member in best.bus.members if best.bus else ():
                atoms[root, member.key] = len(self.groups) + len(atoms), best.prefix + member.name
        return atoms

    def _nets_by_name(self) -> Mapping[tuple[int, str], list[int]]:
        """The net groups of each sheet by their strong names."""
        found: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            if group.kind == "net" and group.strong:
                for name in group.strong_names():
                    found[group.instance.index, name].append(index)
        return found

    def _members_by_name(
        self, buses: Mapping[int, Group], atoms: Mapping[tuple[int, int | str], tuple[int, str]]
    ) -> Mapping[tuple[int, str], list[int]]:
        """The bus members of each sheet by the name that they have there; any number of buses may hold one."""
        found: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            root = self.chains.find(index)
            if root not in buses or not group.strong:
                continue
            for driver in group.drivers:
                if driver.bus is None or not (driver.strong or (group.promoted and driver is group.driver)):
                    continue
                for member in driver.bus.members:
                    atom = atoms.get((root, member.key))
                    if atom is not None:
                        found[group.instance.index, member.name].append(atom[0])
        return found

    def _collect(self, classes: Iterable[_Class]) -> Netlist:
        pins: dict[str, set[tuple[str, str]]] = defaultdict(set)
        names: dict[str, set[str]] = defaultdict(set)
        doubts: dict[str, str] = {}
        for found in classes:
            own = {pin for group in found.groups for pin in _nodes(group)}
            if not found.groups:
                continue
            name, doubt = self._name(found)
            pins[name] |= own
            names[name] |= {name, name.removeprefix("/"), *_carried(found.groups)}
            if doubt:
                doubts[name] = doubt
        nets = [
            Net(
                name,
                tuple(sorted(pins[name], key=lambda pin: (natural(pin[0]), natural(pin[1])))),
                frozenset(names[name]),
                name in doubts,
                doubts.get(name, ""),
            )
            for name in sorted(pins, key=natural)
            if pins[name]
        ]
        return Netlist(tuple(nets), tuple(f"{net.name}: {net.ambiguity}" for net in nets if net.ambiguous))

    def _name(self, found: _Class) -> tuple[str, str]:
        """The name of a net, and the doubt about it if there is one."""
        best = min(found.groups, key=_standing)
        everywhere = {d.name for g in found.groups for d in g.drivers if d.priority >= Priority.GLOBAL_POWER}
        if everywhere:
            together = any(everywhere <= {d.name for d in g.drivers} for g in found.groups)
            return best.full_name, "" if len(everywhere) == 1 or together else _TWO_GLOBALS
        if found.members:
            distinct = sorted(set(found.members))
            return distinct[0], _TWO_BUSES if len(distinct) > 1 else ""
        unsuffixed = f"{best.prefix}{best.driver.name}"
        return best.full_name, _TWINS if unsuffixed in self.twins and not best.strong else ""


def _standing(group: Group) -> tuple[int, int, str]:
    """A sort key: of the groups that are one net, the one that names it comes first."""
    return -group.driver.priority, group.instance.depth, group.full_name


def _nodes(group: Group) -> Iterator[tuple[str, str]]:
    for pin in group.pins:
        unit = pin.unit
        if not unit.refdes.startswith("#") and unit.placed.on_board and unit.instance.on_board:
            for number in pin.numbers:
                yield unit.refdes, number


def _carried(groups: Iterable[Group]) -> Iterator[str]:
    for group in groups:
        for driver in group.drivers:
            if driver.priority >= Priority.HIERARCHICAL_LABEL:
                yield driver.shown
