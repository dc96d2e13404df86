"""ERC and DRC relative to how the design stood when the run started, and whether an edited file still loads."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from copperbench.agent.design import Design, digest, lay_out
from copperbench.agent.workspace import ToolError, is_design
from copperbench.errors import CopperbenchError, KicadCliFailed

if TYPE_CHECKING:
    from copperbench.kicad import KicadCli, Report, Violation

Kind = Literal["erc", "drc"]
T = TypeVar("T")
_RULES = (".kicad_pro", ".kicad_dru")
_MOST_LISTED = 40


@dataclass(frozen=True, slots=True)
class Unloadable:
    """The design does not load, so there is no report."""

    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A check's outcome: whether it `passed`, and what the model reads of it."""

    passed: bool
    text: str


class Checks:
    """KiCad's verdicts during a run; `cli` is None where there is no kicad-cli, `kicad_s` the time spent in it.

    The rules are those that the project had when the run started, so that softening `.kicad_pro` moves nothing;
    only a `create` run, which makes the project, is judged by its own.
    """

    def __init__(self, design: Design, cli: KicadCli | None, *, own_rules: bool) -> None:
        self.cli = cli
        self.kicad_s = 0.0
        self._design = design
        self._own_rules = own_rules
        self._reports: dict[tuple[Kind, str], Report | Unloadable] = {}

    def run(self, kind: Kind) -> Checked:
        """Run ERC or DRC; it passes when no error is there that was not there at the start (STANDARD 4).

        New warnings are listed and block nothing. Raises ToolError when there is no kicad-cli or no such file.
        """
        title = kind.upper()
        now = self._report(kind, self._files_now())
        if isinstance(now, Unloadable):
            return Checked(passed=False, text=f"{title}: 1 violation(s)\n  error design does not load: {now.reason}")
        start = self._report(kind, self._files_at_start()) if self._exists_at_start(kind) else None
        return _compared(title, now, None if isinstance(start, Unloadable) else start)

    def absolute(self, kind: Kind) -> Report | Unloadable:
        """The report on the design as it is now, held against nothing. Raises ToolError as `run` does."""
        return self._report(kind, self._files_now())

    def loads(self, path: str) -> str | None:
        """Why a design file that was just written does not load, or None when it does (or is no design file)."""
        data = (self._design.workspace.root / path).read_bytes()
        return self._fault(path, data)

    def loaded_before(self, path: str, data: bytes) -> bool:
        """Whether the former bytes of a file loaded: an edit of a broken file is not undone for being broken."""
        return self._fault(path, data) is None

    def _fault(self, path: str, data: bytes) -> str | None:
        if path.endswith(".kicad_pro"):
            return _json_fault(data)
        if not path.endswith((".kicad_sch", ".kicad_pcb")):
            return None
        with tempfile.TemporaryDirectory(prefix="copperbench-agent-") as folder:
            file = Path(folder) / path.rsplit("/", 1)[-1]
            file.write_bytes(data)
            if self.cli is None:
                return _reader_fault(file)
            cli = self.cli
            return None if self._timed(lambda: cli.loads(file)) else "kicad-cli cannot load it" + _hint(file)

    def _timed(self, work: Callable[[], T]) -> T:
        started = time.perf_counter()
        try:
            return work()
        finally:
            self.kicad_s += time.perf_counter() - started

    def _report(self, kind: Kind, files: Mapping[str, bytes]) -> Report | Unloadable:
        key = (kind, digest(files))
        if key not in self._reports:
            with tempfile.TemporaryDirectory(prefix="copperbench-agent-") as folder:
                lay_out(files, Path(folder))
                self._reports[key] = self._measured(kind, Path(folder))
        return self._reports[key]

    def _measured(self, kind: Kind, folder: Path) -> Report | Unloadable:
        from copperbench.kicad import DesignUnloadable, load_schematic

        cli, target = self.cli, self._target(kind)
        if cli is None:
            raise ToolError(f"{kind.upper()} cannot be run: there is no kicad-cli here; finish does not ask for it")
        try:
            if kind == "drc":
                return self._timed(lambda: cli.drc(folder / target))
            # kicad-cli takes a sub-sheet that is missing or broken for an empty one and says nothing.
            load_schematic(folder / target, within=folder)
            return self._timed(lambda: cli.erc(folder / target))
        except KicadCliFailed as error:
            if not isinstance(error, DesignUnloadable):
                raise ToolError(f"kicad-cli failed on {target}: {error.what}") from error
            return Unloadable(_said(error, folder))
        except CopperbenchError as error:
            return Unloadable(_said(error, folder))

    def _target(self, kind: Kind) -> str:
        settings = self._design.settings
        target = settings.schematic if kind == "erc" else settings.board
        if target is None:
            raise ToolError(f"no {'schematic' if kind == 'erc' else 'board'} configured")
        return target

    def _exists_at_start(self, kind: Kind) -> bool:
        return self._target(kind) in self._design.start.files

    def _files_now(self) -> Mapping[str, bytes]:
        files = self._design.workspace.design_files()
        if self._own_rules:
            return files
        kept = {path: data for path, data in files.items() if not path.endswith(_RULES)}
        return {**kept, **self._design.start.matching(*_RULES)}

    def _files_at_start(self) -> Mapping[str, bytes]:
        start = self._design.start
        return {path: data for path, data in start.matching("").items() if is_design(path)}


def _compared(title: str, now: Report, start: Report | None) -> Checked:
    from copperbench.kicad import Report, new_violations

    before = start or Report(now.kind, now.kicad_version, ())
    errors = new_violations(now, before, "error")
    warnings = new_violations(now, before, "warning")
    standing = _listed(before)
    note = f" ({len(standing)} from before this run, which are not yours)" if standing else ""
    if errors.status == "fail":
        beyond = {finding.type for finding in errors.findings if not finding.saturated}
        named = [each for each in _listed(now) if each.type in beyond]
        new = sum(finding.count - finding.baseline for finding in errors.findings if not finding.saturated)
        head = f"{title}: {new} violation(s) beyond the start: {errors.detail}{note}"
        return Checked(passed=False, text=f"{head}\n{_lines(named)}")
    text = f"{title}: clean, no new error{note}"
    if warnings.status == "fail":
        beyond = {finding.type for finding in warnings.findings if not finding.saturated}
        named = [each for each in _listed(now) if each.type in beyond]
        text += f"\nnew warnings, which block nothing: {warnings.detail}\n{_lines(named)}"
    return Checked(passed=True, text=text)


def _listed(report: Report) -> list[Violation]:
    return [*report.violations, *report.unconnected, *report.parity]


def _lines(violations: list[Violation]) -> str:
    lines = [
        f"  {each.severity} {each.type}{f' [sheet {each.where}]' if each.where else ''}: {each.description}"
        for each in violations[:_MOST_LISTED]
    ]
    left = len(violations) - _MOST_LISTED
    return "\n".join([*lines, *([f"  ... and {left} more"] if left > 0 else [])])


def _said(error: CopperbenchError, folder: Path) -> str:
    return str(error).replace(f"{folder}/", "").replace(str(folder), ".")


def _json_fault(data: bytes) -> str | None:
    try:
        json.loads(data)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON ({error})"
    return None


def _reader_fault(file: Path) -> str | None:
    """What our reader says of one file by itself; sheets that it names are looked at by the next check."""
    from copperbench.kicad import load_board, read_list

    try:
        # Readers ignore what follows the first list: a bracket too many would go unseen but for a list around it.
        whole = read_list(b"(file " + file.read_bytes() + b")", file.name)
        if len(whole) != 2 or whole[1][:1] != [file.suffix[1:]]:
            return f"it is not one {file.suffix[1:]} list; a bracket is missing or too many"
        if file.suffix == ".kicad_pcb":
            load_board(file)
    except CopperbenchError as error:
        return _said(error, file.parent)
    return None


def _hint(file: Path) -> str:
    """Where our own reader stumbles, if it does: kicad-cli names no place."""
    fault = _reader_fault(file)
    return f"; {fault}" if fault else ""
