"""From the groups of every sheet to the nets of the design: merging by name, hierarchy, buses, final names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from copperbench.kicad.geometry import Joined
from copperbench.kicad.groups import Group, GroupBuilder, Priority, refuse_excess
from copperbench.kicad.merging import merged
from copperbench.kicad.nets import Net, Netlist
from copperbench.kicad.schematic import Schematic
from copperbench.kicad.text import natural

MOST_DRAWINGS = 20
"""How often the most that buses may stand for together may be drawn."""

_TWO_BUSES = "the net is a member of two buses of different names"
_TWO_GLOBALS = "two global names meet only through sheet pins"
_MIXED = "a bus meets a plain name, a pin or a bus of other members"
_CLEARED = "a rule area takes parts off the board, and which depends on the extent of their texts"
_TWINS = "several nets have the same weak name, and one keeps it without a suffix"


class _Member(NamedTuple):
    """A net of a bus of the design: its place among all things that may be nets, and its full name."""

    thing: int
    name: str


@dataclass(slots=True)
class _Class:
    """Groups and bus members that are one net."""

    groups: list[Group] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    heads: list[Group] = field(default_factory=list)
    outdone: set[str] = field(default_factory=set)
    doubt: str = ""


def netlist(schematic: Schematic) -> Netlist:
    """Decide every net of a schematic, its name and its pins, as `kicad-cli sch export netlist` does (STANDARD 3).

    Raises KicadFileError for a design whose buses stand for an absurd number of nets.
    """
    return _Resolver(merged(list(GroupBuilder(schematic).groups())), schematic).netlist()


class _Resolver:
    """Joins the groups of all sheets into nets and names them.

    Chains are groups that sheet pins and global names join. A chain that is a bus has members; a member and the
    nets that bear its name on a sheet of the chain are one net. Groups and members are numbered together. A bus
    member names its net, unless a chain of plain nets in it is headed by a group that is on no bus itself.
    """

    def __init__(self, groups: list[Group], schematic: Schematic) -> None:
        # one bus may be drawn often, but every drawing of it costs as much as its members
        drawn = sum(len(driver.bus.members) for group in groups for driver in group.drivers if driver.bus)
        refuse_excess(drawn // MOST_DRAWINGS, schematic)
        self.groups = groups
        self.chains = Joined(len(groups))
        self._link_hierarchy()
        self._link_globals()
        self.members: dict[int, dict[int | str, _Member]] = {}
        self.heads: dict[int, int] = {}
        things = len(groups)
        for root, chain in self.chains.sets(range(len(groups))).items():
            head = min(chain, key=lambda index: _standing(groups[index]))
            best = groups[head]
            if best.bus is None:
                self.heads[root] = head
            else:
                refuse_excess(things - len(groups) + len(best.bus.members), schematic)
                self.members[root] = {
                    member.key: _Member(thing, best.prefix + member.name)
                    for thing, member in enumerate(best.bus.members, things)
                }
                things += len(best.bus.members)
        self.joined = Joined(things)
        self.outdone: dict[int, str] = {}
        self.doubts = {
            index: _CLEARED for index, group in enumerate(groups) if group.pins and group.instance.drawing.clears_board
        }
        self.on_buses: set[int] = set()

    def netlist(self) -> Netlist:
        """Name every class of groups and collect its pins."""
        for index in range(len(self.groups)):
            self.joined.join(index, self.chains.find(index))
        self._link_members()
        return _collected(self._classes())

    def _link_hierarchy(self) -> None:
        """A sheet's pin joins the label of its name inside, be one a bus and the other not: the chain is one kind."""
        ports: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            for name in group.ports:
                ports[group.instance.index, name].append(index)
        for index, group in enumerate(self.groups):
            for child, name in group.sheet_pins:
                for port in ports.get((child, name), ()):
                    self.chains.join(index, port)

    def _link_globals(self) -> None:
        first: dict[tuple[str, str], int] = {}
        for index, group in enumerate(self.groups):
            for driver in group.drivers:
                if driver.priority >= Priority.GLOBAL_POWER:
                    self.chains.join(index, first.setdefault((group.kind, driver.name), index))

    def _link_members(self) -> None:
        """Join bus members to the nets of their name on each sheet, and to members of other buses drawn there.

        Where two buses of a sheet hold a name and one of them is named from elsewhere, that name wins. Torn buses
        alone do not join each other.
        """
        nets: dict[tuple[int, str], list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            if group.kind == "net":
                for driver in group.joining():
                    nets[group.instance.index, driver.name].append(index)
        drawn: dict[tuple[int, str], list[_Member]] = defaultdict(list)
        mattering: set[tuple[str, int | str]] = set()
        anchored = set(nets)
        prefixes: dict[int, str] = {}
        for index, group in enumerate(self.groups):
            members = self.members.get(self.chains.find(index))
            prefixes[group.instance.index] = group.instance.prefix
            for driver in [group.driver] if group.torn else group.joining() if members else ():
                for place in driver.bus.members if driver.bus else ():
                    member = members.get(place.key) if members else None
                    if member is not None:
                        key = group.instance.index, place.name
                        drawn[key].append(member)
                        if not group.torn:
                            anchored.add(key)
                        if group.promoted and group.twin and key in nets:
                            mattering.add((group.twin, place.key))
        for sheet, name in drawn.keys() & anchored:
            same = drawn[sheet, name]
            self.joined.join_all([member.thing for member in same] + nets.get((sheet, name), []))
            self.on_buses.update(nets.get((sheet, name), ()))
            if len({member.name for member in same}) > 1:
                self.outdone[same[0].thing] = prefixes[sheet] + name
        self._doubt_twins(mattering)
        self._doubt_mixtures(nets, drawn)

    def _doubt_twins(self, places: set[tuple[str, int | str]]) -> None:
        """Mark what depends on which of several equal weak names KiCad leaves alone; `places` are bus members."""
        names = {group.twin for group in self.groups if group.twin_matters}
        for index, group in enumerate(self.groups):
            if group.twin in names:
                self.doubts[index] = _TWINS
            members = self.members.get(self.chains.find(index), {}) if group.twin else {}
            for key, member in members.items():
                if (group.twin, key) in places:
                    self.doubts[member.thing] = _TWINS

    def _doubt_mixtures(
        self, nets: Mapping[tuple[int, str], list[int]], drawn: Mapping[tuple[int, str], list[_Member]]
    ) -> None:
        """Mark what hangs on chains where a bus meets what is none: which of them gives way is KiCad's order."""
        bearers: dict[str, list[int]] = defaultdict(list)
        for index, group in enumerate(self.groups):
            for name in group.global_names():
                bearers[name].append(index)
        bus_of = {member.thing: members for members in self.members.values() for member in members.values()}
        for root, chain in self.chains.sets(range(len(self.groups))).items():
            groups = [self.groups[index] for index in chain]
            if any(group.mixed for group in groups) or len({group.kind for group in groups}) > 1:
                buses = {id(self.members.get(root)): self.members.get(root, {})}
                touched = set(chain)
                for sheet, driver in {(group.instance.index, driver) for group in groups for driver in group.drivers}:
                    if driver.priority >= Priority.GLOBAL_POWER:
                        touched.update(bearers[driver.name])
                    for member in driver.bus.members if driver.bus else ():
                        touched.update(nets.get((sheet, member.name), ()))
                    met = (bus_of[member.thing] for member in drawn.get((sheet, driver.name), ()))
                    buses |= {id(members): members for members in met}
                touched.update(member.thing for members in buses.values() for member in members.values())
                self.doubts |= dict.fromkeys(touched, _MIXED)

    def _classes(self) -> Iterator[_Class]:
        names = {member.thing: member.name for members in self.members.values() for member in members.values()}
        for things in self.joined.sets(range(len(self.groups) + len(names))).values():
            found = _Class()
            for thing in things:
                if thing < len(self.groups):
                    found.groups.append(self.groups[thing])
                else:
                    found.names.add(names[thing])
                if self.heads.get(thing, thing) not in self.on_buses and thing in self.heads:
                    found.heads.append(self.groups[self.heads[thing]])
                if thing in self.outdone:
                    found.outdone.add(self.outdone[thing])
                found.doubt = found.doubt or self.doubts.get(thing, "")
            if found.groups:
                yield found


def _collected(classes: Iterable[_Class]) -> Netlist:
    """Nets of one name are one net."""
    pins: dict[str, set[tuple[str, str]]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    doubts: dict[str, str] = {}
    for found in classes:
        name, doubt = _named(found)
        pins[name].update(*(group.nodes for group in found.groups))
        names[name] |= {name, name.removeprefix("/"), *_carried(found.groups)}
        if doubt:
            doubts[name] = doubt
    nets = tuple(
        Net(
            name=name,
            pins=tuple(sorted(pins[name], key=lambda pin: (natural(pin[0]), natural(pin[1])))),
            names=frozenset(names[name]),
            ambiguous=name in doubts,
            ambiguity=doubts.get(name, ""),
        )
        for name in sorted((name for name in pins if pins[name]), key=natural)
    )
    return Netlist(nets, tuple(f"{net.name}: {net.ambiguity}" for net in nets if net.ambiguous))


def _named(found: _Class) -> tuple[str, str]:
    """The name of a net, and the doubt about it if there is one."""
    best = min(found.groups, key=_standing)
    everywhere = [group.global_names() for group in found.groups]
    if any(everywhere):
        names = set().union(*everywhere)
        bridges = [group for group, own in zip(found.groups, everywhere, strict=True) if own == names]
        plain = bool(bridges) and not (found.names and len(names) > 1)
        return min(bridges or [best], key=_standing).full_name, found.doubt or ("" if plain else _TWO_GLOBALS)
    if found.names:
        distinct = sorted({head.full_name for head in found.heads} or found.names - found.outdone or found.names)
        return distinct[0], found.doubt or (_TWO_BUSES if len(distinct) > 1 else "")
    return best.full_name, found.doubt or (_TWINS if best.twin and not best.driver.strong else "")


def _standing(group: Group) -> tuple[int, int, str]:
    """A sort key: of the groups that are one net, the one that names it comes first."""
    return -group.driver.priority, group.instance.depth, group.full_name


def _carried(groups: Iterable[Group]) -> Iterator[str]:
    for group in groups:
        for driver in group.drivers:
            if driver.priority >= Priority.HIERARCHICAL_LABEL:
                yield driver.shown
