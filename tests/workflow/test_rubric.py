"""The rubric tier through Snakemake: asked for by a flag, in columns of its own, and in no headline."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from given.modules import module

_TESTS = Path(__file__).resolve().parents[1]
scripted = module(_TESTS / "agent/scripted.py")
workflow = module(Path(__file__).with_name("conftest.py"))
pytestmark = [pytest.mark.kicad, pytest.mark.slow, pytest.mark.xdist_group("rubric")]
COLUMN = " Rubric (judged by a model) |"
KEY = "judge-key-of-no-use"


class Judge(BaseHTTPRequestHandler):
    """A judge that gives 0.25 to whatever it is asked about, for the right key."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Authorization"])
        answer = json.dumps({"score": 0.25, "rationale": "</pre><script>alert(1)</script>"})
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": answer}}]}).encode())

    def log_message(self, *arguments: object) -> None:
        pass


@dataclass
class Judged:
    """A campaign of one scripted model, before and after it was judged."""

    project: Any
    before: dict[str, str]
    after: dict[str, str]
    keys: list[str]
    again: str


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    models = scripted.Server()
    judge = HTTPServer(("127.0.0.1", 0), Judge)
    judge.keys = []
    Thread(target=judge.serve_forever, daemon=True).start()
    project = workflow.make_project(tmp_path_factory.mktemp("rubric"))
    folder = project.folder
    task = folder / f"tasks/{workflow.EDIT_TASK}/task.json"
    task.write_text(json.dumps(json.loads(task.read_text()) | {"rubric": "rubrics/tidy.md"}))
    (folder / "rubrics").mkdir(exist_ok=True)
    (folder / "rubrics/tidy.md").write_text("Is the change the smallest that does it?\n")
    entry = {"id": "careful", "provider": "scripted", "segment": "api-cheap", "pinning": "strong"}
    entry |= {"harness": "reference", "endpoint": models.url, "keyEnv": "PLANTED_KEY"}
    (folder / "config/models.yaml").write_text(yaml.safe_dump({"models": {"careful": entry}}))
    asked = {"endpoint": f"http://127.0.0.1:{judge.server_port}/v1", "model": "a-judge", "key_env": "JUDGE_KEY"}
    project.configure(models=["careful"], harnesses=["noop"], repeats=1, judge=asked)
    keys = {"PLANTED_KEY": scripted.KEY, "JUDGE_KEY": KEY}
    project.snakemake("matrix", **keys)
    project.snakemake("leaderboard")
    before = _reports(folder)
    project.snakemake("leaderboard", "--config", "rubric=true", **keys)
    again = project.snakemake("leaderboard", "--config", "rubric=true", **keys)
    yield Judged(project, before, _reports(folder), judge.keys, again.stdout + again.stderr)
    judge.shutdown()
    judge.server_close()
    models.close()


def _reports(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text() for name in ("LEADERBOARD.md", "results/aggregate.json")}


def without_column(page: str) -> str:
    lines, inside = [], False
    for line in page.splitlines(keepends=True):
        inside = line.startswith("|") and (inside or line.endswith(f"{COLUMN}\n"))
        if not line.startswith("The rubric column is"):
            lines.append(line.rsplit("|", 2)[0] + "|\n" if inside else line)
    return "".join(lines)


def test_nobody_is_asked_unless_the_flag_is_given(judged: Judged) -> None:
    assert COLUMN not in judged.before["LEADERBOARD.md"]


def test_the_judgement_stands_in_its_own_column(judged: Judged) -> None:
    assert "| 0.25 by a-judge (1 run) |" in judged.after["LEADERBOARD.md"]


def test_every_other_byte_of_the_leaderboard_is_the_same(judged: Judged) -> None:
    assert without_column(judged.after["LEADERBOARD.md"]) == judged.before["LEADERBOARD.md"]


def test_every_other_figure_of_the_aggregate_is_the_same(judged: Judged) -> None:
    before, after = (json.loads(each["results/aggregate.json"]) for each in (judged.before, judged.after))
    assert after | {"rubrics": []} == before


def test_each_run_is_judged_once_with_the_key_that_was_named(judged: Judged) -> None:
    assert judged.keys == [f"Bearer {KEY}"]
    assert "Nothing to be done" in judged.again


def test_the_run_s_page_shows_the_judgement_as_text(judged: Judged) -> None:
    judged.project.snakemake("site")
    page = next(judged.project.folder.glob("build/site/runs/*/careful/*/run-1.html")).read_text()
    assert "in no figure" in page
    assert "<script>alert(1)" not in page


def test_a_judge_that_is_not_named_is_asked_for(judged: Judged) -> None:
    said = judged.project.snakemake("leaderboard", "--config", "rubric=true", "judge=null", ok=False)
    assert "no judge is named" in said.stdout + said.stderr
