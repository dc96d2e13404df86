"""Project files: settings, library tables, kicad-cli calls."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import footprints, symbols
from .schematic import Project
from .sexpr import Node, Q, dump


def cli(*args: str | Path) -> None:
    """Run kicad-cli with settings of its own, so that nothing of the host's leaks in. RuntimeError when it fails."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home, "KICAD_CONFIG_HOME": f"{home}/config", "TZ": "UTC", "LC_ALL": "C"}
        done = subprocess.run(
            [os.environ.get("COPPERBENCH_KICAD_CLI") or "kicad-cli", *map(str, args)],
            env=env,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"kicad-cli {args[0]} {args[1]}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def netclass(name: str, *, track: float = 0.2, gap: float = 0.2, priority: int = 2147483647) -> dict[str, Any]:
    """A net class; the one named Default keeps the default priority."""
    colours = {"pcb_color": "rgba(0, 0, 0, 0.000)", "schematic_color": "rgba(0, 0, 0, 0.000)"}
    pair = {"diff_pair_gap": gap, "diff_pair_via_gap": 0.25, "diff_pair_width": track}
    sizes = {
        "clearance": 0.2,
        "track_width": track,
        "via_diameter": 0.6,
        "via_drill": 0.3,
        "microvia_diameter": 0.3,
        "microvia_drill": 0.1,
    }
    return (
        {"name": name, "priority": priority, "bus_width": 12, "wire_width": 6, "line_style": 0, "tuning_profile": ""}
        | colours
        | pair
        | sizes
    )


def settings(
    project: Project,
    variables: Mapping[str, str],
    classes: list[dict[str, Any]],
    patterns: Mapping[str, str],
    rules: Mapping[str, float],
) -> str:
    """The .kicad_pro file; severities stay at KiCad's defaults. `patterns` maps net name patterns to classes."""
    found = [item for sheet in project.sheets for item in sheet.items if item[0] == "sheet"]
    sheets = [
        [next(x[1] for x in s if x[0] == "uuid"), next(x[2] for x in s if x[:2] == ["property", "Sheetname"])]
        for s in found
    ]
    design = {
        "defaults": {},
        "diff_pair_dimensions": [],
        "drc_exclusions": [],
        "meta": {"version": 2},
        "rules": rules,
        "track_widths": [],
        "via_dimensions": [],
    }
    nets = {
        "classes": classes,
        "meta": {"version": 5},
        "net_colors": None,
        "netclass_assignments": None,
        "netclass_patterns": [{"netclass": c, "pattern": p} for p, c in patterns.items()],
    }
    data = {
        "board": {"design_settings": design},
        "boards": [],
        "erc": {"erc_exclusions": [], "meta": {"version": 0}},
        "libraries": {"pinned_footprint_libs": [], "pinned_symbol_libs": []},
        "meta": {"filename": f"{project.name}.kicad_pro", "version": 3},
        "net_settings": nets,
        "pcbnew": {"page_layout_descr_file": ""},
        "schematic": {"legacy_lib_dir": "", "legacy_lib_list": []},
        "sheets": [[project.sheets[0].uid("sheet"), "Root"], *sheets],
        "text_variables": variables,
    }
    return json.dumps(data, indent=2, sort_keys=True) + "\n"


def save(project: Project, parts: Iterable[footprints.Footprint], config: str, folder: Path) -> None:
    """Write everything but the board: sheets, libraries, library tables, settings."""
    lib, pretty = project.library, folder / f"{project.library}.pretty"
    pretty.mkdir(parents=True, exist_ok=True)
    texts = {f"{project.name}.kicad_pro": config, f"{lib}.kicad_sym": symbols.library_text(project.symbols.values())}
    texts |= {f"{lib}.pretty/{fp.name}.kicad_mod": footprints.library_text(fp) for fp in parts}
    texts |= {sheet.file: sheet.text_form() for sheet in project.sheets}
    for kind, file in (("sym", f"{lib}.kicad_sym"), ("fp", f"{lib}.pretty")):
        uri = Q("${KIPRJMOD}/" + file)
        entry: Node = [
            "lib",
            ["name", Q(lib)],
            ["type", Q("KiCad")],
            ["uri", uri],
            ["options", Q("")],
            ["descr", Q("")],
        ]
        texts[f"{kind}-lib-table"] = dump([f"{kind}_lib_table", ["version", "7"], entry])
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
