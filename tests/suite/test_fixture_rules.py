"""What `validate` refuses in a fixture: files, licence, tree, baseline."""

from __future__ import annotations

import pytest

from copperbench.suite import Finding, Skipped, examine, validate

HERE = "fixtures/own-board"
MANIFEST = f"{HERE}/fixture.json"
UPSTREAM = {
    "name": "some board",
    "url": "https://example.org/board",
    "commit": "c" * 40,
    "retrieved": "2026-01-31",
    "license": "MIT",
    "licenseFile": "LICENSE",
    "copyright": "(c) 2026 Somebody",
    "modifications": "none",
}
PROVENANCE = "https://example.org/board " + "c" * 40 + " 2026-01-31 (c) 2026 Somebody\n"


def edit(change):
    return lambda checkout: checkout.edit(MANIFEST, change)


def third_party(checkout, **fields):
    checkout.write(f"{HERE}/README.md", PROVENANCE)
    return checkout.edit(MANIFEST, lambda value: value.update(upstream=UPSTREAM | fields))


def drc(**fields):
    counts = {"errors": 0, "errorTypes": {}, "warnings": 0, "warningTypes": {}, "unconnectedItems": 0}
    counts |= {"report": "baseline/drc.json", "schematicParity": 0, "schematicParityTypes": {}} | fields
    return counts


def with_board(checkout, counts, rows=None):
    """Give the board a layout with the given counts and, unless `rows` says otherwise, a report that agrees."""

    def change(value):
        value["artifacts"]["board"] = "own.kicad_pcb"
        value["baseline"]["drc"] = counts
        value["files"].append({"path": "own.kicad_pcb", "eol": "lf"})
        value["scale"]["fileCount"] = 2

    def listed(types, severity):
        return [{"type": kind, "severity": severity} for kind, count in types.items() for _ in range(count)]

    report = {
        "kind": "drc",
        "kicadVersion": "10.0.6",
        "violations": listed(counts["errorTypes"], "error") + listed(counts["warningTypes"], "warning"),
        "unconnected": [{"type": "unconnected_items", "severity": "error"}] * counts["unconnectedItems"],
        "parity": listed(counts["schematicParityTypes"], "warning"),
    }
    checkout.edit(MANIFEST, change).write(f"{HERE}/tree/own.kicad_pcb", "(kicad_pcb)\n").rehash()
    checkout.write(f"{HERE}/baseline/drc.json", "{}").edit(f"{HERE}/baseline/drc.json", lambda _: report | (rows or {}))
    return checkout


REFUSALS = {
    "foreign id": (
        edit(lambda value: value.update(id="other")),
        f"{MANIFEST}: $.id: 'other' is not the folder's name 'own-board'; make the two equal (STANDARD 13) "
        "[id-is-folder]",
    ),
    "no README": (
        lambda checkout: checkout.remove(f"{HERE}/README.md"),
        f"{HERE}/README.md: is missing; add it (STANDARD 13) [fixture-files]",
    ),
    "no licence text": (
        lambda checkout: checkout.remove(f"{HERE}/LICENSE"),
        f"{HERE}/LICENSE: is missing; add it (STANDARD 13) [fixture-files]",
    ),
    "a stray file": (
        lambda checkout: checkout.write(f"{HERE}/notes.txt", ""),
        f"{HERE}/notes.txt: a fixture's folder holds LICENSE, README.md, baseline, fixture.json, tree only; remove it "
        "(STANDARD 13) [fixture-files]",
    ),
    "no NOTICE entry": (
        lambda checkout: checkout.write("NOTICE", "nothing\n"),
        "NOTICE: has no entry for own-board; add one (STANDARD 13) [notice]",
    ),
    "legacy format": (
        edit(lambda value: value["kicad"].update(fileFormatVersion="20200310")),
        f"{MANIFEST}: $.kicad.fileFormatVersion: the format 20200310 is older than 20211014; use a board "
        "saved by KiCad 6 "
        "or later (STANDARD 13) [legacy-format]",
    ),
    "legacy schematic": (
        edit(lambda value: value["artifacts"].update(schematic="own.sch")),
        f"{MANIFEST}: $.artifacts.schematic: 'own.sch' is not the root .kicad_sch file (a legacy .sch file is "
        "refused); "
        "correct it (STANDARD 13) [schema]",
    ),
    "a dropping": (
        edit(lambda value: value["files"].append({"path": "own.kicad_prl", "eol": "lf"})),
        f"{MANIFEST}: $.files[1].path: 'own.kicad_prl' was left behind by a tool; leave it out (STANDARD 13) "
        "[design-files]",
    ),
    "no design file": (
        edit(lambda value: value["files"].append({"path": "docs/photo.jpg", "eol": "binary"})),
        f"{MANIFEST}: $.files[1].path: 'docs/photo.jpg' is no design file; leave it out (STANDARD 13) [design-files]",
    ),
    "a legacy library": (
        edit(lambda value: value["files"].append({"path": "parts.lib", "eol": "lf"})),
        f"{MANIFEST}: $.files[1].path: 'parts.lib' is of a legacy format (before KiCad 6); leave it out (STANDARD 13) "
        "[design-files]",
    ),
    "wrong number of files": (
        edit(lambda value: value["scale"].update(fileCount=7)),
        f"{MANIFEST}: $.scale.fileCount: 7 is not the number of files listed, 1; correct one of them "
        "(STANDARD 13) [files]",
    ),
    "an artifact that is not listed": (
        edit(lambda value: value["artifacts"].update(project="own.kicad_pro")),
        f"{MANIFEST}: $.artifacts.project: 'own.kicad_pro' is not in the list of files; correct one of them "
        "(STANDARD 13) "
        "[files]",
    ),
    "line ends": (
        edit(lambda value: value["files"][0].update(eol="crlf")),
        f"{HERE}/tree/own.kicad_sch: has 0 line ends CRLF of 2, its manifest says crlf; correct the manifest's eol "
        "(STANDARD 13) [line-ends]",
    ),
    "errors that do not add up": (
        edit(lambda value: value["baseline"]["erc"].update(errors=2)),
        f"{MANIFEST}: $.baseline.erc.errors: 2 is not the sum of errorTypes, 0; enumerate every type (STANDARD 13) "
        "[baseline-sum]",
    ),
    "warnings that do not add up": (
        edit(lambda value: value["baseline"]["erc"].update(warnings=3)),
        f"{MANIFEST}: $.baseline.erc.warnings: 3 is not the sum of warningTypes, 1; enumerate every type (STANDARD 13) "
        "[baseline-sum]",
    ),
    "counts that are not the report's": (
        edit(lambda value: value["baseline"]["erc"].update(warnings=2, warningTypes={"lib_symbol_issues": 2})),
        f"{MANIFEST}: $.baseline.erc.warningTypes: lib_symbol_issues 2 is not what baseline/erc.json holds, "
        "lib_symbol_issues 1; correct the counts (STANDARD 13) [baseline-report]",
    ),
    "a report of another kicad-cli": (
        lambda checkout: checkout.edit(f"{HERE}/baseline/erc.json", lambda value: value.update(kicadVersion="9.0.1")),
        f"{HERE}/baseline/erc.json: was measured with 9.0.1, the manifest says 10.0.6; measure counts and reports "
        "together (STANDARD 13) [baseline-report]",
    ),
    "no report": (
        lambda checkout: checkout.remove(f"{HERE}/baseline/erc.json"),
        f"{HERE}/baseline/erc.json: is missing or no regular file; add the file (STANDARD 1) [baseline]",
    ),
    "a report of another kind": (
        lambda checkout: checkout.edit(f"{HERE}/baseline/erc.json", lambda value: value.update(kind="drc")),
        f"{HERE}/baseline/erc.json: is no recorded ERC report; measure it with `copperbench baseline` (STANDARD 13) "
        "[baseline]",
    ),
    "a report that is none": (
        lambda checkout: checkout.edit(f"{HERE}/baseline/erc.json", lambda value: value.update(violations=[7])),
        f"{HERE}/baseline/erc.json: $.violations: is no list of violations; measure it with `copperbench baseline` "
        "(STANDARD 13) [baseline]",
    ),
    "an error nobody explains": (
        edit(lambda value: value["baseline"]["erc"].update(errors=1, errorTypes={"pin_not_connected": 1})),
        f"{HERE}/README.md: does not account for pin_not_connected, which the baseline holds; explain it (STANDARD 13) "
        "[baseline-explained]",
    ),
    "malformed manifest": (
        lambda checkout: checkout.write(MANIFEST, '{"id": 1,}'),
        f"{MANIFEST}:1:10: is not JSON (Expecting property name enclosed in double quotes); correct the "
        "syntax [readable]",
    ),
}


@pytest.mark.parametrize(("spoil", "line"), REFUSALS.values(), ids=REFUSALS)
def test_a_spoilt_fixture_is_refused_in_so_many_words(checkout, spoil, line):
    spoil(checkout)
    assert line in checkout.findings(HERE)


@pytest.mark.parametrize(
    "licence", ["CC-BY-SA-4.0", "CERN-OHL-S-2.0", "GPL-3.0-only", "CC-BY-NC-4.0", "CC-BY-ND-4.0", ""]
)
def test_a_licence_off_the_list_is_refused(checkout, licence):
    assert any("license" in finding for finding in third_party(checkout, license=licence).findings(HERE))


@pytest.mark.parametrize("licence", ["Apache-2.0", "BSD-3-Clause", "CERN-OHL-P-2.0", "CC0-1.0", "Unlicense", "MIT"])
def test_a_licence_on_the_list_is_fine(checkout, licence):
    assert third_party(checkout, license=licence).findings(HERE) == []


@pytest.mark.parametrize("licence", ["CC-BY-4.0", "CERN-OHL-W-2.0"])
def test_some_licences_need_a_written_rationale(checkout, licence):
    (finding,) = third_party(checkout, license=licence).findings(HERE)
    assert f"{licence} needs a written rationale" in finding
    checkout.write(f"{HERE}/README.md", PROVENANCE + "\n## Licence rationale\n\nAttribution is in NOTICE.\n")
    assert checkout.findings(HERE) == []


@pytest.mark.parametrize("fact", ["https://example.org/board", "c" * 40, "2026-01-31", "(c) 2026 Somebody"])
def test_the_readme_gives_the_provenance(checkout, fact):
    third_party(checkout).write(f"{HERE}/README.md", PROVENANCE.replace(fact, "?"))
    (finding,) = checkout.findings(HERE)
    assert f"({fact}); add it (STANDARD 13) [provenance]" in finding


def test_a_changed_tree_is_refused_with_expected_and_actual_hash(checkout):
    checkout.write(f"{HERE}/tree/own.kicad_sch", "(kicad_sch (version 20250114))\n")
    (finding,) = checkout.findings(HERE)
    assert ("expected" in finding, finding.endswith("[fixture-hash]")) == (True, True)


def test_a_missing_committed_tree_is_refused(checkout):
    checkout.remove(f"{HERE}/tree/own.kicad_sch")
    (checkout.root / HERE / "tree").rmdir()
    assert checkout.findings(HERE) == [f"{HERE}/tree: is missing though committed; restore it (STANDARD 13) [tree]"]


def test_a_tree_that_is_not_obtained_is_said_and_no_finding(checkout):
    checkout.remove(f"{HERE}/tree/own.kicad_sch")
    (checkout.root / HERE / "tree").rmdir()
    third_party(checkout).edit(MANIFEST, lambda value: value.update(availability="obtainable"))
    outcome = examine(checkout.root, [checkout.root / HERE])
    said = Skipped(f"{HERE}/tree", "not obtained here: hash, files and credentials were not checked")
    assert (outcome.findings, outcome.skipped) == ((), (said,))


def test_a_link_in_a_tree_is_refused(checkout):
    (checkout.root / HERE / "tree/link.kicad_sch").symlink_to("own.kicad_sch")
    (finding,) = checkout.findings(HERE)
    assert finding.startswith(f"{HERE}/tree/link.kicad_sch: is a link, and a frozen copy holds none")


def test_a_file_that_is_not_listed_is_refused(checkout):
    checkout.write(f"{HERE}/tree/extra.kicad_sch", "(kicad_sch (version 20250114))\n").rehash()
    assert "'extra.kicad_sch' is in the tree but not listed" in checkout.findings(HERE)[0]


def test_a_schematic_of_an_old_format_in_the_tree_is_refused(checkout):
    checkout.write(f"{HERE}/tree/own.kicad_sch", "EESchema Schematic File Version 4\n").rehash()
    assert f"{HERE}/tree/own.kicad_sch: is no .kicad_sch of KiCad 6 or later" in checkout.findings(HERE)[0]


def test_the_root_schematic_says_its_own_format(checkout):
    checkout.write(f"{HERE}/tree/own.kicad_sch", "(kicad_sch (version 20231120)\n)\n").rehash()
    assert "20250114 is not what the root schematic says, 20231120" in checkout.findings(HERE)[0]


def test_a_credential_in_a_tree_is_refused_without_showing_it(checkout):
    secret = "sk" + "-live-" + "a1B2" * 6
    checkout.write(f"{HERE}/tree/own.kicad_sch", f'(kicad_sch (version 20250114)\n(text "{secret}"))\n').rehash()
    (finding,) = checkout.findings(HERE)
    assert ("looks like a credential (sk-key at byte" in finding, secret in finding) == (True, False)


def test_unconnected_items_are_argued_or_refused(checkout):
    with_board(checkout, drc(unconnectedItems=2))
    (finding,) = checkout.findings(HERE)
    assert "2 unconnected items and not a word about them in the note; argue it in the note" in finding
    edit(lambda value: value["baseline"].update(note="2 unconnected items: a test point left open"))(checkout)
    assert checkout.findings(HERE) == []


@pytest.mark.parametrize("kind", ["duplicate_footprints", "extra_footprint", "missing_footprint"])
def test_structural_parity_is_refused(checkout, kind):
    with_board(checkout, drc(schematicParity=1, schematicParityTypes={kind: 1}))
    assert any("structural, never a baseline; refuse this board" in finding for finding in checkout.findings(HERE))


@pytest.mark.parametrize("kind", ["footprint_symbol_field_mismatch", "footprint_symbol_mismatch"])
def test_metadata_parity_is_fine_when_it_is_explained(checkout, kind):
    with_board(checkout, drc(schematicParity=1, schematicParityTypes={kind: 1})).write(f"{HERE}/README.md", kind)
    assert checkout.findings(HERE) == []


def test_an_unknown_parity_type_is_refused_until_it_is_classified(checkout):
    with_board(checkout, drc(schematicParity=1, schematicParityTypes={"net_conflict": 1}))
    assert any("is a parity type that nobody has classified" in finding for finding in checkout.findings(HERE))


def test_parity_and_unconnected_counts_are_held_against_the_report(checkout):
    counts = drc(unconnectedItems=1, schematicParity=2, schematicParityTypes={"footprint_symbol_mismatch": 2})
    with_board(checkout, counts, rows={"unconnected": [], "parity": []})
    findings = " ".join(checkout.findings(HERE))
    assert "1 is not what baseline/drc.json holds, 0" in findings
    assert "footprint_symbol_mismatch 2 is not what baseline/drc.json holds, none" in findings


def test_a_board_without_a_recorded_drc_is_refused(checkout):
    edit(lambda value: value["artifacts"].update(board="own.kicad_pcb"))(checkout)
    assert "$.baseline.drc: null is not of type object" in checkout.findings(HERE)[0]


def test_published_counts_are_marked_as_published(checkout):
    def published(value):
        value.update(upstream=UPSTREAM, availability="published-only", files=[])
        value["baseline"]["erc"].update(report=None, warnings=1751, warningTypes={})

    edit(published)(checkout).write(f"{HERE}/README.md", PROVENANCE)
    checkout.remove(f"{HERE}/tree/own.kicad_sch")
    (checkout.root / HERE / "tree").rmdir()
    assert any("counts without a report are not marked as published" in finding for finding in checkout.findings(HERE))
    edit(lambda value: value["baseline"].update(note="counts as published"))(checkout)
    assert checkout.findings(HERE) == []


def test_a_check_from_outside_the_room_sees_verified_trees_only(checkout):
    seen = []

    def check(folder, fixture):
        seen.append(fixture.id)
        return [Finding(f"{HERE}/tree", "loads", "does not load", "refuse it")]

    found = [str(finding) for finding in validate(checkout.root, [checkout.root / HERE], [check])]
    checkout.write(f"{HERE}/tree/own.kicad_sch", "changed")
    validate(checkout.root, [checkout.root / HERE], [check])
    assert (found, seen) == ([f"{HERE}/tree: does not load; refuse it [loads]"], ["own-board"])
