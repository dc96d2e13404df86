"""The cache of KiCad's reports: it saves calls, and never answers for other bytes, versions or a damaged entry."""

import pytest

from copperbench.evidence.report_cache import ReportCache, design_key, keep_only_design
from copperbench.kicad import Report, Violation


class Kicad:
    """Counts how often a report had to be made."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        violation = Violation("pin_not_connected", "error", "/", f"call {self.calls}")
        return Report("erc", "10.0.6", (violation,), (), ())


@pytest.fixture
def design(tmp_path):
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "a.kicad_sch").write_text("(kicad_sch)")
    return folder


@pytest.fixture
def cache(tmp_path):
    return ReportCache(tmp_path / "cache", "10.0.6")


def test_a_design_seen_before_costs_no_call(cache, design):
    kicad = Kicad()
    assert cache.report("erc", design_key(design), kicad) == cache.report("erc", design_key(design), kicad)
    assert kicad.calls == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "a.kicad_sch").write_text("(kicad_sch) "),
        lambda folder: (folder / "b.kicad_sym").write_text(""),
        lambda folder: (folder / "a.kicad_sch").rename(folder / "c.kicad_sch"),
    ],
    ids=["bytes", "new file", "name"],
)
def test_any_change_of_the_design_is_judged_anew(cache, design, change):
    kicad = Kicad()
    cache.report("erc", design_key(design), kicad)
    change(design)
    cache.report("erc", design_key(design), kicad)
    assert kicad.calls == 2


def test_another_kicad_or_another_check_is_another_answer(cache, design):
    kicad = Kicad()
    cache.report("erc", design_key(design), kicad)
    cache.report("drc", design_key(design), kicad)
    ReportCache(cache.folder, "10.0.7").report("erc", design_key(design), kicad)
    assert kicad.calls == 3


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff", b"[" * 100_000])
def test_a_damaged_entry_is_made_anew(cache, design, damage):
    kicad = Kicad()
    cache.report("erc", design_key(design), kicad)
    next(cache.folder.iterdir()).write_bytes(damage)
    cache.report("erc", design_key(design), kicad)
    assert kicad.calls == 2


def test_an_edited_entry_is_not_believed(cache, design):
    kicad = Kicad()
    cache.report("erc", design_key(design), kicad)
    entry = next(cache.folder.iterdir())
    entry.write_bytes(entry.read_bytes().replace(b"call 1", b"call 9"))
    assert cache.report("erc", design_key(design), kicad).violations[0].description == "call 2"


def test_what_fails_is_not_kept(cache, design):
    def broken():
        raise ValueError("no report")

    with pytest.raises(ValueError, match="no report"):
        cache.report("erc", design_key(design), broken)
    assert not cache.folder.exists() or not list(cache.folder.iterdir())


def test_documents_are_no_part_of_what_kicad_reads(design):
    (design / "docs").mkdir()
    (design / "docs/BOM.md").write_text("x")
    (design / ".copperhead").mkdir()
    (design / ".copperhead/config.json").write_text("{}")
    keep_only_design(design)
    assert [path.name for path in design.rglob("*") if path.is_file()] == ["a.kicad_sch"]
