"""How a run ended: what the runner saw beats what the transcript says (STANDARD 4)."""

from __future__ import annotations

from copperbench.evidence import Transcript
from copperbench.sandbox import ExitFacts

TAMPERED = "tampered"
CAP_EXCEEDED = "cap-exceeded"
NO_RUN_END = "no-run-end"


def effective_exit_path(transcript: Transcript, exit_facts: ExitFacts) -> str:
    """The exit path that counts: tampering, then a cap, then the transcript's run-end, then `no-run-end`.

    A run that the runner ended may have written anything as its last line, and a transcript that was
    tampered with is no witness at all (STANDARD 4, precedence).
    """
    if exit_facts.tampered:
        return TAMPERED
    if exit_facts.cap:
        return CAP_EXCEEDED
    return transcript.exit_path or NO_RUN_END
