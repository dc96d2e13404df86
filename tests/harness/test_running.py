"""From claim to seal: performed once, published whole or not at all."""

import os
import signal
import subprocess
from dataclasses import replace

import pytest

from copperbench.errors import CopperbenchError, FixtureMismatch, OperationFailed, SealBroken, SuiteError
from copperbench.harness import Performance, performer
from copperbench.sandbox import ExitFacts, open_seal
from copperbench.suite import Operation

ENDED = Performance(b"", ExitFacts(code=0, signal=None, cap=None, tampered=None))


def never(job, stop):
    raise AssertionError("performed")


def test_a_sealed_run_is_kept_and_not_performed_again(bench):
    bench.run()
    before = {path: (bench.folder / path).read_bytes() for path in bench.published()}
    assert bench.run(by=never) == "kept"
    assert {path: (bench.folder / path).read_bytes() for path in bench.published()} == before


def test_damaged_evidence_is_named_and_not_performed_over(bench):
    bench.run()
    transcript = bench.place().folder / "transcript.jsonl"
    transcript.write_bytes(transcript.read_bytes().replace(b"done", b"DONE"))
    with pytest.raises(SealBroken, match=r"transcript\.jsonl"):
        bench.run(by=never)


def test_a_record_whose_evidence_is_gone_is_not_performed_over(bench):
    bench.place().path.parent.mkdir(parents=True)
    bench.place().path.write_text("{}")
    with pytest.raises(CopperbenchError, match="redo"):
        bench.run(by=never)


def test_a_run_planned_with_another_suite_is_refused(bench):
    with pytest.raises(SuiteError, match=r"9\.9\.9"):
        bench.run(by=never, suite_version="9.9.9")


def test_a_sandbox_of_another_task_is_refused(bench, archives):
    with pytest.raises(SealBroken, match="do-raise-led-resistor"):
        bench.run(by=never, archive=archives("do-raise-led-resistor"))
    assert bench.published() == []


def test_a_fixture_that_is_not_in_place_is_refused_before_anything_is_made(bench, tmp_path):
    with pytest.raises(FixtureMismatch):
        bench.run(by=never, fixtures=tmp_path)
    assert bench.published() == []


def test_a_solution_that_does_not_apply_leaves_nothing(bench):
    who = bench.order().performer
    wrong = Operation("replace", {"path": "docs/SPEC.md", "old": "no such text", "new": "", "count": 1})
    with pytest.raises(OperationFailed, match=r"gold\.json: \$\.steps\[0\]"):
        bench.run(performer=replace(who, solution=replace(who.solution, steps=(wrong,))))
    assert bench.published() == []


def test_a_trap_that_the_task_does_not_have_is_refused_with_those_it_has(suite, bench):
    with pytest.raises(SuiteError, match="trap-fixes-the-schematic"):
        performer(suite, bench.task, "harness-trap-nonesuch")


def test_a_model_has_no_in_process_performer(suite, bench):
    assert performer(suite, bench.task, "some-model") is None


def test_two_processes_never_perform_one_run(bench):
    refused = []

    def meanwhile(job, stop):
        with pytest.raises(CopperbenchError, match="is being performed") as error:
            bench.run(by=never)
        refused.append(error)
        return ENDED

    bench.run(by=meanwhile)
    assert len(refused) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_is_sealed_with_what_it_left(bench, number):
    def stopped(job, stop):
        (job.root / "half.txt").write_text("half done")
        os.kill(os.getpid(), number)
        return Performance(b"", ExitFacts(code=None, signal=stop.signal, cap=None, tampered=None))

    assert bench.run(by=stopped) == "sealed"
    seal = open_seal(bench.place().folder)
    assert seal.facts.exit.signal == number
    assert "half.txt" in seal.end


def test_a_stop_reaches_what_waits_for_a_child(bench):
    heard = []

    def waiting(job, stop):
        stop.heed(heard.append)
        os.kill(os.getpid(), signal.SIGTERM)
        return ENDED

    bench.run(by=waiting)
    assert heard == [signal.SIGTERM]


def test_an_in_process_run_that_is_told_to_stop_is_still_whole(bench):
    from copperbench.harness import perform

    def disturbed(job, stop):
        os.kill(os.getpid(), signal.SIGTERM)
        return perform(job, stop)

    bench.run("gold", by=disturbed)
    assert bench.facts()["exit"]["signal"] is None
    assert bench.events()[-1]["data"]["exitPath"] == "done"


def test_signals_act_as_before_once_the_run_is_sealed(bench):
    before = signal.getsignal(signal.SIGTERM)
    bench.run()
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_sandbox_lies_outside_any_repository_even_where_the_temporary_folder_does_not(bench, tmp_path, monkeypatch):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    inner = tmp_path / "tmp"
    inner.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(inner))
    around = []

    def look(job, stop):
        around.extend(folder for folder in job.root.parents if (folder / ".git").exists())
        return ENDED

    bench.run(by=look)
    assert around == []


def test_the_sandbox_is_gone_when_the_run_is_sealed(bench):
    roots = []

    def remember(job, stop):
        roots.append(job.root)
        return ENDED

    bench.run(by=remember)
    assert not roots[0].parent.exists()


def test_a_leaked_key_goes_to_quarantine_and_nowhere_under_results(bench):
    key = b"sk-" + b"k" * 40
    who = bench.order().performer
    leak = Operation("write", {"path": "docs/KEY.md", "text": key.decode()})
    result = bench.run(performer=replace(who, solution=replace(who.solution, steps=(leak, *who.solution.steps))))
    assert result == "quarantined"
    assert bench.published()[0].startswith("quarantine/")
    assert [path for path in bench.published() if path.startswith("results/")] == [
        f"results/2026-01-02/harness-gold/{bench.task}/run-1/run.json"
    ]
    assert key not in (bench.place().folder / "run.json").read_bytes()


def test_a_record_can_tell_which_solution_was_followed(bench):
    bench.run()
    solutions = {solution.name: solution.sha256 for solution in bench.suite.solutions(bench.task)}
    assert bench.facts()["harness"]["solutionSha256"] == solutions["gold"]
