"""The one list of credential patterns: `no_secret` and the scan before publication share it (STANDARD 4.1)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

SHORTEST_SECRET = 8
"""Handed values shorter than this are placeholders (`EMPTY`, `none`); looking for them would hit ordinary words."""


@dataclass(frozen=True, slots=True)
class CredentialPattern:
    """One form of credential; `pattern` is applied to bytes."""

    kind: str
    pattern: str


@dataclass(frozen=True, slots=True, order=True)
class CredentialMatch:
    """Where a credential stands: byte offset, kind, and the SHA-256 of the matching text; never the text."""

    offset: int
    kind: str
    digest: str


CREDENTIAL_PATTERNS: tuple[CredentialPattern, ...] = (
    CredentialPattern("sk-key", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}"),
    CredentialPattern("google-key", r"AIza[0-9A-Za-z_-]{20,}"),
    CredentialPattern("bearer-token", r"(?i:Bearer)\s+[A-Za-z0-9._+/=-]{16,}"),
    CredentialPattern("npm-token", r"npm_[A-Za-z0-9-]{36,}"),
    CredentialPattern("github-token", r"gh[pousr]_[A-Za-z0-9]{36,}"),
    CredentialPattern("github-fine-grained-token", r"github_pat_[A-Za-z0-9_]{22,}"),
    CredentialPattern("groq-key", r"gsk_[A-Za-z0-9]{20,}"),
)
HANDED_SECRET = "handed-secret"  # noqa: S105 - the name of a kind, no secret
_COMPILED = tuple((each.kind, re.compile(each.pattern.encode("ascii"))) for each in CREDENTIAL_PATTERNS)


def find_credentials(data: bytes, extra: Iterable[bytes] = ()) -> list[CredentialMatch]:
    """Every credential in `data`, in order of its place (STANDARD 4.1).

    `extra` are the exact values of the secret variables handed to the run; values of fewer than eight bytes are
    left out.
    """
    found = {
        CredentialMatch(match.start(), kind, hashlib.sha256(match.group()).hexdigest())
        for kind, pattern in _COMPILED
        for match in pattern.finditer(data)
    }
    for secret in extra:
        if len(secret) >= SHORTEST_SECRET:
            digest = hashlib.sha256(secret).hexdigest()
            found |= {CredentialMatch(offset, HANDED_SECRET, digest) for offset in _offsets(data, secret)}
    return sorted(found)


def patterns_digest() -> str:
    """SHA-256 of the whole list: part of the suite's lock, since a change to it bumps the suite (STANDARD 7)."""
    lines = "".join(f"{each.kind}\t{each.pattern}\n" for each in CREDENTIAL_PATTERNS)
    return hashlib.sha256(lines.encode("ascii")).hexdigest()


def _offsets(data: bytes, secret: bytes) -> list[int]:
    offsets = []
    at = data.find(secret)
    while at >= 0:
        offsets.append(at)
        at = data.find(secret, at + len(secret))
    return offsets
