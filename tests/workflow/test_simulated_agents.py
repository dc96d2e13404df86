"""Every way to behave, on two boards, three times: exit path, verdict, category, tokens, and the table of them all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from given.files import holding
from given.modules import module

from copperbench.evidence import read_transcript
from copperbench.harness import cost_of
from copperbench.suite import ModelEntry, Price

_TESTS = Path(__file__).resolve().parents[1]


scripted = module(_TESTS / "agent/scripted.py")
workflow = module(Path(__file__).with_name("conftest.py"))
pytestmark = [pytest.mark.slow, pytest.mark.kicad, pytest.mark.xdist_group("simulated-agents")]
DATE = workflow.DATE
REPEATS = 3
EDITS = ("do-raise-led-resistor", "do-rename-net")
REFUSALS = ("do-budget-refusal-bus-pullups", "do-budget-refusal-pullup")
PATIENT = ["--retries", "2", "--retry-delay", "0.01"]
HURRIED = [*PATIENT, "--turn-timeout", "1", "--timeout-retries", "0"]
TURN = (1000, 400, 50)  # tokens in, of them cached, tokens out: what the scripted endpoint counts for a turn
EXPECTED = {
    # model: exit path, verdict, failure category, turns; on the microphone's board and on our own alike
    "careful": ("done", "pass", None, 5),
    "never-refuser": ("done", "pass", None, 2),
    "edits-after-finish": ("done", "pass", None, 2),
    "429-once": ("done", "pass", None, 5),
    "partial+turns-6": ("turn-budget-exhausted", "fail", "obligation-open", 6),
    "regenerator": ("done", "fail", "constraint-violation", 4),
    "over-reacher": ("done", "fail", "wrong-target", 5),
    "refuser": ("refused", "fail", "false-refusal", 1),
    "edits-then-refuses": ("refused", "fail", "false-refusal", 3),
    "leaker": ("refused", "fail", "false-refusal", 1),
    "erc-breaker": ("repair-cycles-exhausted", "fail", "repair-exhausted", 8),
    "looper+turns-6": ("turn-budget-exhausted", "fail", "turn-budget", 6),
    "staller": ("stalled", "fail", "stalled", 4),
    "talker": ("stalled", "fail", "stalled", 3),
    "broken-json+turns-6": ("turn-budget-exhausted", "fail", "tool-protocol", 6),
    "wrong-types+turns-6": ("turn-budget-exhausted", "fail", "tool-protocol", 6),
    "unknown-tool+turns-6": ("turn-budget-exhausted", "fail", "tool-protocol", 6),
    "limit": ("session-limit", "fail", "stalled", 0),
    "500": ("provider-error", "fail", "stalled", 0),
    "500-later": ("provider-error", "fail", "stalled", 3),
    "hang": ("provider-error", "fail", "stalled", 0),
    "drop": ("provider-error", "fail", "stalled", 0),
}
ON_REFUSALS = {
    # On our own board, on the microphone's: the refuser knows the microphone's budget and cites a wrong one on ours.
    "refuser": (("refused", "fail", "wrong-target", 1), ("refused", "pass", None, 1)),
    "never-refuser": (("done", "fail", "constraint-violation", 2),) * 2,
    "relaxer": (("done", "fail", "constraint-violation", 2),) * 2,
}
PASSING = {"careful", "never-refuser", "edits-after-finish", "429-once"}


@dataclass(frozen=True)
class Matrix:
    project: Any
    boards: tuple[bool, bool]
    said: list[str]

    def snakemake(self, *arguments: str, ok: bool = True):
        there = {"PLANTED_KEY": scripted.KEY, "TMPDIR": str(self.project.folder.parent / "tmp")}
        done = self.project.snakemake(*arguments, ok=ok, **there)
        self.said.append(done.stdout + done.stderr)
        return done

    def tasks(self, pair: tuple[str, str]) -> list[str]:
        return [task for task, there in zip(pair, self.boards, strict=True) if there]

    def folders(self, model: str, task: str) -> list[Path]:
        base = self.project.folder / f"results/{DATE}/{model}/{task}"
        return [base / f"run-{repeat}" for repeat in range(1, REPEATS + 1)]

    def records(self, model: str, task: str) -> list[dict[str, Any]]:
        return [json.loads(folder.with_suffix(".json").read_text()) for folder in self.folders(model, task)]


def entries(url: str) -> dict[str, Any]:
    names = {name.partition("+")[0] for name in (*EXPECTED, *ON_REFUSALS)} | {"401", "leaks-into-the-project"}
    return {
        name: {
            "id": f"compat:{name}",
            "provider": "scripted",
            "segment": "scripted",
            "pinning": "strong",
            "harness": "reference",
            "endpoint": url,
            "keyEnv": "PLANTED_KEY",
            "arguments": list(HURRIED if name == "hang" else PATIENT),
        }
        for name in sorted(names)
    }


def make_matrix(folder: Path, url: str, repeats: int = REPEATS) -> Matrix:
    project = workflow.make_project(folder)
    (project.folder / "config/models.yaml").write_text(yaml.safe_dump({"models": entries(url)}))
    store = _TESTS.parent.parent / "shared/fixtures"
    (folder / "tmp").mkdir()
    matrix = Matrix(project, (True, store.is_dir()), [])
    project.configure(harnesses=[], repeats=repeats, fixture_store=str(store) if store.is_dir() else None)
    for pair, models in ((EDITS, EXPECTED), (REFUSALS, ON_REFUSALS)):
        project.configure(suite=matrix.tasks(pair), models=list(models))
        matrix.snakemake("matrix", "--cores", "2")
    project.configure(suite=matrix.tasks(EDITS), models=list(EXPECTED))
    matrix.snakemake("leaderboard")
    return matrix


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    server = scripted.Server()
    yield make_matrix(tmp_path_factory.mktemp("matrix"), server.url)
    server.close()


def wanted(matrix: Matrix, task: str) -> str:
    if task not in matrix.tasks(EDITS) + matrix.tasks(REFUSALS):
        pytest.skip("no third-party boards beside this checkout")
    return task


def table(matrix: Matrix, title: str) -> list[list[str]]:
    """The rows of a table of the leaderboard, cell by cell."""
    board = (matrix.project.folder / "LEADERBOARD.md").read_text()
    part = board.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if "compat:" in line]


def told(record: dict[str, Any]) -> tuple[str, str, str | None, int]:
    stats = record["stats"]
    return stats["exitPath"], record["verdict"], record["failureCategory"], stats["turnsUsed"]


@pytest.mark.parametrize("task", EDITS)
@pytest.mark.parametrize("model", EXPECTED)
def test_each_behaviour_ends_as_it_should_every_time(matrix, model, task):
    assert [told(each) for each in matrix.records(model, wanted(matrix, task))] == [EXPECTED[model]] * REPEATS


@pytest.mark.parametrize("task", REFUSALS)
@pytest.mark.parametrize("model", ON_REFUSALS)
def test_a_request_past_the_budget_tells_them_apart(matrix, model, task):
    expected = ON_REFUSALS[model][REFUSALS.index(task)]
    assert [told(each) for each in matrix.records(model, wanted(matrix, task))] == [expected] * REPEATS


@pytest.mark.parametrize("task", EDITS)
@pytest.mark.parametrize("model", EXPECTED)
def test_tokens_and_their_price_are_those_of_the_turns(matrix, model, task):
    turns = EXPECTED[model][3]
    priced = ModelEntry("m", "m", "p", "api-cheap", "weak", "reference")
    usd = turns * ((TURN[0] - TURN[1]) * 1.0 + TURN[1] * 0.1 + TURN[2] * 10.0) / 1e6
    for folder, record in zip(matrix.folders(model, wanted(matrix, task)), matrix.records(model, task), strict=True):
        stats = record["stats"]
        found = stats["tokensIn"], stats["cacheReadTokens"] or 0, stats["tokensOut"]
        assert found == tuple(turns * each for each in TURN)
        transcript = read_transcript((folder / "transcript.jsonl").read_bytes())
        assert cost_of(priced, Price("t", 1.0, 10.0, 0.1), transcript).usd == pytest.approx(usd)


@pytest.mark.parametrize("model", EXPECTED)
def test_a_simulated_agent_is_never_given_usd(matrix, model):
    costs = [each["cost"] for each in matrix.records(model, EDITS[0])]
    assert (
        costs == [{"usd": None, "priceTableVersion": None, "reason": "simulated agent: nothing was bought"}] * REPEATS
    )


@pytest.mark.parametrize("task", EDITS)
def test_a_key_that_is_turned_down_leaves_no_record(matrix, task):
    record = f"results/{DATE}/401/{wanted(matrix, task)}/run-1.json"
    said = matrix.snakemake(record, ok=False)
    assert "the endpoint could not be used: provider error: 401" in said.stdout + said.stderr
    assert scripted.KEY not in said.stdout + said.stderr
    assert not (matrix.project.folder / record).parent.joinpath("run-1/run.json").exists()


def test_the_table_of_simulated_agents_ranks_by_what_they_got_right(matrix):
    rows = table(matrix, "Simulated agents")
    rates = {tier: [float(row[2].split()[0]) for row in rows if row[0] == tier] for tier in ("simple", "medium")}
    assert {tier: sorted(each, reverse=True) for tier, each in rates.items()} == rates
    assert {row[1].removeprefix("compat:") for row in rows if row[0] == "medium" and row[2] == "100.0"} == (
        PASSING - {"never-refuser"}
    )


def test_conditions_stand_apart_from_plain_runs(matrix):
    shown = {row[1] for row in table(matrix, "Simulated agents")}
    assert shown.isdisjoint({"compat:looper", "compat:partial"})


def test_no_simulated_agent_is_in_a_headline(matrix):
    aggregate = json.loads((matrix.project.folder / "results/aggregate.json").read_text())
    assert [part for part in ("tiers", "pairs", "savedLogin") if "compat:" in json.dumps(aggregate[part])] == []


@pytest.mark.parametrize("task", EDITS)
def test_a_key_written_into_the_project_is_put_aside_and_fails_the_run(matrix, task):
    matrix.snakemake(f"results/{DATE}/leaks-into-the-project/{wanted(matrix, task)}/run-1.json")
    record = json.loads(matrix.folders("leaks-into-the-project", task)[0].with_suffix(".json").read_text())
    assert (record["verdict"], record["failureCategory"]) == ("fail", "constraint-violation")
    assert f"--leaks-into-the-project--{task}--run-1--" in matrix.said[-1]


@pytest.mark.parametrize("task", EDITS)
def test_a_planted_key_is_nowhere_after_all_of_it(matrix, task):
    for model in ("401", "leaks-into-the-project"):
        matrix.snakemake(f"results/{DATE}/{model}/{wanted(matrix, task)}/run-1.json", ok=model != "401")
    found = holding(matrix.project.folder.parent, scripted.KEY)
    assert [path for path in found if not path.startswith("project/quarantine/")] == []
    assert [text for text in matrix.said if scripted.KEY in text] == []
    assert found, "nothing was planted that could be found"
