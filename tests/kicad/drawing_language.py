"""A small language for schematics, so that a test case is a few lines: see `edge_cases/README.md`."""

from __future__ import annotations

import json
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path

GRID_MM = 1.27
_SPACE = uuid.UUID("7a1b7b6e-5d2f-4a39-9c5e-2f6a3d0c9b10")
_RESISTOR = "symbol R ref=R 1||passive|0|2 2||passive|0|-2"


class Design:
    """A design in the making: its files, and the project's settings."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.version = 20260306
        self.files: dict[str, File] = {}
        self.project: dict[str, object] = {}
        self.symbols: dict[str, Symbol] = {}
        self.powers = 0

    def write(self, folder: Path) -> Path:
        """Write the files into `folder`; returns the root sheet."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = self.paths()
        for name, file in self.files.items():
            (folder / f"{name}.kicad_sch").write_text(file.text(paths.get(name, [])), encoding="utf-8")
        (folder / "root.kicad_pro").write_text(json.dumps(self.project), encoding="utf-8")
        return folder / "root.kicad_sch"

    def paths(self) -> dict[str, list[str]]:
        """The instance paths of every file, root first."""
        found: dict[str, list[str]] = {}
        waiting = [("root", f"/{self.uid('root')}")]
        while waiting:
            name, path = waiting.pop(0)
            found.setdefault(name, []).append(path)
            if name in self.files:
                waiting += [(file, f"{path}/{uid}") for file, uid in self.files[name].subs]
        return found

    @property
    def old(self) -> bool:
        """Whether the root sheet's table says what the symbols are called."""
        return self.version < 20221002

    def table(self) -> str:
        """The rows of that table."""
        rows = []
        for name, paths in self.paths().items():
            for _, (references, _, _, *rest), key in self.files[name].parts if name in self.files else ():
                option = dict(word.split("=", 1) for word in rest)
                names, unit = references.split(","), option.get("unit", "1")
                for at, path in enumerate(paths):
                    below = path.removeprefix(f"/{self.uid('root')}")
                    rows.append(
                        f'(path "{below}/{self.uid(name, key)}" (reference "{names[min(at, len(names) - 1)]}")'
                        f" (unit {unit}) (value {_quote(option.get('table', option.get('value', 'R')))})"
                        f' (footprint ""))'
                    )
        return " ".join(rows)

    def uid(self, *key: object) -> str:
        return str(uuid.uuid5(_SPACE, repr((self.name, *key))))


class Symbol:
    """A library symbol."""

    def __init__(self, name: str, words: list[str], version: int) -> None:
        self.name = name
        self.options = dict(word.split("=", 1) for word in words if "=" in word.split("|")[0])
        self.pins = [word.split("|") for word in words if "|" in word]
        self.version = version

    def text(self) -> str:
        option = self.options.get
        power = {"global": "(power global)", "local": "(power local)", "old": "(power)"}.get(option("power", ""), "")
        parts: dict[tuple[int, int], list[str]] = {}
        for pin in self.pins:
            number, name, kind, x, y, *flags = pin
            unit = next((int(f[1:]) for f in flags if f[0] == "u" and f[1:].isdigit()), 1)
            style = next((int(f[1:]) for f in flags if f[0] == "s" and f[1:].isdigit()), 1)
            hide = " (hide yes)" if "hide" in flags else ""
            others = "".join(
                f' (alternate "{f[4:].split(":")[0]}" {f.split(":")[1]} line)' for f in flags if f.startswith("alt=")
            )
            parts.setdefault((unit, style), []).append(
                f'(pin {kind} line (at {_mm(x)} {_mm(y)} 0) (length 0){hide} (name "{name}" (effects (font)))'
                f' (number "{number}" (effects (font))){others})'
            )
        extra = " ".join(f"({key} {option(key)})" for key in ("body_styles", "jumper_pin_groups") if option(key))
        if option("jumpers"):
            extra += " (duplicate_pin_numbers_are_jumpers yes)"
        body = " ".join(f'(symbol "{self.name}_{u}_{s}" {" ".join(pins)})' for (u, s), pins in parts.items())
        reference = option("ref", "U")
        return (
            f'(symbol "t:{self.name}" {power} {extra} (in_bom yes) (on_board yes) (property "Reference" "{reference}"'
            f' (at 0 0 0)) (property "Value" "{self.name}" (at 0 0 0)) {body})'
        )


class File:
    """One sheet file."""

    def __init__(self, design: Design, name: str) -> None:
        self.design = design
        self.name = name
        self.items: list[str] = []
        self.parts: list[tuple[str, list[str], str]] = []
        self.subs: list[tuple[str, str]] = []
        self.open_sheet: list[str] | None = None

    def text(self, paths: list[str]) -> str:
        design = self.design
        library = " ".join(symbol.text() for symbol in design.symbols.values())
        symbols = "\n".join(self._symbol(*part, paths=paths) for part in self.parts)
        items = "\n".join(self.items)
        table = f"(symbol_instances {design.table()})\n" if design.old and self.name == "root" else ""
        return (
            f'(kicad_sch (version {design.version}) (generator "eeschema") (generator_version "10.0")'
            f' (uuid "{design.uid(self.name)}") (paper "A4")\n(lib_symbols {library})\n{items}\n{symbols}\n{table}'
            f'(sheet_instances (path "/" (page "1"))))\n'
        )

    def _symbol(self, kind: str, words: list[str], key: str, *, paths: list[str]) -> str:
        references, x, y, *rest = words
        option = dict(word.split("=", 1) for word in rest)
        names = references.split(",")
        unit = option.get("unit", "1")
        placed = option.get("placed", unit)
        value = _quote(option.get("value", kind))
        variant = f'(variant (name "V") {option["variant"]})' if "variant" in option else ""
        where = "".join(
            f'(path "{path}" (reference "{names[min(at, len(names) - 1)]}") (unit {placed}) {variant})'
            for at, path in enumerate(paths)
        )
        if "foreign" in option:
            where = f'(path "/{self.design.uid("elsewhere")}" (reference "{option["foreign"]}") (unit 1)){where}'
        extra = f"(mirror {option['mirror']})" if "mirror" in option else ""
        style = f"(body_style {option['style']})" if "style" in option else ""
        attributes = " ".join(f"({k} {option[k]})" for k in ("in_bom", "on_board", "dnp") if k in option)
        fields = "".join(
            f' (property "{k[2:]}" {_quote(v)} (at 0 0 0))' for k, v in option.items() if k.startswith("f.")
        )
        pins = "".join(
            f'(pin "{k[4:]}" (uuid "{self.design.uid(key, k)}") (alternate "{v}"))'
            for k, v in option.items()
            if k.startswith("alt.")
        )
        instances = f'(instances (project "{option.get("project", "root")}" {where}))'
        if "bare" in option or self.design.old:
            instances = ""
        lib = f"t:{option.get('lib', kind)}"
        return (
            f'(symbol (lib_id "{lib}") (at {_mm(x)} {_mm(y)} {option.get("turn", "0")}) {extra} (unit {unit}) {style}'
            f' {attributes} (uuid "{self.design.uid(self.name, key)}")'
            f' (property "Reference" "{names[0]}" (at 0 0 0)) (property "Value" {value} (at 0 0 0)){fields}'
            f" {pins} {instances})"
        )


def read_design(name: str, text: str) -> Design:
    """The design that the lines of a case describe."""
    design = Design(name)
    current: File | None = None
    for count, line in enumerate([_RESISTOR, "file root", *text.splitlines()]):
        words = shlex.split(line)
        if not words or line.startswith("#"):
            continue
        verb, rest = words[0], words[1:]
        if verb == "version":
            design.version = int(rest[0])
        elif verb == "project":
            design.project = json.loads(line.split(None, 1)[1])
        elif verb == "raw":
            assert current is not None
            current.items.append(line.split(None, 1)[1])
        elif verb == "symbol":
            design.symbols[rest[0]] = Symbol(rest[0], rest[1:], design.version)
        elif verb == "file":
            current = design.files.setdefault(rest[0], File(design, rest[0]))
        else:
            assert current is not None
            _item(design, current, verb, rest, f"{count}")
    return design


def read_cases(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, sentence and lines of every case of a file; a case starts with `## name: sentence`."""
    for block in text.split("\n## ")[1:]:
        head, _, body = block.partition("\n")
        name, _, sentence = head.partition(": ")
        yield name.strip(), sentence.strip(), body


def _item(design: Design, file: File, verb: str, words: list[str], key: str) -> None:
    uid = design.uid(file.name, key)
    if verb in ("wire", "bus"):
        x1, y1, x2, y2 = map(_mm, words)
        file.items.append(f'({verb} (pts (xy {x1} {y1}) (xy {x2} {y2})) (uuid "{uid}"))')
    elif verb in ("junction", "no_connect"):
        file.items.append(f'({verb} (at {_mm(words[0])} {_mm(words[1])}) (uuid "{uid}"))')
    elif verb == "entry":
        x, y, dx, dy = map(_mm, words)
        file.items.append(f'(bus_entry (at {x} {y}) (size {dx} {dy}) (uuid "{uid}"))')
    elif verb in ("label", "global", "hier"):
        kind = {"label": "label", "global": "global_label", "hier": "hierarchical_label"}[verb]
        shape = "" if verb == "label" else "(shape input)"
        at = f"(at {_mm(words[1])} {_mm(words[2])} 0)"
        file.items.append(f'({kind} {_quote(words[0])} {shape} {at} (uuid "{uid}"))')
    elif verb == "alias":
        members = " ".join(map(_quote, words[1:]))
        file.items.append(f"(bus_alias {_quote(words[0])} (members {members}))")
    elif verb == "power":
        design.powers += 1
        kind = f"P{design.powers}"
        option = dict(word.split("=", 1) for word in words[3:])
        flags = "|hide" if "hide" in option else ""
        pin = f"1|{option.get('pin', words[0])}|{option.get('type', 'power_in')}|0|0{flags}"
        design.symbols[kind] = Symbol(kind, [f"power={option.get('kind', 'global')}", "ref=#PWR", pin], design.version)
        reference = option.get("ref", f"#PWR{design.powers:02}")
        extra = [word for word in words[3:] if word.split("=")[0] in ("on_board", "turn", "table")]
        file.parts.append((kind, [reference, words[1], words[2], f"value={words[0]}", *extra], key))
    elif verb == "sheet":
        name, target, *rest = words
        option = dict(word.split("=", 1) for word in rest)
        file.subs.append((target, uid))
        x, y = map(_mm, option.get("at", "60,60").split(","))
        attributes = " ".join(f"({k} {option[k]})" for k in ("in_bom", "on_board", "dnp") if k in option)
        fields = "".join(
            f' (property "{k[2:]}" {_quote(v)} (at 0 0 0))' for k, v in option.items() if k.startswith("f.")
        )
        file.items.append(
            f'(sheet (at {x} {y}) (size {_mm("10")} {_mm("10")}) {attributes} (uuid "{uid}")'
            f' (property "Sheetname" {_quote(name)} (at 0 0 0))'
            f' (property "Sheetfile" "{target}.kicad_sch" (at 0 0 0)){fields})'
        )
    elif verb == "pin":
        option = dict(word.split("=", 1) for word in words[3:])
        at = f"(at {_mm(words[1])} {_mm(words[2])} {option.get('turn', '180')})"
        text = f'(pin {_quote(words[0])} {option.get("shape", "input")} {at} (uuid "{uid}"))'
        file.items[-1] = file.items[-1][:-1] + text + ")"
    elif verb in design.symbols or verb == "missing":
        file.parts.append((verb, words, key))
    else:
        raise ValueError(f"{design.name}: no such line: {verb} {words}")


def _mm(grid: str) -> str:
    """Grid units to millimetres; a number that ends in mm is taken as it is."""
    if grid.endswith("mm"):
        return grid[:-2]
    return f"{float(grid) * GRID_MM:.4f}".rstrip("0").rstrip(".")


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
