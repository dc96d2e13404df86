"""Who can be put to the test: models, harnesses, prices and ablations, as a campaign names them (STANDARD 2, 8)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from copperbench.errors import SuiteError
from copperbench.suite.reading import parse_json, parse_yaml, read_bytes
from copperbench.suite.schemas import check_schema

MODELS, HARNESSES, PRICING = "config/models.yaml", "config/harnesses.yaml", "config/pricing.json"
PRICED = ("api-frontier", "api-cheap", "open-weight-hosted")
"""The segments whose runs cost USD (STANDARD 8)."""

Segment = Literal[
    "api-frontier", "api-cheap", "open-weight-hosted", "open-weight-self-hosted", "saved-login", "scripted"
]
Setting = Literal["maxTurns", "maxRepairCycles", "promptVariant", "toolSubset"]
_PART = re.compile(r"(?P<kind>turns|repairs|prompt|tools)-(?P<value>[a-z0-9-]+)")
_COMPAT = "compat:"
_DEFAULT_CONTEXT, _DEFAULT_OUTPUT = 200_000, 8192


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One entry of config/models.yaml; `key_env` and `env` are names of variables, never values.

    `context_tokens` and `output_tokens` bound one turn, for the worst case of a plan.
    """

    slug: str
    id: str
    provider: str
    segment: Segment
    pinning: Literal["strong", "weak"]
    harness: str
    endpoint: str | None = None
    key_env: str | None = None
    env: tuple[str, ...] = ()
    open_weights: bool = False
    context_tokens: int = _DEFAULT_CONTEXT
    output_tokens: int = _DEFAULT_OUTPUT
    arguments: tuple[str, ...] = ()

    @property
    def is_priced(self) -> bool:
        """Whether runs of this model cost USD by the price table."""
        return self.segment in PRICED


@dataclass(frozen=True, slots=True)
class ModeCall:
    """How a harness is called in one mode: arguments, options by setting, the most run folders that it makes."""

    arguments: tuple[str, ...]
    options: Mapping[str, str]
    run_folders: int


@dataclass(frozen=True, slots=True)
class Quirk:
    """Something that versions of a harness (shell patterns such as `0.9.*`) need done to the starting state."""

    name: str
    versions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HarnessEntry:
    """One entry of config/harnesses.yaml: a command with the harness contract's command line."""

    name: str
    command: tuple[str, ...]
    modes: Mapping[str, ModeCall]
    version: tuple[str, ...] = ("--version",)
    init: tuple[str, ...] = ("init", "--no-hooks")
    checkout: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    quirks: tuple[Quirk, ...] = ()


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens of one model, and the version of the table that says so."""

    table_version: str
    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None


@dataclass(frozen=True, slots=True)
class Ablations:
    """Settings of a run that are varied on purpose, recorded word for word (STANDARD 2); None is not varied."""

    max_turns: int | None = None
    max_repair_cycles: int | None = None
    prompt_variant: str | None = None
    tool_subset: tuple[str, ...] | None = None

    def settings(self) -> dict[Setting, Any]:
        """The ones that are set, by the names that records use."""
        every: dict[Setting, Any] = {
            "maxTurns": self.max_turns,
            "maxRepairCycles": self.max_repair_cycles,
            "promptVariant": self.prompt_variant,
            "toolSubset": None if self.tool_subset is None else list(self.tool_subset),
        }
        return {name: value for name, value in every.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Contender:
    """A model under one condition, as a campaign plans it: `gpt-5+turns-10`."""

    slug: str
    model: ModelEntry
    harness: HarnessEntry
    ablations: Ablations
    price: Price | None
    sources: Mapping[str, Any]
    """The entries as they stand in the configuration: what is handed to a verb."""


@dataclass(frozen=True, slots=True)
class Roster:
    """config/models.yaml, config/harnesses.yaml and config/pricing.json, read and checked."""

    models: Mapping[str, Any]
    harnesses: Mapping[str, Any]
    pricing: Mapping[str, Any]

    def contender(self, slug: str, tool_subsets: Mapping[str, Any], where: str) -> Contender:
        """The model and condition that a slug names.

        Raises SuiteError for an unknown model, harness, tool subset or ablation.
        """
        base, *parts = slug.split("+")
        if base not in self.models:
            raise SuiteError(where, f"unknown model {base!r}", f"name a slug of {MODELS}")
        entry = self.models[base]
        if entry["harness"] not in self.harnesses:
            there = f"{MODELS}: $.models.{base}.harness"
            raise SuiteError(there, f"unknown harness {entry['harness']!r}", f"name one of {HARNESSES}")
        ablations = parse_ablations(parts, tool_subsets, where)
        price = self.price_of(entry["id"])
        harness = self.harnesses[entry["harness"]]
        sources = {"model": entry, "harness": harness, "price": price, "ablations": ablations.settings()}
        return Contender(
            slug, parse_model(base, entry), parse_harness(entry["harness"], harness), ablations, _price(price), sources
        )

    def price_of(self, model_id: str) -> Mapping[str, Any] | None:
        """The row of a model id in the current price table, with the table's version; a `compat:` is left out."""
        table = self.pricing.get("models", {})
        row = table.get(model_id) or table.get(model_id.removeprefix(_COMPAT))
        return None if row is None else {**row, "tableVersion": self.pricing["tableVersion"]}


def load_roster(root: Path) -> Roster:
    """The roster of a checkout; a file that is not there counts as empty. Raises SuiteError."""
    models = _read(root, MODELS, "models")
    harnesses = _read(root, HARNESSES, "harnesses")
    return Roster(models.get("models", {}), harnesses.get("harnesses", {}), _read(root, PRICING, "pricing"))


def parse_model(slug: str, entry: Mapping[str, Any], where: str = MODELS) -> ModelEntry:
    """A model's entry as a value. Raises SuiteError when it does not fit the schema."""
    check_schema("models", {"models": {slug: dict(entry)}}, where)
    return ModelEntry(
        slug=slug,
        id=entry["id"],
        provider=entry["provider"],
        segment=entry["segment"],
        pinning=entry["pinning"],
        harness=entry["harness"],
        endpoint=entry.get("endpoint"),
        key_env=entry.get("keyEnv"),
        env=tuple(entry.get("env", ())),
        open_weights=entry.get("openWeights", False),
        context_tokens=entry.get("contextTokens", _DEFAULT_CONTEXT),
        output_tokens=entry.get("outputTokens", _DEFAULT_OUTPUT),
        arguments=tuple(entry.get("arguments", ())),
    )


def parse_harness(name: str, entry: Mapping[str, Any], where: str = HARNESSES) -> HarnessEntry:
    """A harness's entry as a value. Raises SuiteError when it does not fit the schema."""
    check_schema("harnesses", {"harnesses": {name: dict(entry)}}, where)
    modes = {
        mode: ModeCall(tuple(call["arguments"]), dict(call.get("options", {})), call.get("runFolders", 1))
        for mode, call in entry["modes"].items()
    }
    return HarnessEntry(
        name=name,
        command=tuple(entry["command"]),
        modes=modes,
        version=tuple(entry.get("version", ("--version",))),
        init=tuple(entry.get("init", ("init", "--no-hooks"))),
        checkout=entry.get("checkout"),
        environment=dict(entry.get("environment", {})),
        quirks=tuple(Quirk(each["name"], tuple(each["versions"])) for each in entry.get("quirks", ())),
    )


def parse_contender(slug: str, data: bytes, where: str) -> Contender:
    """The contender in the JSON that a campaign hands to a verb: its sources, as `Contender.sources` has them.

    Raises SuiteError when it is no such JSON.
    """
    value = parse_json(data, where)
    try:
        model, harness, price, settings = (value[name] for name in ("model", "harness", "price", "ablations"))
        base = slug.split("+")[0]
        tools = settings.get("toolSubset")
        ablations = Ablations(
            settings.get("maxTurns"),
            settings.get("maxRepairCycles"),
            settings.get("promptVariant"),
            None if tools is None else tuple(tools),
        )
        return Contender(
            slug,
            parse_model(base, model, where),
            parse_harness(model["harness"], harness, where),
            ablations,
            _price(price),
            value,
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise SuiteError(where, "is not a contender", "give {model, harness, price, ablations}") from error


def parse_ablations(parts: list[str], tool_subsets: Mapping[str, Any], where: str) -> Ablations:
    """The ablations in the parts of a slug behind the model: `turns-10`, `repairs-2`, `prompt-terse`, `tools-<name>`.

    Raises SuiteError for a part that is none of these, stands twice, or names an unknown subset of tools.
    """
    found: dict[str, str] = {}
    for part in parts:
        match = _PART.fullmatch(part)
        if match is None or match["kind"] in found:
            what = "stands twice" if match else "is no ablation"
            raise SuiteError(where, f"{part!r} {what}", "use turns-N, repairs-N, prompt-NAME or tools-NAME once each")
        found[match["kind"]] = match["value"]
    tools = found.get("tools")
    if tools is not None and tools not in tool_subsets:
        raise SuiteError(where, f"unknown tool subset {tools!r}", "define it under tool_subsets in config/config.yaml")
    return Ablations(
        _count(found.get("turns"), 1, where),
        _count(found.get("repairs"), 0, where),
        found.get("prompt"),
        None if tools is None else tuple(tool_subsets[tools]),
    )


def _count(text: str | None, least: int, where: str) -> int | None:
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= 1000:
        raise SuiteError(where, f"{text!r} is no count from {least} to 1000", "write for example turns-10")
    return int(text)


def _price(row: Mapping[str, Any] | None) -> Price | None:
    if row is None:
        return None
    return Price(row["tableVersion"], row["input"], row["output"], row.get("cacheRead"), row.get("cacheWrite"))


def _read(root: Path, name: str, kind: str) -> Mapping[str, Any]:
    path = root / name
    if not path.exists():
        return {}
    data = read_bytes(path, name)
    value: Mapping[str, Any] = parse_json(data, name) if name.endswith(".json") else parse_yaml(data, name) or {}
    check_schema(kind, value, name)
    return value
