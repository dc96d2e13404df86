"""Variants: a task and its board under other names, same reasoning, so that recall does not help (STANDARD 10).

A variant is made from a task and a seed alone: the same bytes every time. Everything that is not a name that changes
stays byte-identical, and nothing is believed: the nets are held against the original's by the netlister, ERC and DRC
by KiCad, and the solutions by performing them.
"""

from copperbench.variants.making import Variant, make_variant, variant_id
from copperbench.variants.naming import Renaming, choose_names

__all__ = ["Renaming", "Variant", "choose_names", "make_variant", "variant_id"]
