"""What a run is asked to do and with which model: flags over environment over the project's config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from copperbench.errors import HarnessUnavailable
from copperbench.scaffold import CONFIG_PATH
from copperbench.suite import parse_json

Command = Literal["do", "sync", "create"]
_COMPAT = "compat:"
_OTHER_PROTOCOLS = ("codex", "claude-code", "cursor")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_DEFAULT_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """`.copperhead/config.json` as the harness reads it; absent or mistyped entries are the contract's defaults."""

    schematic: str | None = None
    board: str | None = None
    docs: str = "docs"
    model: str | None = None
    max_turns: int = 40
    max_repair_cycles: int = 5
    stage_max_turns: Mapping[str, int] = field(default_factory=dict)
    budgets: Mapping[str, float] = field(default_factory=dict)
    turn_timeout_s: float = 600.0
    base_url: str | None = None
    api_key_env: str | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model of a run: `asked` for as, sent as `wire_id`; `key` is the credential's value, empty for none."""

    asked: str
    source: Literal["flag", "env", "config"]
    provider: Literal["openai-compat", "openai"]
    wire_id: str
    base_url: str | None
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Retries:
    """How a failing endpoint is asked again: `again` times after 429, 5xx or no connection, waiting `delay_s`, twice
    that, and so on (never more than 30 s); `after_timeouts` times after a turn's time ran out.
    """

    again: int = 4
    delay_s: float = 1.0
    after_timeouts: int = 3


@dataclass(frozen=True, slots=True)
class Ablations:
    """Settings of a run that are varied on purpose (STANDARD 2); recorded word for word in run-start."""

    prompt_variant: str = "standard"
    tools: tuple[str, ...] | None = None
    max_repair_cycles: int | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One agent run as ordered. `stage` is (name, index from 1, total) and `brief` (path, sha256) in `create`."""

    root: Path
    command: Command
    request: str
    task_prompt: str
    model: ModelChoice
    max_turns: int
    max_repair_cycles: int
    turn_timeout_s: float
    max_tokens: int = 8192
    allow_dirty: bool = False
    dry_run: bool = False
    ablations: Ablations = Ablations()
    retries: Retries = Retries()
    stage: tuple[str, int, int] | None = None
    brief: tuple[str, str] | None = None


def read_settings(root: Path) -> ProjectSettings:
    """The project's settings; all defaults when the file is absent. Raises SuiteError when it is not strict JSON."""
    place = root / CONFIG_PATH
    if not place.is_file():
        return ProjectSettings()
    document = parse_json(place.read_bytes(), CONFIG_PATH)
    found: Mapping[str, Any] = document if isinstance(document, dict) else {}
    milliseconds: Any = found.get("turnTimeoutMs")
    cycles = _count(found.get("maxRepairCycles"), least=0)
    return ProjectSettings(
        schematic=_text(found.get("schematic")),
        board=_text(found.get("board")),
        docs=(_text(found.get("docs")) or "docs").strip("/") or "docs",
        model=_text(found.get("model")),
        max_turns=_count(found.get("maxTurns")) or 40,
        max_repair_cycles=5 if cycles is None else cycles,
        stage_max_turns={k: n for k, v in _mapping(found.get("stageMaxTurns")).items() if (n := _count(v))},
        budgets={k: v for k, v in _mapping(found.get("budgets")).items() if _is_number(v)},
        turn_timeout_s=milliseconds / 1000 if _is_number(milliseconds) and milliseconds > 0 else 600.0,
        base_url=_text(found.get("baseURL")),
        api_key_env=_text(found.get("apiKeyEnv")),
    )


def choose_model(flag: str | None, environment: Mapping[str, str], settings: ProjectSettings) -> ModelChoice:
    """Decide model, endpoint and credential before anything is made (STANDARD 8).

    Raises HarnessUnavailable when no model is named, its endpoint is unknown or its key is not set: such a run
    leaves no record.
    """
    asked, source = _asked(flag, environment, settings)
    if asked.split(":")[0] in _OTHER_PROTOCOLS:
        raise HarnessUnavailable(f"model {asked}", "needs another harness", "name one with an OpenAI-style endpoint")
    compat = asked.startswith(_COMPAT)
    wire_id = asked.removeprefix(_COMPAT).strip()
    if not wire_id or asked == "compat":
        raise HarnessUnavailable(f"model {asked}", "names no model", "write compat:<id>, as the endpoint calls it")
    base_url = environment.get("COPPERHEAD_BASE_URL") or settings.base_url
    if compat and not base_url:
        raise HarnessUnavailable(
            f"model {asked}", "has no endpoint", "set COPPERHEAD_BASE_URL, or baseURL in the config"
        )
    if base_url and urlsplit(base_url).scheme not in ("http", "https"):
        raise HarnessUnavailable("the base URL", "is no http or https address", "write https://host/v1")
    variable = environment.get("COPPERHEAD_API_KEY_ENV") or settings.api_key_env or _DEFAULT_KEY
    key = environment.get(variable, "")
    if not key and not _is_local(base_url):
        raise HarnessUnavailable(f"model {asked}", f"its key is not set: {variable} is empty", f"export {variable}")
    return ModelChoice(asked, source, "openai-compat" if compat else "openai", wire_id, base_url, key)


def _asked(
    flag: str | None, environment: Mapping[str, str], settings: ProjectSettings
) -> tuple[str, Literal["flag", "env", "config"]]:
    if flag:
        return flag, "flag"
    if environment.get("COPPERHEAD_MODEL"):
        return environment["COPPERHEAD_MODEL"], "env"
    if settings.model:
        return settings.model, "config"
    raise HarnessUnavailable("model", "none is named", "give --model ID, set COPPERHEAD_MODEL or model in the config")


def _is_local(base_url: str | None) -> bool:
    host = (urlsplit(base_url).hostname or "") if base_url else ""
    return host in _LOOPBACK or host.endswith(".local")


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _count(value: object, least: int = 1) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= least else None
