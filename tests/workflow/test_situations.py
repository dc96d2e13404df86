"""What Snakemake may be told, or may suffer, and what must then happen: a sealed run is never performed twice."""

import os
import random
import shutil
import signal
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml


def shuffle_times(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts]
    random.Random(1).shuffle(files)
    for path in files:
        moment = random.Random(str(path)).randrange(1_600_000_000, 1_700_000_000)
        os.utime(path, (moment, moment), follow_symlinks=False)


def test_a_finished_campaign_has_nothing_to_do(finished):
    result = finished.snakemake("leaderboard", "-n")
    assert "Nothing to be done" in result.stdout + result.stderr


def test_a_second_call_performs_nothing_and_changes_no_byte(finished):
    runs, records, count = finished.runs(), finished.records(), finished.performed()
    finished.snakemake("leaderboard")
    assert (finished.runs(), finished.records(), finished.performed()) == (runs, records, count)


def test_a_clone_without_build_metadata_or_times_regrades_to_the_same_bytes(finished):
    runs, records, count = finished.runs(), finished.records(), finished.performed()
    for path in records:
        Path(path).unlink()
    shutil.rmtree(finished.folder / ".snakemake")
    shutil.rmtree(finished.folder / "build")
    shuffle_times(finished.folder)
    before = finished.runs()
    finished.snakemake("leaderboard", "--forcerun", "score")
    assert finished.records() == records
    assert finished.runs() == before
    assert {path: data for path, (data, _) in before.items()} == {path: data for path, (data, _) in runs.items()}
    assert finished.performed() == count


@pytest.mark.parametrize(
    "flags",
    [
        ["--forceall"],
        ["-R", "run"],
        ["--forcerun", "score"],
        ["--rerun-triggers", "input", "code", "params", "mtime", "software-env"],
        ["--config", "isolation=none", "kicad_cli=/nonexistent"],
    ],
    ids=lambda flags: " ".join(flags),
)
def test_no_flag_performs_a_sealed_run_again(finished, flags):
    runs, count = finished.runs(), finished.performed()
    finished.snakemake("leaderboard", *flags, ok=False)
    assert (finished.runs(), finished.performed()) == (runs, count)


def test_a_changed_rule_or_sandbox_input_performs_nothing_again(finished):
    runs, count = finished.runs(), finished.performed()
    rules = finished.folder / "workflow/rules/runs.smk"
    rules.write_text(rules.read_text().replace("copperbench run {output}", "copperbench  run  {output}"))
    shutil.rmtree(finished.folder / "build/sandboxes")
    finished.snakemake("leaderboard", "--rerun-triggers", "input", "code", "params", "mtime")
    assert (finished.runs(), finished.performed()) == (runs, count)


def test_deleting_all_output_leaves_evidence_and_what_has_no_seal(finished):
    alone = finished.folder / f"results/{finished.date}/some-model/{finished.task}/run-1.json"
    alone.parent.mkdir(parents=True)
    shutil.copy(finished.record("gold"), alone)
    runs = finished.runs()
    finished.snakemake("leaderboard", "--delete-all-output", ok=False)
    assert alone.exists()
    assert finished.runs() == runs


def test_a_grown_plan_adds_only_what_is_new(finished):
    runs = finished.runs()
    finished.configure(harnesses=["noop", "gold", "traps"])
    finished.snakemake("leaderboard")
    after = finished.runs()
    assert {path: after[path] for path in runs} == runs
    assert len(after) > len(runs)


def test_a_flipped_byte_in_sealed_evidence_stops_the_grading_and_is_named(finished):
    sealed = finished.record("gold").with_suffix("") / "end-state.tar.zst"
    data = bytearray(sealed.read_bytes())
    data[40] ^= 1
    sealed.chmod(0o644)
    sealed.write_bytes(data)
    result = finished.snakemake("leaderboard", "--forcerun", "score", ok=False)
    assert result.returncode != 0
    assert "end-state.tar.zst" in result.stdout + result.stderr


def test_a_lost_transcript_stops_the_grading_and_is_named(finished):
    (finished.record("gold").with_suffix("") / "transcript.jsonl").unlink()
    result = finished.snakemake("leaderboard", "--forcerun", "score", ok=False)
    assert result.returncode != 0
    assert "transcript.jsonl" in result.stdout + result.stderr


def test_a_record_without_evidence_is_kept_and_not_performed_again(finished):
    record = finished.record("gold")
    data, count = record.read_bytes(), finished.performed()
    shutil.rmtree(record.with_suffix(""))
    finished.snakemake("leaderboard", "--forcerun", "score")
    assert (record.read_bytes(), finished.performed()) == (data, count)


def test_an_edited_record_stops_the_grading_and_shows_the_difference(finished):
    record = finished.record("noop")
    record.chmod(0o644)
    edited = record.read_bytes().replace(b'"verdict": "fail"', b'"verdict": "pass"')
    record.write_bytes(edited)
    result = finished.snakemake("leaderboard", "--forcerun", "score", ok=False)
    assert result.returncode != 0
    assert "verdict" in result.stdout + result.stderr
    assert record.read_bytes() == edited


@pytest.mark.parametrize("delay_s", [1.5, 2.5, 3.5, 5.0])
def test_a_killed_snakemake_is_continued_without_performing_a_sealed_run_again(project, delay_s):
    process = subprocess.Popen(
        ["snakemake", "leaderboard"],
        cwd=project.folder,
        env=project.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(delay_s)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    sealed = project.runs()
    project.snakemake("--unlock")
    project.snakemake("leaderboard")
    after = project.runs()
    assert {path: after[path] for path in sealed} == sealed
    assert project.record("gold").exists()
    assert project.record("noop").exists()


def test_naming_one_record_makes_just_that_run(project):
    project.snakemake("--cores", "2", str(project.record("gold").relative_to(project.folder)))
    assert project.performed() == 1
    assert sorted(project.records()) == [str(project.record("gold"))]


def test_an_answer_that_cannot_be_performed_is_named_and_keeps_no_other_from_its_grade_twice(project):
    gold = project.folder / f"solutions/{project.task}/gold.json"
    whole = gold.read_text()
    gold.write_text(whole.replace('"path": "copperbench-ldo-sensor.kicad_sch"', '"path": "no-such-sheet.kicad_sch"'))
    first = project.snakemake("leaderboard", ok=False)
    assert (first.returncode, "no-such-sheet.kicad_sch" in first.stdout + first.stderr) == (1, True)
    sealed = project.runs()
    assert len(sealed) == 1
    project.snakemake("leaderboard", ok=False)
    assert (project.record("noop").exists(), project.runs()) == (True, sealed)
    gold.write_text(whole)
    project.snakemake("leaderboard")
    assert (project.record("gold").exists(), project.performed()) == (True, 4)  # thrice gold, once noop


def test_a_redone_run_is_due_again_and_the_old_evidence_is_kept(finished):
    count = finished.performed()
    finished.call("copperbench", "redo", "--yes", str(finished.record("gold").relative_to(finished.folder)))
    assert not finished.record("gold").exists()
    finished.snakemake("leaderboard")
    assert finished.performed() == count + 1
    assert list((finished.folder / "superseded").rglob("*run.json"))


def test_the_campaign_date_is_chosen_once(project):
    project.configure(date=None)
    project.snakemake("leaderboard", "-n")
    local = project.folder / "config/campaign.local.yaml"
    chosen = yaml.safe_load(local.read_text())["date"]
    local.write_text(local.read_text().replace(chosen, "2025-05-05"))
    result = project.snakemake("leaderboard", "-n")
    assert "results/2025-05-05/" in result.stdout + result.stderr


def test_a_campaign_of_today_that_came_with_the_checkout_is_not_added_to(project):
    today = datetime.now(UTC).date()
    for days in (0, 1):  # midnight may come in between
        (project.folder / f"results/{today + timedelta(days=days)}").mkdir(parents=True)
    project.configure(date=None)
    project.call("copperbench", "plan")
    local = yaml.safe_load((project.folder / "config/campaign.local.yaml").read_text())
    assert local["date"] == str(today + timedelta(days=2))
