"""KiCad's own netlist of a schematic, and ours in the same shape."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from copperbench.kicad import Netlist, read_list
from copperbench.kicad.sexpr import child, lists, value

Nets = dict[str, list[str]]


def export_nets(root: Path) -> Nets | None:
    """The nets of `kicad-cli sch export netlist`, run with a configuration of its own."""
    command = os.environ.get("COPPERBENCH_KICAD_CLI") or shutil.which("kicad-cli") or "kicad-cli"
    home = root.parent / ".kicad-home"
    home.mkdir(exist_ok=True)
    out = home / "netlist"
    out.unlink(missing_ok=True)
    variables = ("HOME", "KICAD_CONFIG_HOME", "KICAD_DOCUMENTS_HOME", "KICAD_CACHE_HOME")
    subprocess.run(
        [command, "sch", "export", "netlist", "--format", "kicadsexpr", "-o", str(out), str(root)],
        env={"PATH": os.environ["PATH"]} | dict.fromkeys(variables, str(home)),
        capture_output=True,
        check=False,
        timeout=120,
    )
    if not out.exists():
        return None
    found: dict[str, set[str]] = {}
    for net in lists(child(read_list(out.read_bytes(), str(out)), "nets") or [], "net"):
        pins = {f"{value(node, 'ref')}.{value(node, 'pin')}" for node in lists(net, "node")}
        if pins:
            found.setdefault(value(net, "name"), set()).update(pins)
    return {name: sorted(pins) for name, pins in found.items()}


def plain_nets(nets: Netlist) -> Nets:
    """A netlist of ours in the same shape."""
    return {net.name: sorted(f"{ref}.{pin}" for ref, pin in net.pins) for net in nets.nets}
