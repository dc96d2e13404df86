"""Variants: a task and its board under other names, pin numbers and values, so that recall does not help (STANDARD 10).

A variant is made from a task, what is declared of it, and a seed: the same bytes every time. Everything that does not
change stays byte-identical, and nothing is believed: the nets are held against the original's by the netlister, ERC and
DRC by KiCad, the arithmetic by the inequalities declared, and the solutions by performing them.
"""

from copperbench.variants.declaring import Declaration, load_declaration
from copperbench.variants.making import Variant, make_variant, regenerate
from copperbench.variants.manifests import variant_id
from copperbench.variants.naming import Renaming, choose_names
from copperbench.variants.pins import Pins, choose_pins
from copperbench.variants.scaling import Scaling, scaling

__all__ = [
    "Declaration",
    "Pins",
    "Renaming",
    "Scaling",
    "Variant",
    "choose_names",
    "choose_pins",
    "load_declaration",
    "make_variant",
    "regenerate",
    "scaling",
    "variant_id",
]
