"""KiCad's files, read without KiCad: schematics, netlists, boards; and kicad-cli where a second opinion is wanted."""

from copperbench.kicad.netlist import Net, Netlist, netlist
from copperbench.kicad.schematic import NameUse, Schematic, Sheet, Symbol, SymbolPin, load_schematic
from copperbench.kicad.sexpr import Node, read_list, read_small

__all__ = [
    "NameUse",
    "Net",
    "Netlist",
    "Node",
    "Schematic",
    "Sheet",
    "Symbol",
    "SymbolPin",
    "load_schematic",
    "netlist",
    "read_list",
    "read_small",
]
