"""Bad input to the workflow: one clear line, a non-zero exit, and results/ as it was."""

import json

import pytest


def refused(project, *args, **environment):
    before = project.records(), project.runs()
    result = project.snakemake(*args, ok=False, **environment)
    assert result.returncode != 0
    assert (project.records(), project.runs()) == before
    assert "Traceback" not in result.stdout + result.stderr
    return " ".join((result.stdout + result.stderr).split())


def test_malformed_task_json_is_named_with_its_place(project):
    (project.folder / f"tasks/{project.task}/task.json").write_text('{"id": ')
    assert f"tasks/{project.task}/task.json" in refused(project, "leaderboard")


def test_an_assertion_type_outside_the_vocabulary_is_an_error_with_the_nearest_name(project):
    path = project.folder / f"tasks/{project.task}/assertions.json"
    assertions = json.loads(path.read_text())
    assertions[0]["type"] = "net_exists"
    path.write_text(json.dumps(assertions))
    output = refused(project, "leaderboard")
    assert "net_exists" in output
    assert "net_present" in output


def test_a_changed_fixture_file_refuses_with_both_hashes(project):
    path = next((project.folder / "fixtures/copperbench-ldo-sensor/tree").glob("*.kicad_sch"))
    path.write_bytes(path.read_bytes() + b"\n")
    output = refused(project, "leaderboard")
    assert "bc3cff4dda5d81301500888ab3de74ee1fcd516b7f69924bb923a3a3763190f8" in output


@pytest.mark.parametrize("name", ["nosuch-model", "another+turns-5"])
def test_an_unknown_model_slug_is_refused(project, name):
    assert name in refused(project, f"results/{project.date}/{name}/{project.task}/run-1.json")


def test_an_unknown_task_is_refused(project):
    assert "no-such-task" in refused(project, f"results/{project.date}/harness-gold/no-such-task/run-1.json")


def test_a_misspelt_setting_is_refused_at_parse_time(project):
    project.configure(repeat=3)
    assert "repeat" in refused(project, "leaderboard", "-n")


def test_an_unknown_suite_is_refused_at_parse_time(project):
    assert "nosuch" in refused(project, "leaderboard", "-n", "--config", "suite=nosuch")


def test_without_kicad_nothing_passes_that_was_not_checked(project):
    project.snakemake("leaderboard", COPPERBENCH_KICAD_CLI="/nonexistent")
    verdicts = {name: json.loads(project.record(name).read_text())["verdict"] for name in ("gold", "noop")}
    assert verdicts["gold"] == "unscoreable"
    assert verdicts["noop"] != "pass"


def test_gaining_kicad_supersedes_the_unscoreable_record(project):
    project.snakemake("leaderboard", COPPERBENCH_KICAD_CLI="/nonexistent")
    project.snakemake("leaderboard", "--forcerun", "score")
    assert json.loads(project.record("gold").read_text())["verdict"] == "pass"
    assert len(list((project.folder / "superseded").rglob("*.json"))) >= 1
