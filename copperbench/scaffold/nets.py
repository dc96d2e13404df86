"""What a document calls a pin's net."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copperbench.kicad import Net, Netlist

_NO_NET = "unconnected-("


def documented_net(netlist: Netlist, refdes: str, pin: str) -> str:
    """The name that a pinout gives a pin's net: KiCad's without its leading `/`; empty for a pin on no net.

    KiCad names the lone pin of a no-connect flag or of nothing at all `unconnected-(...)`: that is no net.
    """
    net = netlist.net_of(refdes, pin)
    return "" if net is None or net.name.startswith(_NO_NET) else net.name.removeprefix("/")


def right_names(net: Net | None) -> frozenset[str]:
    """Every way to write a pin's net that is right: as `documented_net`, or as KiCad writes it.

    Where KiCad itself could choose between names (an ambiguous net) each of them is right.
    """
    if net is None:
        return frozenset({""})
    names = {net.name, net.name.removeprefix("/")}
    if net.name.startswith(_NO_NET):
        names.add("")
    if net.ambiguous:
        names |= net.names
    return frozenset(names | {name.replace("{slash}", "/") for name in names})
