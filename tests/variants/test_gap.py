"""The variant gap of the leaderboard finds the suite's own variants by what their manifests say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from copperbench.reporting.statistics import variant_gap
from copperbench.suite import load_suite

SUITE = load_suite(Path(__file__).resolve().parents[2])


def test_a_model_that_remembers_the_originals_alone_has_a_gap_of_one():
    tasks = [SUITE.task(name) for name in SUITE.task_ids()]
    runs = [
        SimpleNamespace(task=task.id, variant_of=task.variant_of, verdict="fail" if task.variant_of else "pass")
        for task in tasks
    ]
    gap = variant_gap(runs)
    varied = len({task.variant_of for task in tasks} - {None})
    assert (gap.tasks, gap.original, gap.variant, gap.gap) == (varied, 1.0, 0.0, 1.0)
