"""An OpenAI-compatible endpoint, through the openai package: asked again where that helps, never for ever."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from copperbench.agent.provider import Message, ProviderError, Reply, SessionLimit, parse_reply
from copperbench.agent.settings import ModelChoice, Retries
from copperbench.errors import HarnessUnavailable

if TYPE_CHECKING:
    import openai

_LARGEST_REPLY = 32 * 1024 * 1024
_LONGEST_WAIT_S = 30.0
_CONNECT_S = 20.0
_NO_KEY = "none"
_SESSION_LIMIT = re.compile(r"(?:session|usage|weekly|daily)[ -](?:token )?limit", re.IGNORECASE)
_WANTS_NEW_NAME = re.compile(r"max_completion_tokens")
_ERROR_CODE = re.compile(r"^Error code: \d+ - ")
_RETRIED_STATUS = frozenset({408, 409, 429})


class TurnTimeout(Exception):
    """A turn's time ran out."""


class _Again(Exception):
    """The request failed in a way that may pass; `wait_s` is what the server asks for, if it does."""

    def __init__(self, what: str, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.wait_s = wait_s


class Endpoint:
    """One model at one address (the Provider of real runs).

    `timeout_s` bounds a turn from request to last byte. `on_timeout(attempt)` is told of each turn that is asked
    again after its time ran out; `sleep` waits between attempts. `loaded_s` is what loading the client took, `waited_s`
    sums the time in requests and waits.
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
        started = time.perf_counter()
        self.waited_s = 0.0
        self._model = model
        self._timeout_s = timeout_s
        self._retries = retries
        self._on_timeout = on_timeout
        self._sleep = sleep
        self._turn = 0
        name = "max_tokens" if model.provider == "openai-compat" else "max_completion_tokens"
        self._limit = {name: max_tokens}
        self._openai = _package()
        self._client = self._connected()
        self.loaded_s = time.perf_counter() - started

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
            except TurnTimeout:
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
                return Reply(reply.text, reply.calls, reply.usage, reply.served, reply.finish_reason, again + timeouts)

    def _post(self, body: Mapping[str, Any]) -> bytes:
        """One request. Raises TurnTimeout, _Again, ProviderError, SessionLimit."""
        package = self._openai
        try:
            return self._read(body)
        except package.APITimeoutError as error:
            raise TurnTimeout from error
        except package.APIStatusError as error:
            raise self._verdict(error) from error
        except package.APIConnectionError as error:
            cause = error.__cause__
            raise _Again(f"no connection: {type(cause).__name__ if cause else 'refused'}") from error
        except package.OpenAIError as error:
            raise ProviderError("provider error", str(error)[:500]) from error

    def _read(self, body: Mapping[str, Any]) -> bytes:
        import httpx2  # what the openai package itself speaks through; it lets these errors of a body pass as they are

        deadline = time.monotonic() + self._timeout_s
        chunks, size = [], 0
        try:
            create: Any = self._client.chat.completions.with_streaming_response.create
            with create(**body) as response:
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > _LARGEST_REPLY:
                        raise ProviderError("provider error", f"its reply is larger than {_LARGEST_REPLY} bytes")
                    if time.monotonic() > deadline:
                        raise TurnTimeout
        except httpx2.TimeoutException as error:
            raise TurnTimeout from error
        except httpx2.HTTPError as error:
            raise _Again(f"the connection broke ({type(error).__name__})") from error
        return b"".join(chunks)

    def _verdict(self, error: openai.APIStatusError) -> Exception:
        """What a refused request means: try again, give up, or the account's limit."""
        status, said = error.status_code, _ERROR_CODE.sub("", str(error.message))[:500]
        if status != 429 and _SESSION_LIMIT.search(said):
            return SessionLimit("session limit", said)
        if status in _RETRIED_STATUS or status >= 500:
            return _Again(f"{status} {said}", _asked_wait(error.response.headers.get("retry-after")))
        if status == 400 and "max_tokens" in self._limit and _WANTS_NEW_NAME.search(said):
            self._limit = {"max_completion_tokens": self._limit["max_tokens"]}
            return _Again(f"{status} {said}", 0.0)
        return ProviderError("provider error", f"{status} {said}")

    def _connected(self) -> openai.OpenAI:
        try:
            client: openai.OpenAI = self._openai.OpenAI(
                api_key=self._model.key or _NO_KEY,
                base_url=self._model.base_url,
                max_retries=0,
                timeout=self._openai.Timeout(self._timeout_s, connect=min(_CONNECT_S, self._timeout_s)),
            )
            return client
        except (self._openai.OpenAIError, ValueError) as error:
            raise HarnessUnavailable(f"model {self._model.asked}", f"no client for it ({error})") from error


def load_client() -> None:
    """Import the client library if it is there, so that it is at hand when an Endpoint asks for it."""
    with suppress(ImportError):
        import openai  # noqa: F401


def _package() -> Any:
    try:
        import openai
    except ImportError as error:
        raise HarnessUnavailable("openai", "is not installed", "pip install 'copperbench[agent]'") from error
    return openai


def _asked_wait(header: str | None) -> float | None:
    """Seconds of a Retry-After header; None for a date, nonsense or nothing."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
