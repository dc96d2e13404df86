"""One HTTP request at a time to one address, each with a time limit from first to last byte."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from copperbench import __version__
from copperbench.agent.provider import ProviderError
from copperbench.errors import HarnessUnavailable

if TYPE_CHECKING:
    import urllib3

OPENAI = "https://api.openai.com/v1"
_LARGEST_REPLY = 32 * 1024 * 1024
_CHUNK = 1 << 16
_CONNECT_S = 20.0
_NO_CONNECTION = {
    "NameResolutionError": "the name of the host is not known",
    "NewConnectionError": "nobody answers at that address",
    "ConnectTimeoutError": "no answer in time",
    "ProxyError": "the proxy does not let it through",
    "SSLError": "the encryption could not be agreed on",
}


class Broken(Exception):
    """The connection failed in a way that may pass."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, body, and the header that asks for patience, if there was one."""

    status: int
    body: bytes
    retry_after: str | None


class Wire:
    """A connection to `base_url` (OpenAI's own where it is None) that presents `key`, if there is one.

    The proxies that the environment names are used. A redirect is not followed: it would carry the key elsewhere.
    Raises HarnessUnavailable for an address or a key that cannot be used.
    """

    def __init__(self, base_url: str | None, key: str, timeout_s: float) -> None:
        import urllib3

        self._base = (base_url or OPENAI).rstrip("/")
        self._timeout_s = timeout_s
        self._headers = {"Content-Type": "application/json", "User-Agent": f"copperbench-agent/{__version__}"}
        if key:
            if not (key.isascii() and key.isprintable()) or " " in key:
                raise HarnessUnavailable("the key", "holds what no header can carry", "look for a blank or a line end")
            self._headers["Authorization"] = f"Bearer {key}"
        try:
            proxy = _proxy(self._base)
            self._pool = _through(proxy) if proxy else urllib3.PoolManager(num_pools=1)
            self._pool.connection_from_url(self._base)
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            what = f"cannot be connected to ({type(error).__name__})"
            raise HarnessUnavailable("the base URL or its proxy", what, "write https://host/v1") from None

    def post(self, path: str, body: bytes) -> Answer:
        """Send `body` and read the whole answer. Raises TimeoutError, Broken, ProviderError for one that is too big."""
        import urllib3

        deadline = time.monotonic() + self._timeout_s
        timeout = urllib3.Timeout(connect=min(_CONNECT_S, self._timeout_s), read=self._timeout_s)
        with _said_plainly():
            response = self._pool.request(
                "POST",
                self._base + path,
                body=body,
                headers=self._headers,
                timeout=timeout,
                retries=False,
                redirect=False,
                preload_content=False,
            )
            try:
                return Answer(response.status, _read(response, deadline), response.headers.get("retry-after"))
            except BaseException:
                response.close()
                raise
            finally:
                response.release_conn()


def _read(response: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
    chunks, size = [], 0
    while chunk := response.read1(_CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > _LARGEST_REPLY:
            raise ProviderError("provider error", f"its reply is larger than {_LARGEST_REPLY} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
    return b"".join(chunks)


@contextmanager
def _said_plainly() -> Iterator[None]:
    """Turn the library's errors into ours, whose texts hold neither address nor header."""
    from urllib3 import exceptions as failure

    try:
        yield
    except failure.ReadTimeoutError as error:
        raise TimeoutError from error
    except (failure.NewConnectionError, failure.ConnectTimeoutError, failure.ProxyError, failure.SSLError) as error:
        name = type(error).__name__
        raise Broken(f"no connection: {_NO_CONNECTION.get(name, name)}") from error
    except failure.HTTPError as error:
        raise Broken(f"the connection broke ({type(error).__name__})") from error


def _proxy(url: str) -> str | None:
    parts = urlsplit(url)
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return found if found and not proxy_bypass(parts.hostname or "") else None


def _through(proxy: str) -> urllib3.ProxyManager:
    import urllib3

    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    headers = urllib3.make_headers(proxy_basic_auth=login) if login else None
    place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    return urllib3.ProxyManager(place, num_pools=1, proxy_headers=headers)
