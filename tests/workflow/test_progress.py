"""What snakemake shows of a campaign: counts, cost, time left, and what failed."""

import json

from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from snakemake_logger_plugin_copperbench import Progress, path_of, plainly, stage_of


def started(jobs: int, rule: str = "run") -> Progress:
    progress = Progress()
    progress.plan({rule: jobs, "leaderboard": 1, "total": jobs + 1})
    for job in range(jobs):
        progress.start(job, rule, f"{rule} {job}", (), now=0.0)
    return progress


def test_snakemake_finds_the_plugin():
    assert LoggerPluginRegistry().is_installed("copperbench")


def test_rules_made_for_a_task_are_grades():
    assert stage_of("score_do_rename_net_2026_01_02") == stage_of("score_run") == "grades"
    assert stage_of("run_do_rename_net_2026_01_02") == stage_of("run") == "runs"


def test_a_line_says_what_is_done_at_work_and_left():
    progress = started(4)
    progress.finish(0)
    assert list(progress.lines(now=60.0)) == ["runs          1/4, 3 at work, about 3 min left"]


def test_when_all_is_over_no_time_is_left():
    progress = started(4)
    progress.finish(0)
    progress.over = True
    assert list(progress.lines(now=60.0)) == ["runs          1/4, 3 at work"]


def test_the_cost_is_what_the_runs_have_sealed(tmp_path):
    progress = Progress()
    progress.plan({"run": 3})
    for job, usd in enumerate((0.25, 0.5, None)):
        sealed = tmp_path / f"{job}.json"
        sealed.write_text(json.dumps({"cost": {"usd": usd}, "model": {"id": "gpt"}}))
        progress.start(job, "run", "run", (str(sealed),), now=0.0)
        progress.finish(job)
    assert (progress.usd, progress.uncosted) == (0.75, 1)


def test_a_run_without_a_price_is_never_said_to_cost_nothing(tmp_path):
    sealed = tmp_path / "run.json"
    sealed.write_text(json.dumps({"cost": {"usd": None}, "model": {"id": "gpt"}}))
    progress = Progress()
    progress.plan({"run": 1})
    progress.start(0, "run", "run 0", (str(sealed),), now=0.0)
    progress.finish(0)
    assert list(progress.lines(now=60.0)) == ["runs          1/1, 1 uncosted"]


def test_the_flags_of_an_output_are_no_part_of_its_path():
    assert path_of("results/a/run-1/run.json (update)") == "results/a/run-1/run.json"
    assert path_of("results/a/run.json") == "results/a/run.json"


def test_why_a_run_cannot_start_is_one_line():
    said = """MissingInputException in rule run in file "/x/workflow/rules/runs.smk", line 4:
Missing input files for rule run:
    output: results/2026-01-02/m/t/run-1/run.json
    wildcards: date=2026-01-02, model=m, task=t, n=1
    affected files:
        model m: its key is not set: M_KEY is empty; export M_KEY"""
    assert plainly(said) == "model m: its key is not set: M_KEY is empty; export M_KEY"


def test_another_missing_file_is_said_as_it_is():
    said = "Missing input files for rule score:\n    affected files:\n        results/x.json"
    assert plainly(said) == said


def test_the_command_line_of_a_failed_job_is_not_thrown_at_the_reader():
    said = "RuleException:\nCalledProcessError in file \"runs.smk\", line 25:\nCommand 'set -euo pipefail; ...'"
    assert plainly(said) == plainly("Cannot restore results/x/run.json: no backup found.") == ""


def test_a_failure_is_listed_with_the_end_of_its_log_and_the_command_that_shows_it(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("one\ntwo\n")
    progress = started(1)
    progress.fail(0, "run", (str(log),), "killed")
    told = ["failed: 1", "- run 0", "    killed", "    one", "    two", f"    cat {log}"]
    assert list(progress.report()) == told


def test_a_job_that_failed_is_counted_once_however_often_it_is_reported():
    progress = started(2)
    for _ in range(2):
        progress.fail(0, "run", ())
    stage = progress.stages["runs"]
    assert (stage.failed, stage.running) == (1, 1)
