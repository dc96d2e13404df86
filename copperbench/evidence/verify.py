"""KiCad's judgement of an end state, made once and sealed as `verify.json` (STANDARD 4, DESIGN 4)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.errors import CopperbenchError, KicadCliFailed, KicadFileError
from copperbench.evidence.judged import FORMAT, Unloadable
from copperbench.evidence.report_cache import ReportCache, design_key, keep_only_design
from copperbench.evidence.tree import tree_digest
from copperbench.kicad import DesignUnloadable, KicadCli, Report, load_schematic
from copperbench.publish import self_sealed
from copperbench.suite import Fixture

if TYPE_CHECKING:
    from copperbench.sandbox import Seal

SETTINGS = {"severities": "error, warning", "schematicParity": True, "rules": "the fixture's .kicad_pro and .kicad_dru"}
_RULES = ("*.kicad_pro", "*.kicad_dru")
_DROPPINGS = ("*.kicad_prl", "~*.lck", "fp-info-cache")


def verify(seal: Seal, fixture: Fixture, fixture_tree: Path, cli: KicadCli, cache: Path | None = None) -> bytes:
    """Judge the end state of a sealed run and return the bytes of its `verify.json` (STANDARD 4).

    ERC and DRC run on a copy that has the fixture's `.kicad_pro` and `.kicad_dru` files and no others, so that a
    run cannot soften the rules it is judged by. Normalised: no date, no path; the same for every machine with
    that kicad-cli. `cache` is a folder of reports by design (ReportCache). Raises KicadCliFailed when kicad-cli
    fails on the fixture's own design as well: that says nothing about the run.
    """
    with tempfile.TemporaryDirectory(prefix="copperbench-verify-") as scratch:
        copy, own = Path(scratch) / "end", Path(scratch) / "fixture"
        copy.mkdir()
        seal.materialise("end", fixture_tree, copy)
        put_rules_back(copy, fixture_tree)

        def control(measure: Callable[[Path], object]) -> None:
            if not own.exists():
                shutil.copytree(fixture_tree, own)
            try:
                measure(own)
            except (KicadFileError, KicadCliFailed) as error:
                raise KicadCliFailed(
                    f"fixture {fixture.id}",
                    f"cannot be judged, changed or not ({error.what})",
                    "use the reference kicad-cli and a machine that is not overloaded",
                ) from error

        keep_only_design(copy)
        judge = _Judge(copy, control, ReportCache(cache, cli.version) if cache else None, design_key(copy))
        erc = judge.report("erc", lambda root: _erc(cli, root, fixture))
        board = fixture.board
        drc = judge.report("drc", lambda root: cli.drc(root / board)) if board else None
    body = {
        "format": FORMAT,
        "kicadCliVersion": cli.version,
        "settings": SETTINGS,
        "endState": tree_digest(seal.end),
        "erc": _written(erc),
        "drc": _written(drc),
    }
    return self_sealed(body)


def put_rules_back(copy: Path, fixture_tree: Path) -> None:
    """Make a copied tree's rule files the fixture's: restored where deleted or changed, removed where added."""
    for pattern in (*_RULES, *_DROPPINGS):
        for path in sorted(copy.rglob(pattern)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    for pattern in _RULES:
        for rule in sorted(fixture_tree.rglob(pattern)):
            target = copy / rule.relative_to(fixture_tree)
            _make_way(target, copy)
            shutil.copyfile(rule, target)


def _make_way(target: Path, copy: Path) -> None:
    """Remove what stands where a folder of the fixture belongs: a run may have put a file there."""
    for parent in reversed(target.relative_to(copy).parents):
        place = copy / parent
        if place.is_symlink() or place.is_file():
            place.unlink()
        place.mkdir(exist_ok=True)


@dataclass(frozen=True, slots=True)
class _Judge:
    copy: Path
    control: Callable[[Callable[[Path], object]], None]
    cache: ReportCache | None
    design: str

    def report(self, kind: str, measure: Callable[[Path], Report]) -> Report | Unloadable:
        """A report on the copy, or who is to blame: if the fixture's own design passes, the run's is at fault."""
        try:
            if self.cache is None:
                return measure(self.copy)
            return self.cache.report(kind, self.design, lambda: measure(self.copy))
        except (DesignUnloadable, KicadFileError) as error:
            self.control(measure)
            return Unloadable(self._said(error))
        except KicadCliFailed as error:
            self.control(measure)
            return Unloadable(f"{self._said(error)} (the fixture's own design passes)")

    def _said(self, error: CopperbenchError) -> str:
        return str(error).replace(f"{self.copy}/", "").replace(str(self.copy), ".")


def _erc(cli: KicadCli, root: Path, fixture: Fixture) -> Report:
    # kicad-cli takes a sub-sheet that is missing or broken for an empty one and says nothing.
    load_schematic(root / fixture.schematic, within=root)
    return cli.erc(root / fixture.schematic)


def _written(found: Report | Unloadable | None) -> Mapping[str, Any] | None:
    if found is None:
        return None
    return {"unloadable": found.reason} if isinstance(found, Unloadable) else found.to_json()
