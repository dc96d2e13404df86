"""The paper's numbers: macros and tables from one named snapshot of records, and the check that text uses them alone.

A figure that is typed by hand goes stale in silence; here every one comes from records whose digest the paper
prints (STANDARD 12).
"""

from copperbench.reporting.paper.claims import RESULTS_BEARING, Claim, find_claims, paper_sources
from copperbench.reporting.paper.macros import macro_name, macros, macros_tex
from copperbench.reporting.paper.snapshot import Snapshot, take_snapshot
from copperbench.reporting.paper.tables import tables_tex

__all__ = [
    "RESULTS_BEARING",
    "Claim",
    "Snapshot",
    "find_claims",
    "macro_name",
    "macros",
    "macros_tex",
    "paper_sources",
    "tables_tex",
    "take_snapshot",
]
