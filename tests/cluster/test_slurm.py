"""A matrix through a real SLURM: the same records and the same page as on one machine, and nothing run twice."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

_TESTS = Path(__file__).resolve().parents[1]
pytestmark = [pytest.mark.cluster, pytest.mark.kicad, pytest.mark.xdist_group("cluster")]
MODELS = ["careful", "refuser"]
SLURM = ["--workflow-profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "3"]
SEALED = {"run.json", "transcript.jsonl", "end-state.tar.zst", "verify.json"}
BY_THE_CLOCK = {"startedAt", "durationMs", "scoredBy"} | SEALED
"""When and how long a run was, and the digests of what holds that: commits and transcripts carry the time."""


def _module(path: Path, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


models = _module(_TESTS / "workflow/test_models.py", "copperbench_test_models_for_cluster")


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(each) for key, each in value.items() if key not in BY_THE_CLOCK}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def records(matrix) -> dict[str, Any]:
    found = sorted((matrix.project.folder / "results").glob("*/*/*/run-*.json"))
    folder = matrix.project.folder
    return {path.relative_to(folder).as_posix(): timeless(json.loads(path.read_bytes())) for path in found}


def page(matrix) -> str:
    return re.sub(r"\d{4}-\d\d-\d\d", "DATE", (matrix.project.folder / "LEADERBOARD.md").read_text())


@pytest.fixture(scope="module")
def server():
    running = models.scripted.Server()
    yield running
    running.close()


@pytest.fixture(scope="module")
def here(server, tmp_path_factory):
    made = models.make(tmp_path_factory.mktemp("here"), server, MODELS)
    made.snakemake("matrix")
    made.snakemake("leaderboard")
    return made


@pytest.fixture(scope="module")
def there(server, tmp_path_factory, cluster):
    made = models.make(tmp_path_factory.mktemp("there"), server, MODELS)
    python_path = os.pathsep.join([str(made.project.folder), str(cluster.plugins)])
    made.environment |= cluster.environment | {"PYTHONPATH": python_path}
    made.snakemake("matrix", *SLURM)
    made.snakemake("leaderboard", *SLURM)
    return made


def test_the_cluster_did_the_work(there, cluster):
    assert cluster.jobs() >= len(MODELS)


def test_records_are_the_same_but_for_the_clock(here, there):
    assert records(there) == records(here)


def test_the_page_is_the_same(here, there):
    assert page(there) == page(here)


def test_a_second_call_submits_nothing(there, cluster):
    before = cluster.jobs()
    there.snakemake("matrix", *SLURM)
    assert cluster.jobs() == before
