"""What tools answer, and what they must never reach."""

import pytest

from copperbench.agent.tools import ALL_TOOLS

pytestmark = pytest.mark.usefixtures("no_kicad")

PROPOSE = [
    ("propose_change", {"id": "x", "why": "w", "what_changes": "c", "tasks": "t"}),
    ("validate_change", {}),
]


@pytest.fixture
def use(run, project, scripted, monkeypatch):
    """Carry out calls in one turn of a run and return their results; the run then refuses, so nothing stays."""

    def uses(*calls, arguments=(), unlocked=False, root=project, command="do"):
        played = (*(PROPOSE if unlocked else ()), *calls)
        script = scripted.steps(
            lambda _board: scripted.completion(None, *played),
            lambda _board: scripted.completion(None, scripted.finish("no", "refuse")),
        )
        monkeypatch.setitem(scripted.SCRIPTS, "test", script)
        asked = ("x",) if command == "do" else ()
        left = run(root, command, *asked, *arguments, model="test")
        return left.results[len(PROPOSE) * unlocked : -1]

    return uses


@pytest.mark.parametrize(
    "path",
    [
        "../outside",
        "/etc/passwd",
        "docs/../../outside",
        ".git/config",
        ".GIT/config",
        ".copperhead/runs/x/transcript.jsonl",
        ".env",
        "hw/.env.local",
        "docs//SPEC.md",
        "a\0b",
    ],
)
def test_no_tool_reaches_outside_or_into_what_is_not_the_models(use, project, path):
    (project / ".env").write_text("TOKEN=1\n")
    (project / ".gitignore").write_text((project / ".gitignore").read_text() + ".env\n")
    results = use(
        ("read_file", {"path": path}),
        ("write_file", {"path": path, "content": "x"}),
        ("edit_file", {"path": path, "old_string": "a", "new_string": "b"}),
        arguments=("--allow-dirty",),
        unlocked=True,
    )
    assert [text for text in results if not text.startswith("error: ")] == []


def test_a_link_out_is_not_followed(use, project, tmp_path):
    (tmp_path / "secret.md").write_text("secret")
    (project / "docs/link.md").symlink_to(tmp_path / "secret.md")
    (project / "elsewhere").symlink_to(tmp_path)
    results = use(
        ("read_file", {"path": "docs/link.md"}),
        ("read_file", {"path": "elsewhere/secret.md"}),
        ("search", {"pattern": "secret"}),
        arguments=("--allow-dirty",),
    )
    assert [text.startswith("error: ") or text == "no match" for text in results] == [True] * 3


def test_edit_tools_are_locked_until_the_proposal_validates(use):
    results = use(("edit_file", {"path": "docs/SPEC.md", "old_string": "#", "new_string": "##"}))
    assert results == [
        'tool "edit_file" is not available (edit tools unlock after the proposal validates: call propose_change, then '
        "validate_change)"
    ]


def test_without_the_proposal_tools_nothing_is_locked(use):
    edit = ("edit_file", {"path": "docs/SPEC.md", "old_string": "# ", "new_string": "## ", "replace_all": True})
    assert use(edit, arguments=("--tools", "edit_file"))[0].startswith("edited docs/SPEC.md")


def test_a_tool_left_out_of_the_subset_is_not_there(use, server):
    results = use(("run_erc", {}), arguments=("--tools", "read_file"))
    assert results == [
        'tool "run_erc" is not available (there is no such tool in this run; there are read_file, finish)'
    ]
    assert [each["function"]["name"] for each in server.requests[0]["tools"]] == ["read_file", "finish"]


def test_an_excerpt_that_stands_twice_is_not_edited(use):
    edit = {"path": "copperbench-ldo-sensor.kicad_sch", "old_string": "(wire", "new_string": "(bus"}
    assert "anchor matched" in use(("edit_file", edit), unlocked=True)[0]


def test_an_excerpt_with_other_white_space_is_told_where_it_stands(use, project):
    sheet = "copperbench-ldo-sensor.kicad_sch"
    lines = (project / sheet).read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if '(property "Value" "GREEN"' in line)
    spaced = "\n".join(line.replace("\t", "  ") for line in lines[at : at + 2])
    (result,) = use(("edit_file", {"path": sheet, "old_string": spaced, "new_string": "x"}), unlocked=True)
    assert f"lines {at + 1} to {at + 2} differ from it in white space alone" in result


def test_an_excerpt_that_stands_nowhere_is_told_so(use):
    edit = {"path": "docs/SPEC.md", "old_string": "no such words", "new_string": "x"}
    (result,) = use(("edit_file", edit), unlocked=True)
    assert result == "error: edit_file: anchor not found in docs/SPEC.md; read the file again and use an exact excerpt"


@pytest.mark.parametrize("tool", ALL_TOOLS, ids=lambda tool: tool.name)
def test_every_parameter_that_its_name_does_not_explain_is_explained_to_the_model(tool):
    plain = {"start_line", "min", "max", "value", "content", "outcome"}
    schema = tool.offer()["function"]["parameters"]["properties"]
    assert [name for name in schema if "description" not in schema[name] and name not in plain] == []


def test_calls_beyond_what_one_turn_may_hold_are_asked_for_again(use):
    results = use(*[("read_file", {"path": "docs/SPEC.md"})] * 66)
    assert [text.startswith("error: ") for text in results] == [False] * 64 + [True] * 2
    assert results[-1].endswith("this one was not carried out, make it again in the next")


def test_a_lost_character_is_sent_back(use):
    edit = {"path": "docs/SPEC.md", "old_string": "# ", "new_string": "\ufffd"}
    assert use(("edit_file", edit), unlocked=True)[0].startswith("rejected: ")


def test_half_a_surrogate_pair_is_an_error_and_no_crash(use):
    results = use(("write_file", '{"path": "docs/x.md", "content": "\\ud800"}'), unlocked=True)
    assert results == ["error: write_file: the text holds half a surrogate pair; send whole characters"]


@pytest.mark.parametrize("name", ["board.kicad_sch", "x.kicad_pcb", "hw/sym-lib-table"])
def test_kicad_files_are_not_written_whole(use, name):
    assert "refuses KiCad files" in use(("write_file", {"path": name, "content": "()"}), unlocked=True)[0]


def test_a_pattern_that_backtracks_is_cut_short(use, project):
    (project / "docs/long.md").write_text("a" * 40 + "!\n")
    found = use(("search", {"pattern": r"(a|a)+$", "glob": "docs/long.md"}), arguments=("--allow-dirty",))
    assert found[0].startswith("error: search: ")


def test_a_long_file_is_read_in_pieces(use):
    text = use(("read_file", {"path": "copperbench-ldo-sensor.kicad_sch"}))[0]
    assert "go on with start_line" in text.splitlines()[-1]


def test_nets_are_listed_with_their_pins(use):
    assert "/ALERT: J2.5, R5.2, U2.3" in use(("list_nets", {}))[0]


def test_a_recorded_constraint_has_to_be_followed_up(use):
    results = use(
        ("record_constraint", {"key": "k", "max": 3, "source": "brief", "affects": ["R1"]}),
        ("finish", {"outcome": "done", "summary": "s"}),
        ("resolve_affected", {"constraint_key": "k", "item": "R1", "resolution": "r"}),
        unlocked=True,
    )
    assert results[1:] == [
        "cannot finish yet:\n- open sync obligations:\n  - [affects-revisit] k affects R1",
        "resolved: k affects R1",
    ]


def test_standing_drift_is_not_the_models_to_fix(use, project, git):
    bom = project / "docs/BOM.md"
    bom.write_text(bom.read_text().replace("| R2 | 1k |", "| R2 | 2k |"))
    git(project, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qam", "drift")
    assert use(("check_drift", {})) == ["drift: clean (1 mismatch(es) from before this run, which are not yours)"]


def test_new_drift_is_listed(use):
    edit = {"path": "docs/BOM.md", "old_string": "| R2 | 1k |", "new_string": "| R2 | 2k |"}
    results = use(("edit_file", edit), ("check_drift", {}), unlocked=True)
    assert results[1] == "docs/BOM.md: R2 Value '2k', the schematic has '1k'"


def test_broken_project_data_is_an_answer_and_no_crash(use, project):
    (project / ".copperhead/constraints.json").write_text("[")
    record = ("record_constraint", {"key": "k", "max": 3, "source": "brief"})
    results = use(record, arguments=("--allow-dirty",), unlocked=True)
    assert results[0].startswith("error: record_constraint: .copperhead/constraints.json")
