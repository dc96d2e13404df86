"""KiCad's files, read without KiCad: schematics, netlists, boards; and kicad-cli where a second opinion is wanted."""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.kicad.baseline import CEILING, Comparison, Finding, new_violations
    from copperbench.kicad.board import Board, Footprint, Pad, load_board
    from copperbench.kicad.buses import parse_bus
    from copperbench.kicad.changes import NetlistChange, PartChange, PinMove, compare_netlists
    from copperbench.kicad.cli import DesignUnloadable, KicadCli, find_kicad_cli, require_kicad_cli
    from copperbench.kicad.measure import Measured, baseline_block, measure, read_baseline, report_counts
    from copperbench.kicad.netlister import netlist
    from copperbench.kicad.nets import Net, Netlist
    from copperbench.kicad.render import netlist_json, symbols_json
    from copperbench.kicad.reports import Report, Severity, Violation
    from copperbench.kicad.schematic import NameUse, Schematic, Sheet, Symbol, SymbolPin, load_schematic
    from copperbench.kicad.sexpr import Node, read_list, read_small

__all__ = [
    "CEILING",
    "Board",
    "Comparison",
    "DesignUnloadable",
    "Finding",
    "Footprint",
    "KicadCli",
    "Measured",
    "NameUse",
    "Net",
    "Netlist",
    "NetlistChange",
    "Node",
    "Pad",
    "PartChange",
    "PinMove",
    "Report",
    "Schematic",
    "Severity",
    "Sheet",
    "Symbol",
    "SymbolPin",
    "Violation",
    "baseline_block",
    "compare_netlists",
    "find_kicad_cli",
    "load_board",
    "load_schematic",
    "measure",
    "netlist",
    "netlist_json",
    "new_violations",
    "parse_bus",
    "read_baseline",
    "read_list",
    "read_small",
    "report_counts",
    "require_kicad_cli",
    "symbols_json",
]

__getattr__ = on_demand(__name__)
