"""Softer rules beside a broken design: KiCad in the sandbox would have been content, the grade is not."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from copperbench.kicad import find_kicad_cli

pytestmark = pytest.mark.kicad
BOARD = "copperbench-ldo-sensor"
SHEET, LAYOUT, PROJECT, RULES = (f"{BOARD}.kicad_{kind}" for kind in ("sch", "pcb", "pro", "dru"))
STRICT = '(version 1)\n(rule "no thin tracks" (constraint track_width (min 0.19mm)))\n'
SILENT = dict.fromkeys(("track_width", "lib_footprint_issues", "lib_footprint_mismatch"), "ignore")


@pytest.fixture(scope="module")
def cli():
    return find_kicad_cli()


def loosen(box) -> None:
    """Break the schematic: a wire is gone, and what hung on it hangs on nothing."""
    text = (box.root / SHEET).read_text()
    box.write(SHEET, re.sub(r"\t\(wire\n.*?\n\t\)\n", "", text, count=1, flags=re.DOTALL))


def thin(box) -> None:
    """Break the layout: a track is thinner than rules allow."""
    box.edit(LAYOUT, "(width 0.2)", "(width 0.16)")


def set_project(box, change) -> None:
    project = json.loads((box.root / PROJECT).read_text())
    change(project)
    box.write(PROJECT, json.dumps(project))


def ignore(report) -> dict[str, str]:
    return {violation.type: "ignore" for violation in report.violations}


def test_severities_set_to_ignore_hide_no_erc_error_from_the_grade(sandbox, twin, cli, copy_of):
    for box in (sandbox, twin):
        loosen(box)
    said = cli.erc(copy_of(twin) / SHEET)
    set_project(sandbox, lambda project: project["erc"].update(rule_severities=ignore(said)))
    assert said.violations
    assert cli.erc(copy_of(sandbox) / SHEET).violations == ()
    for box in (sandbox, twin):
        assert box.judged_by(cli).outcome("erc_no_new_violations").status == "fail"


def test_severities_set_to_ignore_hide_no_drc_error_from_the_grade(strict, cli, copy_of):
    thin(strict)
    set_project(strict, lambda project: project["board"]["design_settings"].update(rule_severities=SILENT))
    assert cli.drc(copy_of(strict) / LAYOUT).violations == ()
    assert strict.judged_by(cli).outcome("drc_no_new_violations").status == "fail"


@pytest.fixture
def strict(start, tmp_path, sandbox_of_tree):
    """A sandbox of the board with a design rule of its own, which the board keeps."""
    tree = start[3]
    shutil.copytree(tree.parent, tmp_path / "fixture")
    (tmp_path / "fixture/tree" / RULES).write_text(STRICT)
    return sandbox_of_tree(tmp_path / "fixture/tree")


def test_the_rule_is_kept_by_the_board_as_it_came(strict, cli):
    assert strict.judged_by(cli).outcome("drc_no_new_violations").status == "pass"


@pytest.mark.parametrize("trick", ["emptied", "deleted", "a link", "a rule that forgives"])
def test_design_rules_taken_away_are_judged_by_all_the_same(strict, cli, copy_of, trick):
    thin(strict)
    rules = strict.root / RULES
    rules.unlink()
    if trick == "emptied":
        rules.write_text("(version 1)\n")
    elif trick == "a link":
        rules.symlink_to("/dev/null")
    elif trick == "a rule that forgives":
        rules.write_text("(version 1)\n(rule all (severity ignore) (constraint track_width (min 0.01mm)))\n")
    assert cli.drc(copy_of(strict) / LAYOUT).violations == ()
    assert strict.judged_by(cli).outcome("drc_no_new_violations").status == "fail"


@pytest.mark.parametrize("trick", ["severities", "rules"])
def test_the_edit_to_the_rules_is_seen_as_a_change(strict, trick):
    if trick == "rules":
        strict.write(RULES, "(version 1)\n")
    else:
        set_project(strict, lambda project: project["erc"].update(rule_severities={}))
    assert strict.touched("**/*.kicad_sch").status == "fail"


def test_an_exclusion_forgives_no_violation(strict, cli, copy_of):
    track = re.search(
        r"\(start ([\d.]+) ([\d.]+)\)\s+\(end ([\d.]+) ([\d.]+)\)\s+\(width 0.2\).*?\(uuid \"(.*?)\"\)",
        (strict.root / LAYOUT).read_text(),
        re.DOTALL,
    )
    strict.edit(LAYOUT, track[0], track[0].replace("(width 0.2)", "(width 0.16)"))
    x, y = (round(500_000 * (float(track[at]) + float(track[at + 2]))) for at in (1, 2))
    exclusion = [f"track_width|{x}|{y}|{track[5]}|00000000-0000-0000-0000-000000000000", ""]
    set_project(strict, lambda project: project["board"]["design_settings"].update(drc_exclusions=[exclusion]))
    assert cli.drc(copy_of(strict) / LAYOUT).violations == ()
    assert strict.judged_by(cli).outcome("drc_no_new_violations").status == "fail"
