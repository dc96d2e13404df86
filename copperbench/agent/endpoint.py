"""An OpenAI-compatible endpoint: asked again where that helps, never for ever.

The protocol is spoken straight over HTTP. The openai package would do the same in half a second of imports, which is
more than everything else that a run costs; a test holds this module to what that package sends and understands.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from copperbench.agent.provider import Message, ProviderError, Reply, SessionLimit, parse_reply
from copperbench.agent.settings import ModelChoice, Retries
from copperbench.agent.wire import Broken, Wire

_LONGEST_WAIT_S = 30.0
_LONGEST_SAYING = 500
_SESSION_LIMIT = re.compile(r"(?:session|usage|weekly|daily)[ -](?:token )?limit", re.IGNORECASE)
_WANTS_NEW_NAME = re.compile(r"max_completion_tokens")
_RETRIED_STATUS = frozenset({408, 409, 429})


class _Again(Exception):
    """The request failed in a way that may pass; `wait_s` is what the server asks for, if it does."""

    def __init__(self, what: str, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.wait_s = wait_s


class Endpoint:
    """One model at one address (the Provider of real runs).

    `timeout_s` bounds a turn from request to last byte. `on_timeout(attempt)` is told of each turn that is asked
    again after its time ran out; `sleep` waits between attempts. `waited_s` sums the time in requests and waits.
    Raises HarnessUnavailable for an address or a key that cannot be used.
    """

    def __init__(
        self,
        model: ModelChoice,
        *,
        timeout_s: float,
        max_tokens: int,
        retries: Retries,
        on_timeout: Callable[[int], None] = lambda _attempt: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.waited_s = 0.0
        self._model = model
        self._timeout_s = timeout_s
        self._retries = retries
        self._on_timeout = on_timeout
        self._sleep = sleep
        self._turn = 0
        name = "max_tokens" if model.provider == "openai-compat" else "max_completion_tokens"
        self._limit = {name: max_tokens}
        self._wire = Wire(model.base_url, model.key, timeout_s)

    def reply(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The model's next turn; see Provider."""
        self._turn += 1
        started = time.perf_counter()
        try:
            # "auto" is the protocol's default, but some servers take its absence for "none".
            request = {"model": self._model.wire_id, "messages": list(messages), "tools": list(tools)}
            return self._insist(request | {"tool_choice": "auto"})
        finally:
            self.waited_s += time.perf_counter() - started

    def _insist(self, request: Mapping[str, Any]) -> Reply:
        again = timeouts = 0
        while True:
            try:
                reply = parse_reply(self._post({**request, **self._limit}), self._turn - 1)
            except TimeoutError:
                timeouts += 1
                if timeouts > self._retries.after_timeouts:
                    what = f"no reply within {self._timeout_s:g} s, {timeouts} times"
                    raise ProviderError("provider error", what) from None
                self._on_timeout(timeouts)
            except _Again as failure:
                if again >= self._retries.again:
                    raise ProviderError("provider error", f"{failure} ({again + 1} attempts)") from failure
                wait = failure.wait_s if failure.wait_s is not None else self._retries.delay_s * 2**again
                again += 1
                self._sleep(min(wait, _LONGEST_WAIT_S))
            else:
                return replace(reply, asked_again=again + timeouts)

    def _post(self, body: Mapping[str, Any]) -> bytes:
        """One request. Raises TimeoutError, _Again, ProviderError, SessionLimit."""
        try:
            answer = self._wire.post("/chat/completions", json.dumps(body).encode("ascii"))
        except Broken as error:
            raise _Again(str(error)) from error
        if not 200 <= answer.status < 300:
            raise self._verdict(answer.status, _said(answer.body), answer.retry_after)
        return answer.body

    def _verdict(self, status: int, said: str, retry_after: str | None) -> Exception:
        """What a refused request means: try again, give up, or the account's limit."""
        if status != 429 and _SESSION_LIMIT.search(said):
            return SessionLimit("session limit", said)
        if status in _RETRIED_STATUS or status >= 500:
            return _Again(f"{status} {said}".rstrip(), _asked_wait(retry_after))
        if status == 400 and "max_tokens" in self._limit and _WANTS_NEW_NAME.search(said):
            self._limit = {"max_completion_tokens": self._limit["max_tokens"]}
            return _Again(f"{status} {said}", 0.0)
        return ProviderError("provider error", f"{status} {said}".rstrip())


def _said(body: bytes) -> str:
    """What an endpoint says of a refused request, in whichever of the usual places; else the beginning of its body."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        found = found.get("error", found) if isinstance(found, dict) else found
        for name in ("message", "detail"):
            if isinstance(found, dict) and isinstance(found.get(name), str):
                found = found[name]
        text = found if isinstance(found, str) else text
    except (ValueError, RecursionError):
        pass
    legible = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(legible.split())[:_LONGEST_SAYING]


def _asked_wait(header: str | None) -> float | None:
    """Seconds of a Retry-After header; None for a date, nonsense or nothing."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
