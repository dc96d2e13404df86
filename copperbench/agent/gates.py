"""The rules of a run: spec before edit, verified before done, and how often a check may fail."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

ObligationKind = Literal["erc", "drc", "drift", "affects-revisit"]
_WHY: dict[ObligationKind, str] = {
    "erc": "ERC must show no new error after schematic edits (run_erc)",
    "drc": "DRC must show no new error after board edits (run_drc)",
    "drift": "documents must agree with the schematic after edits (check_drift)",
    "affects-revisit": "look at what a recorded constraint affects (resolve_affected)",
}
_CLOSED_BY: dict[ObligationKind, str] = {
    "erc": "run_erc",
    "drc": "run_drc",
    "drift": "check_drift",
    "affects-revisit": "resolve_affected",
}
_DESIGN = (".kicad_sch", ".kicad_pcb", ".kicad_pro", ".kicad_sym", ".kicad_mod", ".kicad_dru")


@dataclass(frozen=True, slots=True)
class Obligation:
    """Something still owed before the run may be done; `item` tells those of one kind apart."""

    kind: ObligationKind
    item: str = ""

    def __str__(self) -> str:
        return f"[{self.kind}] {self.item or _WHY[self.kind]}"


@dataclass(slots=True)
class Gates:
    """Where a run stands with its rules.

    `offered` are the names of the tools that the model has: what it has no tool for is not asked of it.
    `repair_cycles` counts failing ERC and DRC runs, before edits too.
    """

    offered: frozenset[str]
    max_repair_cycles: int
    proposed: str | None = None
    unlocked: bool = False
    repair_cycles: int = 0
    open: dict[Obligation, None] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.unlocked = not {"propose_change", "validate_change"} <= self.offered

    @property
    def exhausted(self) -> bool:
        """Whether checks have failed more often than the run may repair."""
        return self.repair_cycles > self.max_repair_cycles

    def edited(self, path: str) -> None:
        """An edit of a design file or a document opens what has to be verified again."""
        if path.endswith(_DESIGN):
            self.owe("erc")
            self.owe("drift")
            if path.endswith((".kicad_pcb", ".kicad_mod")):
                self.owe("drc")
        elif path.endswith(".md"):
            self.owe("drift")

    def owe(self, kind: ObligationKind, item: str = "") -> None:
        """Open an obligation, unless the model has no tool to meet it with."""
        if _CLOSED_BY[kind] in self.offered:
            self.open[Obligation(kind, item)] = None
            if kind in ("erc", "drc"):
                self.last[kind] = "not run since the last edit"

    def checked(self, kind: Literal["erc", "drc"], *, passed: bool) -> None:
        """ERC or DRC was run."""
        self.last[kind] = "clean" if passed else "FAILING"
        if passed:
            self.met(kind)
        else:
            self.repair_cycles += 1

    def met(self, kind: ObligationKind, item: str = "") -> bool:
        """Close an obligation; False when there was none such."""
        return self.open.pop(Obligation(kind, item), 0) is None

    def blockers(self) -> str:
        """Why the run may not be done yet, in the contract's words; empty when it may."""
        if not self.open:
            return ""
        return "cannot finish yet:\n- open sync obligations:\n" + _bullets(self.open)

    def verification(self) -> str:
        """What the commit message says of the last checks."""
        erc = self.last.get("erc")
        drc = self.last.get("drc")
        return f"ERC {erc or 'not required'}" + (f", DRC {drc}" if drc else "")


def _bullets(items: Iterable[Obligation]) -> str:
    return "\n".join(f"  - {item}" for item in items)
