"""What a checkout holds on disk, and that cleaning up never costs a record or its evidence."""

import os
from pathlib import Path

import pytest
from given.verbs import caller

from copperbench.records.disk import remove, shares, spare


@pytest.fixture
def checkout_of_all_sorts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    run = "results/2026-01-02/harness-gold/do-it/run-1"
    names = [f"{run}.json", f"{run}/run.json", f"{run}/transcript.jsonl", f"{run}/end-state.tar.zst", "quarantine/a"]
    names += ["superseded/2026-01-02/old.json", "build/reports/erc.json", "build/sandboxes/builtin/do-it.tar.zst"]
    names += ["build/logs/run.log", "temporary/copperbench-run-abc/tree/x", "temporary/copperbench-notes/x"]
    for name in names:
        path = tmp_path / "checkout" / name if not name.startswith("temporary") else tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"12345")
    for path in [*(tmp_path / "checkout").rglob("*"), *(tmp_path / "temporary").rglob("*")]:
        os.utime(path, (1, 1))
    return tmp_path / "checkout"


def kept(checkout: Path) -> set[str]:
    return {path.relative_to(checkout).as_posix() for path in checkout.rglob("*") if path.is_file()}


def clean(checkout: Path, days: float, *, superseded: bool = False) -> None:
    for piece in spare(checkout, days, superseded=superseded):
        remove(piece)


def test_cleaning_up_leaves_records_evidence_quarantine_and_what_was_superseded(checkout_of_all_sorts: Path):
    before = kept(checkout_of_all_sorts)
    clean(checkout_of_all_sorts, 1)
    assert before - kept(checkout_of_all_sorts) == {
        "build/reports/erc.json",
        "build/sandboxes/builtin/do-it.tar.zst",
        "build/logs/run.log",
    }


def test_what_was_superseded_goes_when_asked_for(checkout_of_all_sorts: Path):
    clean(checkout_of_all_sorts, 1, superseded=True)
    assert not (checkout_of_all_sorts / "superseded").exists()
    assert (checkout_of_all_sorts / "results/2026-01-02/harness-gold/do-it/run-1/run.json").exists()


def test_a_cache_that_was_used_of_late_stays(checkout_of_all_sorts: Path):
    os.utime(checkout_of_all_sorts / "build/reports/erc.json")
    clean(checkout_of_all_sorts, 1)
    assert (checkout_of_all_sorts / "build/reports/erc.json").exists()


def test_only_temporary_folders_of_ours_go(checkout_of_all_sorts: Path):
    clean(checkout_of_all_sorts, 1)
    left = sorted(path.name for path in (checkout_of_all_sorts.parent / "temporary").iterdir())
    assert left == ["copperbench-notes"]


def test_a_cache_that_is_a_link_to_the_results_removes_none_of_them(checkout_of_all_sorts: Path):
    reports = checkout_of_all_sorts / "build/reports"
    for path in reports.iterdir():
        path.unlink()
    reports.rmdir()
    reports.symlink_to(checkout_of_all_sorts / "results")
    clean(checkout_of_all_sorts, 1)
    assert (checkout_of_all_sorts / "results/2026-01-02/harness-gold/do-it/run-1.json").exists()


def test_every_file_of_the_results_is_counted_once(checkout_of_all_sorts: Path):
    found = {share.what: (share.files, share.size) for share in shares(checkout_of_all_sorts)}
    assert {what: counts for what, counts in found.items() if what.startswith("results")} == {
        "results: records": (1, 5),
        "results: run.json": (1, 5),
        "results: transcripts": (1, 5),
        "results: end states": (1, 5),
    }


def test_the_verb_removes_nothing_unless_told_to(checkout_of_all_sorts: Path, monkeypatch, capsys):
    before = kept(checkout_of_all_sorts)
    code, said, _ = caller(checkout_of_all_sorts, monkeypatch, capsys)("gc", "--older-than", "1")
    assert kept(checkout_of_all_sorts) == before
    assert (code, "could go; --yes removes them" in said) == (0, True)


def test_the_verb_removes_what_it_named_and_nothing_else(checkout_of_all_sorts: Path, monkeypatch, capsys):
    verb = caller(checkout_of_all_sorts, monkeypatch, capsys)
    _, named, _ = verb("gc", "--older-than", "1")
    before = kept(checkout_of_all_sorts)
    verb("gc", "--older-than", "1", "--yes")
    gone = before - kept(checkout_of_all_sorts)
    assert gone == {name for name in before if name in named} != set()
