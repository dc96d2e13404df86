"""Assertions on nets, pins and parts, read from the schematic by our own netlister (STANDARD 4, 4.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from copperbench.evidence import Evidence, Unreadable
from copperbench.grading.args import NetName, PinNet, SymbolAbsent, SymbolPresent
from copperbench.grading.models import Outcome, Source
from copperbench.grading.registry import assertion, failed, listed, passed, passed_if, unevaluable
from copperbench.kicad import NameUse, Net, Schematic, parse_bus

_BUS = re.compile(r"[\[{]")
_FULL_NAMES = ("label", "hierarchical_label", "sheet_pin")


@assertion("net_present", source=Source.END_STATE)
def net_present(args: NetName, evidence: Evidence) -> Outcome:
    """A net with at least one pin carries the name: by label, power symbol or as KiCad's full name (STANDARD 4.2).

    A label that touches nothing makes no net. Where the name depends on the order in which KiCad works, nobody
    can say, unless the baseline's net had no such doubt: then the edit made it, and it fails.
    """
    end = evidence.end_state
    found = [net for net in end.netlist().nets if carries(net, args.net)]
    drawn = list(uses(end.schematic(), args.net))
    sure = found if drawn else [net for net in found if not net.ambiguous]
    if sure:
        return passed(f"{sure[0].name} has {_pins(sure[0])}")
    if found:
        return _doubtful(found[0], found[0].pins, evidence)
    if drawn:
        return failed(f"{args.net} is drawn as {_where(drawn)}, but no pin is connected to it")
    return failed(f"no net is named {args.net}")


@assertion("net_absent", source=Source.END_STATE)
def net_absent(args: NetName, evidence: Evidence) -> Outcome:
    """Nothing of that name is left: no label, sheet pin or power symbol, dangling or not, and no net (STANDARD 4.2).

    A bus label or bus pin that has the net as a member still names it.
    """
    end = evidence.end_state
    drawn = list(uses(end.schematic(), args.net))
    if drawn:
        return failed(f"{args.net} is left as {_where(drawn)}")
    found = [net for net in end.netlist().nets if carries(net, args.net)]
    sure = [net for net in found if not net.ambiguous]
    if sure:
        return failed(f"{args.net} is left as the net {sure[0].name} with {_pins(sure[0])}")
    if found:
        return _doubtful(found[0], found[0].pins, evidence)
    return passed(f"nothing is named {args.net}")


@assertion("pin_net_equals", source=Source.END_STATE)
def pin_net_equals(args: PinNet, evidence: Evidence) -> Outcome:
    """The pin's net carries that name: KiCad's full name, a leading `/` optional, or one of its labels (STANDARD 4)."""
    end = evidence.end_state
    place = f"{args.refdes} pin {args.pin}"
    net = end.netlist().net_of(args.refdes, args.pin)
    if net is None:
        symbol = end.schematic().symbol(args.refdes)
        return failed(f"{place} is not in the netlist" if symbol else f"there is no symbol {args.refdes}")
    named = carries(net, args.net)
    if net.ambiguous and not (named and any(uses(end.schematic(), args.net))):
        return _doubtful(net, [(args.refdes, args.pin)], evidence)
    return passed_if(named, f"{place} is on {net.name}")


@assertion("symbol_present", source=Source.END_STATE)
def symbol_present(args: SymbolPresent, evidence: Evidence) -> Outcome:
    """The symbol exists, with exactly that value and footprint where they are given (STANDARD 4).

    A part of several units counts once; power symbols are no parts.
    """
    symbol = evidence.end_state.schematic().symbol(args.refdes)
    if symbol is None:
        return failed(f"there is no symbol {args.refdes}")
    wanted = (("value", args.value, symbol.value), ("footprint", args.footprint, symbol.footprint))
    wrong = [f"{name} {found!r}, not {want!r}" for name, want, found in wanted if want is not None and want != found]
    if wrong:
        return failed(f"{args.refdes}: {listed(wrong)}")
    return passed(f"{args.refdes} is {symbol.value!r}, footprint {symbol.footprint!r}")


@assertion("symbol_absent", source=Source.END_STATE)
def symbol_absent(args: SymbolAbsent, evidence: Evidence) -> Outcome:
    """No such symbol on any sheet (STANDARD 4); one that is not fitted or not on the board is there all the same."""
    symbol = evidence.end_state.schematic().symbol(args.refdes)
    if symbol is None:
        return passed(f"there is no symbol {args.refdes}")
    return failed(f"{args.refdes} is on sheet {symbol.sheet}: {symbol.value!r}")


def carries(net: Net, name: str) -> bool:
    """Whether a net bears a name, the leading `/` of KiCad's full names optional (STANDARD 4.2)."""
    bare = name.removeprefix("/")
    return not net.names.isdisjoint({name, bare, f"/{bare}", escaped(bare)})


def uses(schematic: Schematic, name: str) -> Iterator[NameUse]:
    """Everything drawn that names a net so, dangling or not: as shown, by full name, or as a member of a bus."""
    bare = name.removeprefix("/")
    member_of: dict[str, tuple[str, ...]] = {}
    aliases = dict(schematic.project.aliases)
    for instance in schematic.instances:
        aliases.update(instance.drawing.aliases)
    for use in schematic.names:
        if use.name not in member_of:
            prefix = _BUS.split(use.name, maxsplit=1)
            # Buses of other prefixes are not expanded: a hostile sheet may hold thousands of ten thousand members.
            bus = parse_bus(escaped(use.name), aliases.get) if len(prefix) > 1 and prefix[0] in bare else None
            member_of[use.name] = tuple(member.name for member in bus.members) if bus else ()
        if not {name, bare, escaped(bare)}.isdisjoint(_spellings(use, (use.name, *member_of[use.name]))):
            yield use


def escaped(shown: str) -> str:
    """The form in which a shown name stands inside a full net name."""
    return shown.replace("/", "{slash}")


def _spellings(use: NameUse, shown: Iterable[str]) -> Iterator[str]:
    for name in shown:
        yield name
        if use.kind in _FULL_NAMES:
            yield f"{use.sheet}{escaped(name)}".removeprefix("/")


def _doubtful(net: Net, pins: Iterable[tuple[str, str]], evidence: Evidence) -> Outcome:
    """Nobody can say what KiCad would call this net; whether the run is to blame, the baseline tells (STANDARD 4)."""
    try:
        before = evidence.baseline.netlist()
    except Unreadable:
        return unevaluable(f"{net.name} is ambiguous: {net.ambiguity}")
    known = [found for pin in pins if (found := before.net_of(*pin))]
    if any(found.ambiguous for found in known):
        return unevaluable(f"{net.name} is ambiguous, as in the baseline: {net.ambiguity}")
    return failed(f"the edit made {net.name} ambiguous: {net.ambiguity}")


def _pins(net: Net) -> str:
    return listed([f"{refdes}.{pin}" for refdes, pin in net.pins])


def _where(found: list[NameUse]) -> str:
    return listed([f"{use.kind} {use.name!r} on sheet {use.sheet}" for use in found], most=4)
