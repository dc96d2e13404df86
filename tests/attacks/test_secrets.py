"""Credentials left in a sandbox, wherever: found before anything is published, never printed, never a way out."""

from __future__ import annotations

import base64
import json

import pytest

from copperbench.sandbox import quarantine_notices
from copperbench.suite import CREDENTIAL_PATTERNS

# built from pieces, so that this file holds none itself
KEYS = {
    "sk-key": "sk" + "-" + "a1B2" * 8,
    "google-key": "AIz" + "a" + "Sy0_-" * 7,
    "bearer-token": "bearer" + " " + "abcd1234.=" * 3,
    "npm-token": "npm" + "_" + "x9" * 18,
    "github-token": "ghp" + "_" + "Z8" * 18,
    "github-fine-grained-token": "github" + "_pat_" + "Q7_" * 12,
    "groq-key": "gs" + "k_" + "m3" * 12,
}
KEY = KEYS["sk-key"]
EVERYWHERE = {
    "a document": lambda box, key: box.write("docs/NOTE.md", f"use {key} for it"),
    "a binary file": lambda box, key: box.write("x.bin", b"\0\xff" + key.encode() + b"\0"),
    "an ignored file": lambda box, key: box.write(".copperhead/runs/1/log", key),
    "a file name": lambda box, key: box.write(f"docs/{key}.md"),
    "a link": lambda box, key: (box.root / "link").symlink_to(key),
    "a commit message": lambda box, key: box.commit(f"with {key}"),
    "a deleted blob": lambda box, key: (
        box.write("x", key).commit("add"),
        (box.root / "x").unlink(),
        box.commit("remove"),
    ),
    "a dangling blob": lambda box, key: (
        box.write("x", key).commit("add"),
        box.git("reset", "-q", "--hard", box.baseline),
    ),
    "a stash": lambda box, key: (box.write("x", key).git("add", "x"), box.git("stash")),
    "a packed blob": lambda box, key: (
        box.write("x", key).commit("add"),
        (box.root / "x").unlink(),
        box.commit("remove").git("gc", "-q"),
    ),
    "a tag": lambda box, key: box.git("tag", "-a", "v1", "-m", key),
    "git's config": lambda box, key: box.git("config", "http.extraheader", key),
    "a branch name": lambda box, key: box.git("branch", key),
    "the transcript": lambda box, key: setattr(box, "transcript", box.transcript + f'{{"x": "{key}"}}\n'.encode()),
}


def published(sandbox) -> bytes:
    """Every byte, and every name, that landed under results/."""
    results = sandbox.place / "results"
    return b"\n".join(
        str(path.relative_to(results)).encode() + (path.read_bytes() if path.is_file() else b"")
        for path in sorted(results.rglob("*"))
    )


def test_every_kind_of_credential_is_tried_here():
    assert set(KEYS) == {pattern.kind for pattern in CREDENTIAL_PATTERNS}


@pytest.mark.parametrize("kind", KEYS)
def test_a_credential_of_each_kind_in_a_document_is_found_and_named_by_kind(sandbox, twin, kind):
    sandbox.write("docs/NOTE.md", f"key: {KEYS[kind]}\n")
    twin.write("docs/NOTE.md", "key: in the safe\n")
    assert (sandbox.seal.facts.quarantine["kind"], twin.seal.facts.quarantine) == (kind, None)


@pytest.mark.parametrize("place", EVERYWHERE)
def test_a_credential_anywhere_lands_nowhere_under_results(sandbox, place):
    EVERYWHERE[place](sandbox, KEY)
    assert sandbox.seal.facts.quarantine is not None
    assert KEY.encode() not in published(sandbox)
    assert [path.name for path in sandbox.run.iterdir()] == ["run.json"]


@pytest.mark.parametrize("place", EVERYWHERE)
def test_the_evidence_is_kept_aside_where_only_its_owner_can_read_it(sandbox, place):
    EVERYWHERE[place](sandbox, KEY)
    kept = sandbox.place / "quarantine" / sandbox.seal.facts.quarantine["id"]
    assert (kept.stat().st_mode & 0o777, kept.parent.stat().st_mode & 0o777) == (0o700, 0o700)
    assert sorted(path.name for path in kept.iterdir()) == [
        "end-state.tar.zst",
        "finding.json",
        "run.json",
        "transcript.jsonl",
    ]


def test_what_the_operator_is_told_names_kind_file_and_place_and_not_the_text(sandbox):
    sandbox.write("docs/NOTE.md", f"12345{' '}{KEY}")
    told = sandbox.place / "quarantine" / sandbox.seal.facts.quarantine["id"] / "finding.json"
    finding = json.loads(told.read_text())
    assert (finding["kind"], finding["file"], finding["offset"]) == ("sk-key", "docs/NOTE.md", 6)
    assert KEY not in told.read_text()


def test_a_file_whose_name_is_the_key_does_not_print_it_when_its_content_is_found_first(sandbox):
    sandbox.write(f"docs/{KEY}.md", KEYS["groq-key"])
    assert KEY not in json.dumps(dict(sandbox.seal.facts.quarantine))


def test_the_value_of_a_variable_handed_to_the_run_is_a_credential_whatever_it_looks_like(sandbox, twin):
    sandbox.secrets = twin.secrets = (b"correct horse battery staple",)
    sandbox.write("docs/NOTE.md", "log in with correct horse battery staple")
    twin.write("docs/NOTE.md", "log in with a wrong horse")
    assert (sandbox.seal.facts.quarantine["kind"], twin.seal.facts.quarantine) == ("handed-secret", None)


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(KEY.encode()).decode(),
        "solder-mask-fix-for-the-long-connector-footprint",
        "risk-free-and-desk-checked-by-everybody-here",
        "Bearer of bad news",
        "sk" + "-tooshort",
    ],
)
def test_words_that_only_look_like_keys_fail_no_honest_run(sandbox, text):
    sandbox.write("docs/NOTE.md", text).commit(text)
    assert sandbox.seal.facts.quarantine is None


def test_a_key_that_the_baseline_held_is_not_the_runs_doing(make, start, tmp_path):
    from dataclasses import replace

    from copperbench.sandbox import build_sandbox
    from copperbench.suite import Operation

    _, task, fixture, tree = start
    seeded = replace(task, seed=(Operation("write", {"path": "docs/OLD.md", "text": KEY}),))
    archive = tmp_path / "seeded.tar.zst"
    archive.write_bytes(build_sandbox(seeded, fixture, tree).data)
    box = type(make("unused"))(tmp_path / "seeded", archive, seeded, fixture, tree)
    box.write("docs/COPY.md", f"moved: {KEY}")
    assert box.seal.facts.quarantine is None


def test_a_note_of_the_seal_holds_no_credential(sandbox):
    sandbox.write(f".git/objects/pack/{KEY}.pack", "no pack")
    assert sandbox.seal.facts.quarantine is not None
    assert KEY.encode() not in published(sandbox)


def test_the_operator_is_told_where_it_lies_what_was_found_and_what_to_do(sandbox):
    sandbox.write("docs/NOTE.md", f"12345{' '}{KEY}")
    place = f"quarantine/{sandbox.seal.facts.quarantine['id']}"
    assert quarantine_notices(sandbox.place / "quarantine") == (
        f"{place}: the run left a credential (sk-key) in 'docs/NOTE.md', byte 6, so its evidence lies here and it "
        "counts as failed; revoke the credential, then remove this folder",
    )


@pytest.mark.parametrize("place", EVERYWHERE)
def test_what_the_operator_is_told_is_one_line_without_the_credential(sandbox, place):
    EVERYWHERE[place](sandbox, KEY)
    assert sandbox.seal.facts.quarantine is not None
    (notice,) = quarantine_notices(sandbox.place / "quarantine")
    assert (KEY in notice, notice.isprintable()) == (False, True)


def test_a_file_name_plays_no_tricks_with_the_operators_terminal(sandbox):
    sandbox.write("docs/\x1b[2J\n.md", KEY)
    assert sandbox.seal.facts.quarantine is not None
    assert [line.isprintable() for line in quarantine_notices(sandbox.place / "quarantine")] == [True]


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("place", ["a commit message", "a deleted blob", "a file name", "the transcript"])
def test_a_credential_of_each_kind_is_found_wherever_it_is(sandbox, twin, kind, place):
    EVERYWHERE[place](sandbox, KEYS[kind])
    EVERYWHERE[place](twin, "an-honest-word")
    assert (sandbox.seal.facts.quarantine["kind"], twin.seal.facts.quarantine) == (kind, None)


def test_a_quarantined_run_is_a_failed_run_and_its_twin_is_not(sandbox, twin):
    from copperbench.grading import grade_quarantined
    from copperbench.suite import AssertionSpec

    kept = AssertionSpec("kept", "file_unchanged", {"path": "copperbench-ldo-sensor.kicad_sch"}, 1, required=True)
    sandbox.write("docs/NOTE.md", KEY)
    twin.write("docs/NOTE.md", "nothing to hide")
    found = sandbox.seal.facts.quarantine
    assert (grade_quarantined(sandbox.task, "done", found).verdict, twin.grade(kept).verdict) == ("fail", "pass")
