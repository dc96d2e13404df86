"""kicad-cli as an outside judge: found, isolated from the user, limited in time (STANDARD 4, baseline-relative)."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import KicadCliFailed, KicadCliMissing
from copperbench.kicad.reports import Report
from copperbench.kicad.version_cache import remembered_version
from copperbench.processes import over_within

ENVIRONMENT_VARIABLE = "COPPERBENCH_KICAD_CLI"
TIME_LIMIT_S = 300.0
_VERSION_TIME_LIMIT_S = 60.0
_LARGEST_OUTPUT = 512 * 1024 * 1024
_REMEMBERED = 4000
_DOES_NOT_LOAD = 3
_KEPT_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_CLOCK = re.compile(r"^\d\d:\d\d:\d\d: ")
_PARITY_WAS_TESTED = re.compile(r"^Found \d+ schematic parity issues\r?$", re.MULTILINE)


class DesignUnloadable(KicadCliFailed):
    """The design, and not kicad-cli, is at fault: it is missing or does not load (STANDARD 4: such a run fails)."""


@dataclass(frozen=True, slots=True)
class KicadCli:
    """One kicad-cli, named by `path`; `version` is what it says of itself (`10.0.6`), `time_limit_s` bounds each call.

    kicad-cli itself writes `<project>.kicad_prl` beside what it reads, so callers hand it copies. Nothing of the
    user's KiCad configuration, libraries or environment reaches it: counts would depend on them, and a hostile
    design has no business with keys that the environment may hold.
    """

    path: Path
    version: str
    time_limit_s: float = TIME_LIMIT_S

    @property
    def major(self) -> int:
        """The version's first number: reports compare only within one (STANDARD 7)."""
        return int(self.version.split(".")[0])

    def erc(self, schematic: Path) -> Report:
        """The electrical rules report of a root schematic, at default severities (STANDARD 4).

        kicad-cli takes a sub-sheet that is missing or broken for an empty one and says nothing: read the
        hierarchy with `load_schematic` too. Raises DesignUnloadable, KicadCliFailed.
        """
        with self._scratch() as scratch:
            result = self._run(scratch, "sch", "erc", "--format", "json", design=schematic, output="report.json")
            return Report.from_json(_parsed(result, schematic), schematic)

    def drc(self, board: Path) -> Report:
        """The design rules report of a board with schematic parity, at default severities (STANDARD 4).

        Zones are not refilled: their fill is not the same from run to run. Raises DesignUnloadable (also when
        parity could not be tested, which kicad-cli passes over with an empty list), KicadCliFailed.
        """
        schematic = board.with_suffix(".kicad_sch")
        _demand(schematic, "parity cannot be tested without the schematic")
        with self._scratch() as scratch:
            arguments = ("pcb", "drc", "--format", "json", "--schematic-parity")
            try:
                result = self._run(scratch, *arguments, design=board, output="report.json")
            except DesignUnloadable:
                raise
            except KicadCliFailed:
                # With a broken schematic pcb drc ends with code 255 and no report: find out who is at fault.
                self.export_netlist(schematic)
                raise
            if not _PARITY_WAS_TESTED.search(result.said):
                raise DesignUnloadable(schematic, "kicad-cli could not test parity against it", result.excuse)
            return Report.from_json(_parsed(result, board), board)

    def export_netlist(self, schematic: Path) -> bytes:
        """The netlist of a root schematic in KiCad's s-expression form. Raises DesignUnloadable, KicadCliFailed."""
        with self._scratch() as scratch:
            return self._run(scratch, "sch", "export", "netlist", design=schematic, output="design.net").data

    def export_drawings(self, schematic: Path) -> dict[str, bytes]:
        """Every sheet of a root schematic as an SVG drawing, by file name and without a frame.

        The names are made of the sheets' own. Raises DesignUnloadable, KicadCliFailed.
        """
        with self._scratch() as scratch:
            drawn = scratch / "drawn"
            drawn.mkdir()
            command = [str(self.path), "sch", "export", "svg", "--exclude-drawing-sheet", "--no-background-color"]
            _demand(schematic, "kicad-cli has nothing to read")
            arguments = ("-o", str(drawn), str(schematic.absolute()))
            code, said = _call([*command, *arguments], scratch, self.time_limit_s, schematic)
            if code != 0:
                kind = DesignUnloadable if code == _DOES_NOT_LOAD else KicadCliFailed
                raise kind(schematic, "kicad-cli cannot draw it", _excuse(said, schematic))
            files = sorted(path for path in drawn.iterdir() if path.is_file() and not path.is_symlink())
            if sum(path.stat().st_size for path in files) > _LARGEST_OUTPUT:
                raise KicadCliFailed(schematic, f"{self.path.name} wrote more than {_LARGEST_OUTPUT} bytes")
            return {path.name: path.read_bytes() for path in files}

    def loads(self, file: Path) -> bool:
        """Whether a `.kicad_sch` or `.kicad_pcb` loads at all. Raises KicadCliFailed (time limit, crash)."""
        command = ("pcb", "export", "pos") if file.suffix == ".kicad_pcb" else ("sch", "export", "netlist")
        try:
            with self._scratch() as scratch:
                self._run(scratch, *command, design=file, output="out")
        except DesignUnloadable:
            return False
        return True

    @contextmanager
    def _scratch(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="copperbench-kicad-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)

    def _run(self, scratch: Path, *arguments: str, design: Path, output: str) -> _Result:
        _demand(design, "kicad-cli has nothing to read")
        target = scratch / output
        command = [str(self.path), *arguments, "-o", str(target), str(design.absolute())]
        code, said = _call(command, scratch, self.time_limit_s, design)
        excuse = _excuse(said, design)
        if code == _DOES_NOT_LOAD:
            raise DesignUnloadable(design, "kicad-cli cannot load it", excuse)
        if code != 0 or not target.is_file():
            how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
            missing = "" if target.is_file() else " and wrote nothing"
            raise KicadCliFailed(design, f"{self.path.name} {self.version} {how}{missing}", excuse)
        if target.stat().st_size > _LARGEST_OUTPUT:
            raise KicadCliFailed(design, f"{self.path.name} wrote more than {_LARGEST_OUTPUT} bytes")
        return _Result(target.read_bytes(), said, excuse)


@dataclass(frozen=True, slots=True)
class _Result:
    data: bytes
    said: str
    excuse: str


def find_kicad_cli(explicit: str | None = None, cache: Path | None = None) -> KicadCli | None:
    """The kicad-cli to use: `explicit`, else the one COPPERBENCH_KICAD_CLI names, else the one on PATH.

    A named one that does not exist counts as absent (None) and nothing else is tried in its place. `cache` is a
    folder that may be deleted at any time: there a program's version is remembered for as long as its file, and each
    file that it names if it is a script, keeps place, size and time of change. Raises KicadCliFailed when the program
    is there but does not tell its version.
    """
    named = explicit or os.environ.get(ENVIRONMENT_VARIABLE) or "kicad-cli"
    found = shutil.which(named)
    if found is None:
        return None
    path = Path(found).absolute()
    if cache is None:
        return KicadCli(path, _version(path))
    return KicadCli(path, remembered_version(path, cache, _version))


def _version(path: Path) -> str:
    with tempfile.TemporaryDirectory(prefix="copperbench-kicad-") as scratch:
        code, said = _call([str(path), "version"], Path(scratch), _VERSION_TIME_LIMIT_S, path)
    version = re.search(r"^\d+\.\d+\S*", said, re.MULTILINE)
    if code != 0 or version is None:
        raise KicadCliFailed(path, "does not tell its version", f"name a working kicad-cli in {ENVIRONMENT_VARIABLE}")
    return version.group()


def require_kicad_cli(explicit: str | None = None, cache: Path | None = None) -> KicadCli:
    """`find_kicad_cli` for a verb that cannot do without. Raises KicadCliMissing, KicadCliFailed."""
    found = find_kicad_cli(explicit, cache)
    if found is None:
        named = explicit or os.environ.get(ENVIRONMENT_VARIABLE) or "kicad-cli"
        raise KicadCliMissing(
            named,
            "no such program",
            f"install KiCad 10 with workflow/scripts/install_kicad.sh or name its kicad-cli in {ENVIRONMENT_VARIABLE}",
        )
    return found


def _demand(design: Path, why: str) -> None:
    if not design.is_file():
        raise DesignUnloadable(design, "there is no such file", why)


def _environment(scratch: Path) -> dict[str, str]:
    """Only what a program needs to start: everything KiCad could pick up points into an empty folder."""
    home = scratch / "home"
    home.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    homes = ("HOME", "TMPDIR", "KICAD_CONFIG_HOME", "KICAD_DOCUMENTS_HOME", "KICAD_CACHE_HOME")
    xdg = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
    return kept | dict.fromkeys((*homes, *xdg), str(home)) | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


def _call(command: list[str], scratch: Path, time_limit_s: float, where: Path) -> tuple[int, str]:
    """Run a command in a session of its own and return its exit code and the end of what it said."""
    with tempfile.TemporaryFile() as spoken:
        try:
            process = subprocess.Popen(
                command,
                cwd=scratch,
                env=_environment(scratch),
                stdin=subprocess.DEVNULL,
                stdout=spoken,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise KicadCliFailed(command[0], f"cannot be started ({error.strerror})") from error
        try:
            code = _ended(process, time_limit_s)
        except subprocess.TimeoutExpired:
            limit = f"kicad-cli did not finish within {time_limit_s:g} s"
            raise KicadCliFailed(where, limit, "the design blew up or the machine is overloaded") from None
        finally:
            _end(process)
        spoken.seek(max(0, spoken.seek(0, os.SEEK_END) - _REMEMBERED))
        return code, spoken.read().decode("utf-8", errors="replace")


def _ended(process: subprocess.Popen[bytes], time_limit_s: float) -> int:
    """The exit code of a process once it has ended. Raises TimeoutExpired."""
    over = over_within(process.pid, time_limit_s)
    if over is None:
        return process.wait(time_limit_s)
    return process.wait() if over else process.wait(0)


def _excuse(said: str, design: Path) -> str:
    """What kicad-cli says is wrong, the same on every machine and day: without the clock and the design's folder."""
    lines = [_CLOCK.sub("", line.strip()) for line in said.splitlines() if line.strip()]
    telling = [line.removeprefix("Error: ") for line in lines if line.startswith(("Error: ", "Failed to load board"))]
    chosen = (telling or lines or [""])[-1]
    return chosen.replace(f"{design.absolute().parent}/", "")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Leave nothing running: a wrapper script may have children of its own, all in its session."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _parsed(result: _Result, design: Path) -> Any:
    try:
        return json.loads(result.data.decode("utf-8", errors="replace"))
    except (ValueError, RecursionError) as error:
        raise KicadCliFailed(design, "kicad-cli wrote a report that is no JSON") from error
