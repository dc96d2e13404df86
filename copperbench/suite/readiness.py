"""Whether a planned run could start on this machine: its key, its command, its options (STANDARD 2, 8)."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from urllib.parse import urlsplit

from copperbench.suite.models import Mode
from copperbench.suite.roster import Contender

_FAILOVER_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
_ENFORCED_OUTSIDE = "maxTurns"
_NEEDS_ENDPOINT = "compat:"
_ENDPOINT = "COPPERHEAD_BASE_URL"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def why_not_ready(contender: Contender, mode: Mode, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """What keeps runs of this contender from starting and what to do about it; None when nothing does.

    Looks at names and presence only: no key is printed, no endpoint is asked.
    """
    model, harness = contender.model, contender.harness
    if mode not in harness.modes:
        return f"the harness {harness.name} has no mode {mode}", "choose tasks of its modes, or another harness"
    missing = [name for name in contender.ablations.settings() if name not in harness.modes[mode].options]
    if missing and missing != [_ENFORCED_OUTSIDE]:  # the runner's own cap holds turns where the harness has no option
        return f"the harness {harness.name} cannot vary {missing[0]} in mode {mode}", "leave that ablation out"
    if all(name in (model.key_env, *model.env) for name in _FAILOVER_KEYS):
        return "its entry names two API keys, between which a harness may change over", "name one of them"
    if model.id.startswith(_NEEDS_ENDPOINT):
        if not model.endpoint and _ENDPOINT not in model.env:
            return "its entry has no endpoint", "write endpoint: https://host/v1"
        if model.endpoint and not model.key_env and not _is_local(model.endpoint):
            return (
                "its entry names no key for an endpoint elsewhere",
                "write keyEnv: the variable that holds one",
            )
    if model.key_env and not environment.get(model.key_env):
        return f"its key is not set: {model.key_env} is empty", f"export {model.key_env}"
    if shutil.which(harness.command[0], path=environment.get("PATH")) is None:
        return f"its harness is not here: {harness.command[0]} is not on PATH", f"install {harness.name}"
    return None


def why_not_confined(isolation: str, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """What keeps agents from being confined as asked and what to do about it; None when nothing does.

    Looks for the program only: whether it may make namespaces here is seen when it is used.
    """
    if isolation == "bwrap" and shutil.which("bwrap", path=environment.get("PATH")) is None:
        return "isolation: bwrap: bwrap is not on PATH", "install bubblewrap, or set isolation to auto or none"
    return None


def _is_local(endpoint: str) -> bool:
    """Whether the harness contract asks for no key there."""
    host = urlsplit(endpoint).hostname or ""
    return host in _LOOPBACK or host.endswith(".local")
