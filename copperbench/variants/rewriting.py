"""New names in design files: only the names' own bytes change, and only where a name is meant (STANDARD 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from copperbench.variants.naming import Renaming

_STRING = r'"((?:[^"\\]|\\.)*)"'
_DIRECTION = r"(?:input|output|bidirectional|tri_state|passive)"

Rewrite = Callable[[str], str]


def rewrite_schematic(text: str, names: Renaming) -> str:
    """A `.kicad_sch` under new names: labels, sheet pins, references, and words in text boxes.

    A pin's own name in a library symbol is no net's name and stays, whatever it is.
    """
    for kind in ("label", "global_label", "hierarchical_label"):
        text = _each(text, rf"\({kind} ", names.net)
    text = _each(text, r"\(pin ", names.net, rf" {_DIRECTION}\b")
    text = _each(text, r"\((?:text|text_box) ", names.text)
    return _symbols(text, names)


def rewrite_board(text: str, names: Renaming, nets: Mapping[str, str]) -> str:
    """A `.kicad_pcb` under new names; `nets` are the full names of nets, new by old."""

    def net(name: str) -> str:
        return nets.get(name) or names.text(name)

    text = _each(text, r"\(net (?:\d+ )?", net)
    text = _each(text, r"\(net_name ", net)
    text = _each(text, r"\((?:gr_text|gr_text_box|fp_text user|fp_text_box) ", names.text)
    return _symbols(text, names)


def rewrite_rules(text: str, names: Renaming) -> str:
    """A `.kicad_pro` or `.kicad_dru` under new names: patterns of net classes and conditions are words about nets."""
    return _each(text, "", names.text)


def _symbols(text: str, names: Renaming) -> str:
    text = _each(text, r'\(property "Reference" ', names.refdes)
    text = _each(text, r"\(reference ", names.refdes)
    return _each(text, r'\(property "Value" ', names.net)


def _each(text: str, before: str, change: Rewrite, after: str = "") -> str:
    """Change each string that stands behind `before`; everything else stays as it is."""
    pattern = re.compile(rf"({before}){_STRING}(?={after})" if after else rf"({before}){_STRING}")
    return pattern.sub(lambda match: f'{match[1]}"{change(match[2])}"', text)
