"""What a model endpoint is to the loop: messages in, one reply out, or one of two errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from copperbench.errors import CopperbenchError

Message = Mapping[str, Any]
"""A chat message in the form of the OpenAI protocol, which is the conversation's own form here."""
_DEEPEST_ARGUMENTS = 20
# What a thinking model has to be shown again with its calls, word for word: some endpoints refuse the next turn else.
_CARRIED_BY_MESSAGE = ("reasoning_content", "reasoning_details")
_CARRIED_BY_CALL = ("extra_content",)
# What OpenAI calls them comes first, then the names of other servers with this protocol.
_CACHE_READ = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
_CACHE_WRITE = ("cache_write_tokens", "cache_creation_tokens", "cache_creation_input_tokens")


class ProviderError(CopperbenchError):
    """The endpoint gave no usable reply, asked again as often as is sensible; the run ends `provider-error`."""


class SessionLimit(ProviderError):
    """The account's allowance is used up; the run ends `session-limit`."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that the model asks for; arguments that are no JSON object are `{"_raw": text}`.

    `extra` is what the endpoint wants back with it, such as a signature of the thought behind it.
    """

    id: str
    name: str
    args: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one turn as the endpoint reports them.

    `cached` is the part of `tokens_in` that was read from its cache, `written` the part that was written to it.
    """

    tokens_in: int
    tokens_out: int
    cached: int | None
    written: int | None = None

    def as_counts(self) -> Mapping[str, int | None]:
        """The counts as the transcript names them."""
        return {"in": self.tokens_in, "out": self.tokens_out, "cached": self.cached, "cacheWrite": self.written}


@dataclass(frozen=True, slots=True)
class Reply:
    """One turn of the model. `usage` is None where the endpoint reports none (which is not the same as 0 tokens).

    `carried` is what the endpoint wants back with the message, such as the thoughts behind it.
    """

    text: str | None
    calls: tuple[ToolCall, ...]
    usage: Usage | None
    served: str | None
    finish_reason: str | None
    asked_again: int = 0
    carried: Mapping[str, Any] = field(default_factory=dict)

    def as_message(self) -> Message:
        """The reply as the conversation carries it on: whatever was wrong with it, this is valid."""
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.args)},
                **call.extra,
            }
            for call in self.calls
        ]
        said = {"role": "assistant", "content": self.text or "", **self.carried}
        return {**said, **({"tool_calls": calls} if calls else {})}


class Provider(Protocol):
    """A model that can be talked to."""

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The model's next turn. Raises ProviderError, SessionLimit."""


def parse_reply(body: bytes, turn: int) -> Reply:
    """Read the body of a chat completion; only what cannot be a reply at all is refused.

    `turn` numbers the calls that come without an id. Raises ProviderError.
    """
    try:
        document = json.loads(body)
        message = document["choices"][0]["message"]
        text, calls = message.get("content"), message.get("tool_calls") or ()
        if not isinstance(calls, Sequence) or isinstance(calls, str):
            raise TypeError("tool_calls is no list")
        return Reply(
            text=_clean(text) if isinstance(text, str) else _parts(text),
            calls=tuple(_call(each, f"call_{turn}_{number}") for number, each in enumerate(calls)),
            usage=_usage(document.get("usage")),
            served=_word(document.get("model")),
            finish_reason=_word(document["choices"][0].get("finish_reason")),
            carried=_carried(message, _CARRIED_BY_MESSAGE),
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        what = f"its reply is no chat completion ({type(error).__name__}: {str(error)[:120]})"
        raise ProviderError("provider error", what) from error


def _call(value: Any, fallback_id: str) -> ToolCall:
    function = value.get("function") if isinstance(value, dict) else None
    function = function if isinstance(function, dict) else {}
    name, call_id = function.get("name"), value.get("id") if isinstance(value, dict) else None
    return ToolCall(
        _clean(call_id) if isinstance(call_id, str) and call_id else fallback_id,
        _clean(name)[:80] if isinstance(name, str) else "",
        _arguments(function.get("arguments")),
        _carried(value, _CARRIED_BY_CALL),
    )


def _carried(value: Any, names: Sequence[str]) -> Mapping[str, Any]:
    found = value if isinstance(value, dict) else {}
    return {name: found[name] for name in names if found.get(name) is not None and _is_shallow(found[name])}


def _arguments(value: Any) -> Mapping[str, Any]:
    """An object, whether it comes as JSON text (the protocol) or as an object (some servers)."""
    found = value
    if value is None or value == "":
        found = {}
    elif isinstance(value, str):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            found = None
    if not isinstance(found, dict) or not _is_shallow(found):
        return {"_raw": _clean(value if isinstance(value, str) else repr(value))}
    return found


def _is_shallow(value: Any) -> bool:
    """Whether a value is nested no deeper than makes sense, so that writing it down again cannot fail."""
    level = [value]
    for _ in range(_DEEPEST_ARGUMENTS):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return True
    return False


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    tokens_in, tokens_out = _number(value.get("prompt_tokens")), _number(value.get("completion_tokens"))
    if tokens_in is None or tokens_out is None:
        return None
    return Usage(tokens_in, tokens_out, _first(value, _CACHE_READ), _first(value, _CACHE_WRITE))


def _first(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    """The first of several counts that is there: in the details of the prompt, else beside them."""
    details = usage.get("prompt_tokens_details")
    places = (details if isinstance(details, dict) else {}, usage)
    found = (_number(place.get(name)) for place in places for name in names)
    return next((count for count in found if count is not None), None)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _parts(value: Any) -> str | None:
    """Content that comes as a list of parts: the texts among them."""
    if not isinstance(value, list):
        return None
    texts = [each.get("text") for each in value if isinstance(each, dict)]
    return _clean("".join(text for text in texts if isinstance(text, str)))


def _word(value: Any) -> str | None:
    return _clean(value)[:200] if isinstance(value, str) and value else None


def _clean(text: str) -> str:
    """Text without lone surrogates, which no request could carry."""
    return text.encode("utf-8", "replace").decode("utf-8")
