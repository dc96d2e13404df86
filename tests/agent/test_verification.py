"""ERC and DRC relative to the start, with the real kicad-cli."""

import json

import pytest

pytestmark = pytest.mark.kicad


def test_standing_violations_do_not_keep_a_right_change_from_finishing(run, microphone):
    left = run(microphone, "do", "rename net DATA to PDM_DATA", model="careful")
    assert left.end["exitPath"] == "done"
    assert [text for text in left.results if text.startswith("ERC:")] == [
        "ERC: clean, no new error (44 from before this run, which are not yours)"
    ]


def test_checks_that_keep_failing_exhaust_the_repair_cycles(run, microphone):
    left = run(microphone, "do", "break it", "--max-repair-cycles", "2", model="erc-breaker")
    assert (left.end["exitPath"], left.end["repairCyclesUsed"], left.tree == left.before) == (
        "repair-cycles-exhausted",
        3,
        True,
    )


def test_softer_severities_in_the_project_file_change_no_verdict(run, microphone, scripted, monkeypatch):
    softened = json.loads((microphone / "hardware/microphone-board.kicad_pro").read_text())
    kinds = softened["erc"]["rule_severities"]
    first = next(iter(kinds))
    old = f'"{first}": "{kinds[first]}"'
    script = scripted.steps(
        lambda board: scripted.completion(
            None,
            *scripted.PROPOSE,
            scripted.edit("hardware/microphone-board.kicad_pro", old, f'"{first}": "ignore"'),
            scripted.edit(board.schematic, "(wire", "(bus"),
            ("run_erc", {}),
        ),
        lambda _board: scripted.completion(None, scripted.finish("no", "refuse")),
    )
    monkeypatch.setitem(scripted.SCRIPTS, "softener", script)
    left = run(microphone, "do", "soften", model="softener")
    assert left.results[-2].startswith("ERC: ")
    assert "beyond the start" in left.results[-2]


def test_kicad_cli_undoes_an_edit_that_our_reader_would_let_pass(run, microphone, scripted, monkeypatch):
    script = scripted.steps(
        lambda board: scripted.completion(
            None, *scripted.PROPOSE, scripted.edit(board.schematic, '(label "DATA"', '(labell "DATA"')
        ),
        lambda _board: scripted.completion(None, scripted.finish("no", "refuse")),
    )
    monkeypatch.setitem(scripted.SCRIPTS, "misspeller", script)
    left = run(microphone, "do", "misspell", model="misspeller")
    assert left.results[2].startswith("edit REVERTED: ")


def test_kicad_leaves_no_trace_in_the_project(run, microphone):
    left = run(microphone, "do", "rename net DATA to PDM_DATA", model="careful")
    assert sorted(set(left.tree) - set(left.before)) == [
        "openspec/changes/asked-change/proposal.md",
        "openspec/changes/asked-change/tasks.md",
    ]


def test_a_clean_board_passes_the_full_check(run, project):
    left = run(project, "check")
    found = left.result
    assert (left.code, found["ok"], found["erc"], found["drc"]) == (
        0,
        True,
        {"ok": True, "violations": 0},
        {"ok": True, "violations": 0},
    )


def test_the_full_check_is_absolute(run, microphone):
    assert run(microphone, "check").result["erc"] == {"ok": False, "violations": 44}
