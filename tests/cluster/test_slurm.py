"""A matrix through a real SLURM: the same bytes as on one machine, and nothing performed or submitted twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import yaml
from given.modules import module

HERE = Path(__file__).resolve().parent
CLOCK = HERE / "clock"
pytestmark = [pytest.mark.cluster, pytest.mark.kicad, pytest.mark.xdist_group("cluster")]
models = module(HERE.parent / "workflow/test_models.py")
MODELS, REPEATS = ["careful", "refuser", "relaxer"], 2
SLURM = ["--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "3"]


def matrix(folder, server, *path, **environment):
    """A campaign of scripted models and of harnesses, by a clock that stands still (tests/cluster/clock)."""
    made = models.make(folder, server, MODELS)
    made.project.configure(harnesses=["noop", "gold"], repeats=REPEATS)
    config = made.project.folder / "config/models.yaml"
    entries = yaml.safe_load(config.read_text())
    for entry in entries["models"].values():
        entry["env"] = ["PYTHONPATH"]  # an agent is handed nothing of ours that its entry does not name
    config.write_text(yaml.safe_dump(entries))
    python_path = os.pathsep.join(map(str, (made.project.folder, CLOCK, *path)))
    made.environment |= environment | {"PYTHONPATH": python_path}
    return made


def results(made) -> dict[str, bytes]:
    """Every file that a campaign leaves, by its name: records, sealed evidence, the aggregate and the page."""
    folder = made.project.folder
    files = [path for path in (folder / "results").rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in (*files, folder / "LEADERBOARD.md")}


@pytest.fixture(scope="module")
def server():
    running = models.scripted.Server()
    yield running
    running.close()


@pytest.fixture(scope="module")
def here(server, tmp_path_factory):
    made = matrix(tmp_path_factory.mktemp("here"), server)
    made.snakemake("matrix")
    made.snakemake("leaderboard")
    return made


@pytest.fixture(scope="module")
def there(server, tmp_path_factory, cluster):
    made = matrix(tmp_path_factory.mktemp("there"), server, cluster.plugins, **cluster.environment)
    made.snakemake("matrix", *SLURM)
    made.snakemake("leaderboard", *SLURM)
    return made


def test_the_cluster_did_the_work(there, cluster):
    assert cluster.jobs() >= len(MODELS) * REPEATS


def test_every_run_was_made_by_the_clock_that_stands_still(there):
    runs = [json.loads(data) for name, data in results(there).items() if name.endswith("/run.json")]
    assert len(runs) >= len(MODELS) * REPEATS
    assert {(each["startedAt"], each["durationMs"]) for each in runs} == {("2026-01-02T12:00:00.000Z", 0)}


def test_the_same_files_are_there(here, there):
    assert results(there).keys() == results(here).keys()


def test_every_byte_of_every_file_is_the_same(here, there):
    local = results(here)
    assert [name for name, data in results(there).items() if data != local.get(name)] == []


def test_a_second_call_submits_nothing(there, cluster):
    before = cluster.jobs()
    there.snakemake("matrix", *SLURM)
    assert cluster.jobs() == before


def test_a_run_that_fails_is_submitted_once(there, cluster):
    before = cluster.jobs()
    said = there.snakemake(models.target("denied"), *SLURM, ok=False)
    assert said.returncode != 0
    assert cluster.jobs() == before + 1
    assert not there.sealed("denied").exists()
