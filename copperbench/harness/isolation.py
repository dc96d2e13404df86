"""Where an agent runs: with bubblewrap it sees its sandbox, its harness and the network, and nothing of the benchmark.

Without it an agent could read the solutions, the recorded reports and other runs of the checkout that it is tested
from. Which of the two it was is recorded with the run (STANDARD 2).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import copperbench
from copperbench.errors import HarnessUnavailable

Isolation = Literal["auto", "bwrap", "none"]
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix")
_EMPTY = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - these are what the agent gets instead of ours
_NAMESPACES = ("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_PROJECT = ("package.json", "pyproject.toml", ".git")
_PROBE_S = 20.0


class Private(Protocol):
    """The surroundings of a harness's process: its working folder, in a folder of its own, and its environment."""

    @property
    def folder(self) -> Path:
        """The working folder; what lies beside it is the run's own too."""

    @property
    def environment(self) -> Mapping[str, str]:
        """All variables of the process."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """How to put a command behind bubblewrap: callable as `(argv, sandbox, surroundings) -> argv`.

    `checkout` is hidden from the command, `visible` are further folders that its harness needs. TERM to bubblewrap
    itself ends the whole namespace at once: who wants to give grace tells the processes inside.
    """

    bwrap: Path
    checkout: Path
    visible: tuple[Path, ...] = ()
    name: Literal["bwrap"] = field(default="bwrap", init=False)

    def __call__(self, argv: Sequence[str], sandbox: Path, around: Private) -> list[str]:
        """The command behind bubblewrap: the system and the harness read-only, sandbox and surroundings writable."""
        command, private = Path(argv[0]), around.folder.parent
        home = Path(around.environment.get("HOME", "/nonexistent"))
        login = () if home.is_relative_to(private) or not home.is_dir() else (home,)
        shown = tuple(self._shown(command, around.environment, home))
        around_ours = tuple(folder for folder in shown if self.checkout.is_relative_to(folder))
        system = tuple(map(Path, _SYSTEM))
        in_sight = any(self.checkout.is_relative_to(folder) for folder in (*system, *login, *around_ours))
        return [
            str(self.bwrap),
            *_NAMESPACES,
            "--die-with-parent",
            *("--proc", "/proc", "--dev", "/dev"),
            *_mounts("--ro-bind-try", system),
            *(word for place in _EMPTY for word in ("--tmpfs", place)),
            *_mounts("--ro-bind-try", _name_service()),
            *_mounts("--bind", login),
            *_mounts("--ro-bind-try", around_ours),
            *(("--tmpfs", str(self.checkout)) if in_sight else ()),
            *_mounts("--ro-bind-try", (folder for folder in shown if folder not in around_ours)),
            *_mounts("--bind", (private, sandbox)),
            *("--chdir", str(around.folder), "--"),
            *argv,
        ]

    def _shown(self, command: Path, environment: Mapping[str, str], home: Path) -> Iterator[Path]:
        """The folders outside the system's own that a harness and the programs on its PATH are installed in."""
        programs = [command, command.resolve()]
        programs += [Path(entry) / "x" for entry in environment.get("PATH", "").split(os.pathsep) if entry[:1] == "/"]
        programs += [Path(value) for name, value in environment.items() if name.endswith("_KICAD_CLI")]
        found = [*self.visible]
        for program in programs:
            found += self._installation(program, home)
        own = Path(sys.prefix)
        if command.is_relative_to(own) or command.resolve().is_relative_to(own):
            package = Path(copperbench.__file__).parent  # an editable install lies in the checkout
            beside = (package.parent / "schema", package.parent / "workflow/scripts")  # one of its modules links there
            found += [own, Path(sys.base_prefix), package, *beside]
        for folder in dict.fromkeys(found):
            if folder.exists() and not any(folder.is_relative_to(place) for place in _SYSTEM):
                yield folder

    def _installation(self, program: Path, home: Path) -> list[Path]:
        """The narrowest folder that makes a program run: its project, its prefix, else the folder that it lies in.

        A folder that holds the checkout or the user's home is no installation.
        """
        folder = program.parent
        ours = self.checkout.is_relative_to(folder) or home.is_relative_to(folder)
        if folder.name in ("bin", ".bin", "sbin"):
            python = _base_python(folder.parent / "pyvenv.cfg")
            candidates = [folder.parent]
            extra = [python] if python else []
        else:
            candidates = [
                each for each in (folder, *folder.parents[:2]) if any((each / name).exists() for name in _PROJECT)
            ]
            extra = []
        fit = [each for each in candidates if not self._holds_ours(each, home)]
        return [*fit[:1], *extra] if fit else extra if ours else [folder, *extra]

    def _holds_ours(self, folder: Path, home: Path) -> bool:
        return any(place.is_relative_to(folder) for place in (self.checkout, home, Path.home()))


def confinement(wanted: Isolation, checkout: Path, visible: Iterable[Path] = ()) -> Confinement | None:
    """How agents are confined; None is not at all, and is recorded as `none`.

    `auto` takes bubblewrap where it works. Raises HarnessUnavailable when `bwrap` is asked for and cannot be had.
    """
    if wanted == "none":
        return None
    found, why = working_bwrap()
    if found is not None:
        return Confinement(found, checkout.resolve(), tuple(visible))
    if wanted == "bwrap":
        raise HarnessUnavailable("isolation: bwrap", why, "install bubblewrap, or set isolation to auto or none")
    return None


def parse_isolation(text: str) -> Isolation:
    """The isolation that a word names. Raises HarnessUnavailable for any other word."""
    known: Mapping[str, Isolation] = {"auto": "auto", "bwrap": "bwrap", "none": "none"}
    if text not in known:
        raise HarnessUnavailable("isolation", f"{text!r} is no isolation", f"use one of {', '.join(known)}")
    return known[text]


def working_bwrap() -> tuple[Path | None, str]:
    """bubblewrap where it can do its work, else why not."""
    path = shutil.which("bwrap")
    if path is None:
        return None, "bwrap is not on PATH"
    argv = [path, *_NAMESPACES, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_PROBE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"bwrap does not start ({error})"
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        return None, f"bwrap cannot make namespaces here ({said[-1][:200] if said else 'no reason given'})"
    return Path(path), ""


def _mounts(how: str, places: Iterable[Path]) -> list[str]:
    return [word for place in places for word in (how, str(place), str(place))]


def _name_service() -> list[Path]:
    """The file behind /etc/resolv.conf, which may lie in a folder that the agent does not see."""
    real = Path("/etc/resolv.conf").resolve()
    return [real] if real.exists() and not real.is_relative_to("/etc") else []


def _base_python(config: Path) -> Path | None:
    """The installation that a virtual environment's interpreter comes from."""
    try:
        lines = config.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return Path(homes[0]).parent if homes else None
