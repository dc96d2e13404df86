"""The clean environment that a harness runs in, and the secrets in it, which must be seen nowhere (STANDARD 2, 12)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from copperbench.suite import CREDENTIAL_PATTERNS, HarnessEntry, ModelEntry

IDENTITY = ("copperbench", "copperbench@example.invalid")
_GIT_CONFIG = """[user]
\tname = {0}
\temail = {1}
[commit]
\tgpgSign = false
[core]
\thooksPath = /dev/null
[init]
\tdefaultBranch = main
"""
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|AUTH|CRED", re.IGNORECASE)
_PATTERNS = tuple(re.compile(each.pattern) for each in CREDENTIAL_PATTERNS)
_HIDDEN = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A private empty working folder and the whole environment of the process; `secrets` are values in it."""

    folder: Path
    environment: Mapping[str, str] = field(repr=False)
    secrets: tuple[bytes, ...] = field(repr=False, default=())


@contextmanager
def surroundings(
    harness: HarnessEntry,
    model: ModelEntry | None,
    environment: Mapping[str, str],
    kicad_cli: str | None = None,
) -> Iterator[Surroundings]:
    """What a harness is run in: nothing of ours but PATH, and of the model's entry the variables that it names.

    HOME is an empty folder, except for a saved login, which lives in the real one. The working folder is empty too:
    a `.env` that lies in it would be read. git has an identity and runs no hooks.
    """
    with TemporaryDirectory(prefix="copperbench-home-", ignore_cleanup_errors=True) as name:
        home, work = Path(name) / "home", Path(name) / "work"
        for place in (home, work, Path(name) / "tmp"):
            place.mkdir()
        git = Path(name) / "gitconfig"
        git.write_text(_GIT_CONFIG.format(*IDENTITY), encoding="ascii")
        login = model is not None and model.segment == "saved-login"
        plain = {
            "PATH": environment.get("PATH", "/usr/local/bin:/usr/bin:/bin"),
            "HOME": environment.get("HOME", str(home)) if login else str(home),
            "TMPDIR": str(Path(name) / "tmp"),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_GLOBAL": str(git),
            "GIT_CONFIG_NOSYSTEM": "1",
            **harness.environment,
            **({"COPPERHEAD_KICAD_CLI": kicad_cli, "COPPERBENCH_KICAD_CLI": kicad_cli} if kicad_cli else {}),
        }
        handed = {} if model is None else _handed(model, environment)
        yield Surroundings(work, plain | handed, secrets_of(model, environment))


def secrets_of(model: ModelEntry | None, environment: Mapping[str, str]) -> tuple[bytes, ...]:
    """The values among a model's variables that must never be seen: its key, and what is named like a secret."""
    if model is None:
        return ()
    names = [model.key_env, *(name for name in model.env if _SECRET_NAME.search(name))]
    return tuple(environment[name].encode() for name in names if name and environment.get(name))


def redacted(text: str, secrets: Iterable[bytes]) -> str:
    """`text` without the secrets and without anything that looks like a credential."""
    for secret in secrets:
        text = text.replace(secret.decode("utf-8", "surrogateescape"), _HIDDEN)
    for pattern in _PATTERNS:
        text = pattern.sub(_HIDDEN, text)
    return text


def _handed(model: ModelEntry, environment: Mapping[str, str]) -> dict[str, str]:
    names = filter(None, (model.key_env, *model.env))
    found = {name: environment[name] for name in names if environment.get(name)}
    if model.endpoint:
        found["COPPERHEAD_BASE_URL"] = model.endpoint
        if model.key_env:
            found["COPPERHEAD_API_KEY_ENV"] = model.key_env
    return found
