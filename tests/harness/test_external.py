"""The adapter drives any command with the contract, and no behaviour of it escapes the record."""

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from copperbench.errors import HarnessUnavailable, SealBroken
from copperbench.evidence import read_transcript
from copperbench.grading import effective_exit_path
from copperbench.harness import Agent, Job, RunOrder, Stop, carry_out, external, harness_init
from copperbench.harness.observing import TranscriptObserver
from copperbench.records import record_place
from copperbench.sandbox import build_sandbox, unpack_archive
from copperbench.suite import Ablations, Caps, parse_contender

FAKE = Path(__file__).with_name("fake_harness.py")
KEY = "a-planted-key-0123456789"
SURROUNDING = {"PATH": "/usr/bin:/bin", "FAKE_KEY": KEY, "OTHER_KEY": "sk-" + "x" * 30, "HOME": "/nonexistent"}
MODEL = {
    "id": "done",
    "provider": "fake",
    "segment": "api-cheap",
    "pinning": "weak",
    "harness": "fake",
    "endpoint": "http://127.0.0.1:9/v1",
    "keyEnv": "FAKE_KEY",
}
CALL = ["--json", "do", "{request}", "--model", "{model}"]
HARNESS = {
    "command": [sys.executable, str(FAKE)],
    "modes": {
        "do": {"arguments": CALL, "options": {"maxTurns": "--max-turns", "toolSubset": "--tools"}},
        "create": {"arguments": ["create", "--brief", "{brief}", "--model", "{model}"], "runFolders": 8},
    },
}
PRICE = {"tableVersion": "1", "input": 1.0, "output": 10.0}


def contender(behaviour="done", harness=None, ablations=None, **model):
    entry = MODEL | {"id": behaviour} | model
    value = {"model": entry, "harness": HARNESS | (harness or {}), "price": PRICE, "ablations": ablations or {}}
    return parse_contender("fake-model", json.dumps(value).encode(), "test")


def agent(behaviour="done", surrounding=SURROUNDING, grace_s=60, **changes):
    return Agent(contender(behaviour, **changes), surrounding, grace_s=grace_s)


@pytest.fixture
def bench(bench_of):
    """The bench of a task without seeds, whose documents any init may make."""
    return bench_of("do-raise-led-resistor")


@pytest.fixture
def job(bench, tmp_path):
    """A run to perform, with a cap of five turns and ample time."""
    task = bench.suite.task(bench.task)
    task = replace(task, caps=Caps(5, 60.0))
    info = unpack_archive(bench.archive.read_bytes(), tmp_path / "run/sandbox", "test")
    fixture = bench.suite.fixture(task.fixture_id)
    return Job(agent(), task, fixture, tmp_path / "run/sandbox", info.baseline_sha, "fake 1.2.3")


@pytest.fixture
def short(job, hurried):
    """The same whose time is over once it has begun."""
    hurried(job.root)
    return job


def events(performance):
    return [json.loads(line) for line in performance.transcript.splitlines()]


def is_over(pid):
    """Whether a process that was just killed goes away; one that was not would stay for an hour."""
    for _ in range(600):
        with suppress(OSError):
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            if state not in "ZX":
                time.sleep(0.05)
                continue
        return True
    return False


def start(performance):
    return events(performance)[0]["data"]


def test_a_run_is_stamped_with_who_performed_it_and_what_it_cost(job):
    stamps = agent().perform(job, Stop()).agent
    assert (stamps.harness.name, stamps.harness.version) == ("fake", "1.2.3")
    assert (stamps.model.id, stamps.model.served, stamps.model.selection_source) == ("done", "fake-model-1", "flag")
    assert (stamps.cost.usd, stamps.cost.table_version) == (0.0011, "1")
    assert stamps.node_version == "v20.20.2"


def test_the_harness_gets_the_request_the_model_and_the_smallest_turn_limit(job):
    arguments = start(agent().perform(job, Stop()))["arguments"]
    assert arguments[arguments.index("do") + 1] == job.task.prompt
    assert arguments[arguments.index("--model") + 1] == "done"
    assert arguments[arguments.index("--max-turns") + 1] == "5"


def test_an_ablation_reaches_the_command_line_and_the_stamps_word_for_word(job):
    varied = {"maxTurns": 3, "toolSubset": ["read_file", "edit_file"]}
    performance = agent(ablations=varied).perform(job, Stop())
    arguments = start(performance)["arguments"]
    assert arguments[arguments.index("--max-turns") + 1] == "3"
    assert arguments[arguments.index("--tools") + 1] == "read_file,edit_file"
    assert performance.agent.ablations == varied


def test_the_process_sees_only_the_variables_that_its_entry_names(job):
    seen = start(agent().perform(job, Stop()))["environment"]
    ours = {"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"}
    theirs = {"FAKE_KEY", "COPPERHEAD_BASE_URL", "COPPERHEAD_API_KEY_ENV"}
    assert set(seen) - {"LC_CTYPE", "PWD"} == ours | theirs


def test_the_process_starts_in_an_empty_folder_with_nothing_on_stdin(job):
    seen = start(agent().perform(job, Stop()))
    assert (seen["folder"], seen["stdin"]) == ([], "")


def test_home_is_empty_but_for_a_saved_login(job):
    seen = start(agent(segment="saved-login").perform(job, Stop()))["environment"]
    assert seen["HOME"] == "/nonexistent"


def test_git_has_an_identity_there_and_runs_no_hooks(job):
    surrounding = SURROUNDING | {"PATH": os.environ["PATH"]}
    assert start(agent("uses-git", surrounding).perform(job, Stop()))["author"] == (
        "copperbench <copperbench@example.invalid>"
    )


def test_a_run_that_first_says_what_an_earlier_one_left_open_is_a_run_like_any_other(job):
    performance = agent("reopens").perform(job, Stop())
    assert events(performance)[0]["type"] == "deferred-affects-reopened"
    assert (read_transcript(performance.transcript).exit_path, performance.agent.cost.usd) == ("done", 0.0011)


def test_a_run_killed_after_two_events_is_a_run_without_an_end(job):
    performance = agent("reopens-and-dies").perform(job, Stop())
    assert (len(events(performance)), performance.exit.signal) == (2, 9)
    assert effective_exit_path(read_transcript(performance.transcript), performance.exit) == "no-run-end"


def test_what_a_harness_could_not_find_out_about_itself_is_null(job):
    stamps = agent("with-null-probes").perform(job, Stop()).agent
    assert (stamps.node_version, stamps.model.selection_source, stamps.harness.version) == (None, "flag", "1.2.3")


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("silent", "ended without starting a run (exit code 0)"),
        ("refuses-to-start", "(exit code 1): error: the working tree is dirty"),
        ("empty", "ended without starting a run (exit code 1)"),
        ("rejected", "the endpoint could not be used: provider error: 401"),
        ("not-known", "the endpoint could not be used: provider error: 404 no such model; check key, endpoint and id"),
    ],
)
def test_what_never_became_a_run_leaves_no_record(bench, behaviour, said):
    with pytest.raises(HarnessUnavailable) as error:
        run(bench, behaviour)
    assert said in str(error.value)
    assert bench.published() == []


def test_a_key_in_what_a_harness_says_is_not_repeated(job):
    with pytest.raises(HarnessUnavailable) as error:
        agent("refuses-to-start").perform(job, Stop())
    assert "the key is [REDACTED]" in str(error.value)
    assert KEY not in str(error.value)


@pytest.mark.parametrize("behaviour", ["failing", "rejected-later"])
def test_a_provider_that_fails_is_a_run(job, behaviour):
    transcript = read_transcript(agent(behaviour).perform(job, Stop()).transcript)
    assert transcript.exit_path == "provider-error"


def test_a_run_that_goes_on_past_its_turns_is_ended_and_says_so(job):
    performance = agent("endless").perform(job, Stop())
    assert (performance.exit.cap, performance.exit.signal) == ("turns", 15)


@pytest.mark.parametrize(("behaviour", "grace_s", "number"), [("hangs", 60, 15), ("deaf", 0.3, 9)])
def test_a_run_that_hangs_gets_term_and_then_kill(short, behaviour, grace_s, number):
    performance = agent(behaviour, grace_s=grace_s).perform(short, Stop())
    assert (performance.exit.cap, performance.exit.signal) == ("wallClock", number)


def test_a_harness_that_heeds_term_may_still_write_down_its_usage(short):
    performance = agent("tidy").perform(short, Stop())
    assert (performance.exit.cap, performance.exit.code, performance.agent.cost.usd) == ("wallClock", 143, 0.0011)


def test_what_a_harness_leaves_running_is_ended_with_it(job):
    agent("leaves-a-child").perform(job, Stop())
    assert is_over(int((job.root / "child.txt").read_text()))


@pytest.fixture
def seen(job, monkeypatch):
    """Let the harness know once the first turn in its transcript was seen."""

    class Observer(TranscriptObserver):
        def look(self):
            super().look()
            if self.turns:
                (job.root / ".seen").touch()

    monkeypatch.setattr(external, "TranscriptObserver", Observer)


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("behaviour", ["rewrites", "erases"])
def test_a_transcript_that_is_taken_back_is_tampered_and_costs_nobody_knows_what(job, behaviour):
    performance = agent(behaviour).perform(job, Stop())
    assert performance.exit.tampered is not None
    assert performance.agent.cost.usd is None


def test_a_harness_that_stops_without_a_run_end_is_a_run_without_known_cost(job):
    performance = agent("stops-writing").perform(job, Stop())
    assert read_transcript(performance.transcript).exit_path is None
    assert performance.agent.cost.reason == "the run ended before its usage was written down"


@pytest.fixture
def create(job):
    """The job of a create task."""
    manifests = {**job.task.manifests, "briefs/x.md": b"# A lamp"}
    return replace(job, task=replace(job.task, mode="create", brief_path="briefs/x.md", manifests=manifests))


def test_the_stages_of_create_are_sealed_in_order_and_costed_together(create):
    performance = agent("two-stages").perform(create, Stop())
    kinds = [event["type"] for event in events(performance)]
    assert kinds == ["run-start", "assistant", "run-end"] * 2
    assert performance.agent.cost.usd == 0.0022


def test_a_brief_is_handed_over_as_a_file_outside_the_sandbox(create):
    seen = start(agent("two-stages").perform(create, Stop()))
    brief = seen["arguments"][seen["arguments"].index("--brief") + 1]
    assert (seen["folder"], brief.startswith(str(create.root))) == (["brief.md"], False)


def test_a_run_folder_more_than_the_mode_makes_is_tampering(job):
    assert "a run folder more" in agent("two-stages").perform(job, Stop()).exit.tampered


def test_a_flood_of_output_neither_blocks_nor_is_kept(job):
    performance = agent("floods").perform(job, Stop())
    assert (performance.exit.code, performance.exit.cap) == (0, None)


def test_an_order_to_stop_before_the_first_turn_leaves_nothing(job):
    stop = Stop()
    stop.ask(2)
    with pytest.raises(KeyboardInterrupt):
        agent("hangs").perform(job, stop)


def test_a_sandbox_of_another_version_is_not_used(job):
    with pytest.raises(SealBroken, match=r"was made by fake 1\.2\.2, and this run is fake 1\.2\.3's"):
        agent().perform(replace(job, scaffold="fake 1.2.2"), Stop())


@pytest.mark.parametrize(
    ("changes", "surrounding", "said"),
    [
        ({}, {"PATH": "/usr/bin"}, "its key is not set: FAKE_KEY is empty; export FAKE_KEY"),
        ({"env": ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"]}, SURROUNDING, "names two API keys"),
        ({"ablations": {"promptVariant": "terse"}}, SURROUNDING, "cannot vary promptVariant in mode do"),
        ({"harness": {"command": ["no-such-harness"]}}, SURROUNDING, "no-such-harness is not on PATH"),
        ({"harness": {"modes": {"sync": {"arguments": ["sync"]}}}}, SURROUNDING, "has no mode do"),
    ],
)
def test_what_keeps_a_run_from_starting_is_known_before_anything_is_made(job, changes, surrounding, said):
    with pytest.raises(HarnessUnavailable) as error:
        agent(surrounding=surrounding, **changes).check(job.task)
    assert said in str(error.value)


def test_turns_may_be_ablated_without_an_option_since_the_runner_holds_them(job):
    without = {"modes": {"do": {"arguments": CALL}}}
    one = agent("endless", harness=without, ablations={"maxTurns": 2})
    one.check(job.task)
    assert one.perform(job, Stop()).exit.cap == "turns"


def run(bench, behaviour):
    """Carry a run out from sandbox to seal."""
    task = bench.suite.task(bench.task)
    fixture = bench.suite.fixture(task.fixture_id)
    tree = bench.suite.root / "fixtures" / fixture.id / "tree"
    one = agent(behaviour)
    init, scaffold = harness_init(one.contender.harness, SURROUNDING)
    archive = bench.folder.parent / "fake.tar.zst"
    archive.write_bytes(build_sandbox(task, fixture, tree, init, scaffold).data)
    place = record_place(Path(f"results/2026-01-02/fake-model/{task.id}/run-1.json"), bench.folder)
    order = RunOrder(place, one, archive, bench.suite.version, fixtures=bench.suite.root / "fixtures")
    return carry_out(order, bench.suite, one.perform)


def test_the_harness_own_init_makes_the_documents_of_its_sandbox(bench):
    from copperbench.sandbox import read_sandbox

    assert run(bench, "done") == "sealed"
    sandbox = read_sandbox(bench.folder.parent / "fake.tar.zst")
    assert (sandbox.info.scaffold, sandbox.files["docs/SPEC.md"].data) == ("fake 1.2.3", b"# Spec\n")


def test_a_leaked_key_quarantines_the_run_and_is_nowhere_in_what_is_published(bench):
    assert run(bench, "leaks") == "quarantined"
    published = [path for path in bench.folder.rglob("*") if path.is_file() and "quarantine" not in path.parts]
    assert [path for path in published if KEY.encode() in path.read_bytes()] == []
    assert published


def test_the_seal_of_an_agent_run_says_all_that_a_record_needs(bench):
    run(bench, "done")
    facts = json.loads((bench.folder / f"results/2026-01-02/fake-model/{bench.task}/run-1/run.json").read_text())
    assert (facts["runMode"], facts["harness"]["name"], facts["model"]["provider"]) == ("agent", "fake", "fake")
    assert facts["cost"] == {"usd": 0.0011, "tableVersion": "1", "reason": None}


def test_no_two_ablations_share_a_slug():
    from copperbench.suite.roster import parse_ablations

    assert parse_ablations(["turns-10", "prompt-terse"], {}, "x") == Ablations(max_turns=10, prompt_variant="terse")
