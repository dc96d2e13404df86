"""The commands beside `do`: init, check, sync, create."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("no_kicad")


@pytest.fixture
def drifted(project, git):
    """A project whose bill of materials no longer says what the schematic has."""
    bom = project / "docs/BOM.md"
    bom.write_text(bom.read_text().replace("| R2 | 1k |", "| R2 | 2k |"))
    git(project, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qam", "drift")
    return project


def test_init_writes_what_a_sandbox_starts_with(run, project):
    before = {name: data for name, data in run(project, "check").tree.items() if name.startswith("docs/")}
    for name in before:
        if not name.endswith("SPEC.md"):
            (project / name).unlink()
    left = run(project, "init", "--no-hooks")
    assert {name: data for name, data in left.tree.items() if name.startswith("docs/")} == before
    assert left.code == 0


def test_init_leaves_what_a_person_wrote(run, project):
    (project / "docs/SUBSYSTEMS.md").write_text("mine\n")
    left = run(project, "init")
    assert (left.code, left.result["refused"], left.tree["docs/SUBSYSTEMS.md"]) == (
        1,
        ["docs/SUBSYSTEMS.md"],
        b"mine\n",
    )


def test_init_without_a_schematic_says_so(run, tmp_path):
    left = run(tmp_path, "init")
    assert (left.code, left.out) == (1, "")


def test_check_names_drift_with_both_sides(run, drifted):
    left = run(drifted, "check")
    assert left.code == 1
    assert left.result["drift"]["mismatches"] == [{"doc": "BOM.md", "claim": "R2 Value 2k", "actual": "1k"}]


def test_sync_of_a_project_in_step_asks_no_model(run, project):
    left = run(project, "sync")
    assert (left.code, left.result) == (0, {"resolvable": [], "violations": []})


def test_a_dry_sync_lists_and_asks_no_model(run, drifted):
    left = run(drifted, "sync", "--dry-run")
    assert (left.code, [each["kind"] for each in left.result["resolvable"]]) == (0, ["drift"])


def test_a_forbidden_pin_in_use_stops_sync_before_any_model(run, drifted):
    rule = {"k": {"forbidden": ["ALERT"], "source": "brief", "affects": []}}
    (drifted / ".copperhead/constraints.json").write_text(json.dumps(rule))
    left = run(drifted, "sync")
    assert (left.code, left.result["violations"][0]["governedBy"]) == (2, "brief")


def test_sync_lets_the_documents_follow(run, drifted, scripted, monkeypatch):
    script = scripted.steps(
        lambda _board: scripted.completion(None, *scripted.PROPOSE, scripted.finish("too early")),
        lambda _board: scripted.completion(
            None,
            scripted.edit("docs/BOM.md", "| R2 | 2k |", "| R2 | 1k |"),
            ("check_drift", {}),
            scripted.finish("followed"),
        ),
    )
    monkeypatch.setitem(scripted.SCRIPTS, "syncer", script)
    left = run(drifted, "sync", model="syncer")
    assert (left.code, left.end["exitPath"], left.data("run-start")[0]["command"]) == (0, "done", "sync")
    assert left.results[2].startswith("cannot finish yet:")


def test_sync_goes_by_the_schematic_unless_a_request_says_otherwise(run, drifted, server):
    server.requests.clear()
    run(drifted, "sync", model="refuser")
    left = run(drifted, "sync", "The board is right throughout.", model="refuser")
    asked = [request["messages"][1]["content"] for request in server.requests]
    assert ["The schematic is what is built" in text for text in asked] == [True, False]
    assert "The board is right throughout." in asked[1]
    assert "R2 Value 2k; actual: 1k" in asked[1]
    assert left.data("run-start")[0]["request"] == "The board is right throughout."


def test_a_refused_sync_is_exit_code_1(run, drifted):
    assert run(drifted, "sync", model="refuser").code == 1


@pytest.fixture
def brief(project, git):
    """An empty project in a repository, and the brief of a device."""
    for path in project.iterdir():
        if path.name not in (".git", ".gitignore"):
            git(project, "rm", "-rq", path.name)
    git(project, "-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qam", "empty")
    (project / "brief.md").write_text("# LED beacon\n\nOne LED, at most 5 mA.\n")
    return project


def test_create_stops_at_the_stage_that_is_not_done(run, brief, scripted, monkeypatch):
    seed = {"path": "docs/SPEC.md", "content": "# LED beacon\n\n## Budgets\n\n- led_ma: 5\n"}
    script = scripted.steps(
        lambda _board: scripted.completion(
            None, *scripted.PROPOSE, ("write_file", seed), ("check_drift", {}), scripted.finish("seeded")
        )
    )
    monkeypatch.setitem(scripted.SCRIPTS, "creator", script)
    left = run(brief, "create", "--brief", str(brief / "brief.md"), "--max-turns", "3", model="creator")
    starts = [json.loads((folder / "transcript.jsonl").read_text().splitlines()[0])["data"] for folder in left.folders]
    assert (left.code, [(each["stage"]["name"], each["brief"]["path"]) for each in starts]) == (
        1,
        [("spec-seed", "brief.md"), ("architecture", "brief.md")],
    )


def test_create_goes_on_where_it_stopped(run, brief):
    (brief / "docs").mkdir()
    (brief / "docs/SPEC.md").write_text("# X\n\n## Budgets\n\n- led_ma: 5\n")
    left = run(brief, "create", "--brief", str(brief / "brief.md"), model="staller")
    assert left.data("run-start")[0]["stage"] == {"name": "architecture", "index": 2, "total": 4}
