"""The credential patterns: every form is found, honest words are not, and the text never leaves."""

from __future__ import annotations

import dataclasses
import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.suite import CREDENTIAL_PATTERNS, find_credentials

# The patterns that a harness redacts with in its own transcripts; only `sk-` is narrower here, on purpose: without
# a boundary before it and a length behind it, words like `solder-mask-fix` would fail honest runs.
HARNESS_REDACTION = {
    "sk-key": r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,}",
    "bearer-token": r"(?i:Bearer)\s+[A-Za-z0-9._+/=-]{16,}",
    "npm-token": r"npm_[A-Za-z0-9-]{36,}",
    "github-token": r"gh[pousr]_[A-Za-z0-9]{36,}",
    "github-fine-grained-token": r"github_pat_[A-Za-z0-9_]{22,}",
    "google-key": r"AIza[A-Za-z0-9_-]{20,}",
    "groq-key": r"gsk_[A-Za-z0-9]{20,}",
}
# Made up here, put together at run time so that no scanner takes this file for a leak.
SAMPLES = {
    "sk-key": "sk" + "-proj-" + "a1B2" * 8,
    "google-key": "AI" + "za" + "Sy0_" * 9,
    "bearer-token": "bEaReR" + " \t" + "abc.DEF+/=" * 2,
    "npm-token": "np" + "m_" + "a1B2" * 9,
    "github-token": "gh" + "p_" + "a1B2" * 9,
    "github-fine-grained-token": "github" + "_pat_" + "a1_B" * 6,
    "groq-key": "gs" + "k_" + "a1B2" * 5,
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_form_of_credential_is_found_where_it_stands(kind):
    found = find_credentials(b"key: " + SAMPLES[kind].encode() + b"\n")
    assert [(match.kind, match.offset) for match in found] == [(kind, 5)]


def test_the_list_has_a_sample_of_every_kind():
    assert {pattern.kind for pattern in CREDENTIAL_PATTERNS} == set(SAMPLES)


@pytest.mark.parametrize("kind", HARNESS_REDACTION)
@given(data=st.data())
def test_whatever_a_harness_redacts_is_a_credential_here(kind, data):
    text = data.draw(st.from_regex(re.compile(HARNESS_REDACTION[kind], re.ASCII), fullmatch=True))
    assert kind in {match.kind for match in find_credentials(text.encode())}


@pytest.mark.parametrize(
    "text",
    [
        "solder-mask-clearance-of-the-whole-board",
        "task-list-of-everything-that-is-left-to-do",
        "sk-short",
        "risk-free",
        "Bearer of bad news",
        "AIza",
        "npm_config_registry",
        "ghp_short",
    ],
)
def test_honest_words_are_no_credentials(text):
    assert find_credentials(text.encode()) == []


def test_a_handed_secret_is_found_exactly_and_everywhere():
    found = find_credentials(b"x hunter22 y hunter22", [b"hunter22"])
    assert [(match.kind, match.offset) for match in found] == [("handed-secret", 2), ("handed-secret", 13)]


def test_a_placeholder_handed_as_a_key_hits_nothing():
    assert find_credentials(b"EMPTY none x", [b"EMPTY", b"none", b"x", b""]) == []


def test_a_match_carries_a_digest_and_never_the_text():
    sample = SAMPLES["github-token"].encode()
    match = find_credentials(sample)[0]
    assert (match.digest, sample.decode() in repr(dataclasses.asdict(match))) == (
        hashlib.sha256(sample).hexdigest(),
        False,
    )


def test_a_credential_in_binary_noise_is_found():
    found = find_credentials(b"\xff\x00" + SAMPLES["groq-key"].encode() + b"\x00\xfe")
    assert [match.kind for match in found] == ["groq-key"]


def test_megabytes_of_near_misses_are_scanned():
    noise = b"sk-" * 300_000 + b"Bearer " * 100_000 + b" " * 1_000_000 + b"npm_" * 100_000
    assert {match.kind for match in find_credentials(noise)} <= {"sk-key", "bearer-token"}
