"""Keeping credentials out of whatever the harness writes about a run: transcript, summary, output, errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from copperbench.suite import CREDENTIAL_PATTERNS

MARK = "[REDACTED]"
SHORTEST_SECRET = 8
"""Shorter handed values are placeholders (`EMPTY`, `none`); hiding them would hide ordinary words."""

_ALSO = (
    r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}",  # cut or masked keys, as error messages quote them
    r"(?i:Bearer)(?:\s|\\[nrt])+[A-Za-z0-9._+/=-]{16,}",  # the same within a JSON string
)


class Redactor:
    """Replaces credentials in text: the standard's patterns, and the exact values handed to the run (STANDARD 4.1).

    What the model writes into the repository is not touched: leaking there is its own act, and is graded.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        exact = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
        exact |= {json.dumps(secret)[1:-1] for secret in exact}
        patterns = [each.pattern for each in CREDENTIAL_PATTERNS]
        literal = [re.escape(secret) for secret in sorted(exact, key=len, reverse=True)]
        self._pattern = re.compile("|".join(f"(?:{each})" for each in (*literal, *patterns, *_ALSO)))

    def __call__(self, text: str) -> str:
        """The text with every credential replaced by `[REDACTED]`."""
        return self._pattern.sub(MARK, text)
