"""copperbench as file targets. Where things come to lie:

  build/fixtures/<id>.sha256               a fixture's tree is in place and its hash is right
  build/sandboxes/<scaffold>/<task>.tar.zst  the starting state of a task, byte-reproducible
  results/<date>/<model>/<task>/run-<n>/   the sealed evidence of one run; run.json is published last
  results/<date>/<model>/<task>/run-<n>.json  its record
  results/aggregate.json, LEADERBOARD.md   what all records say together

`snakemake leaderboard` never starts a model; `snakemake matrix`, or naming a record, does.
"""

import sys

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


wildcard_constraints:
    date=r"\d{4}-\d\d-\d\d",
    model=r"[a-z0-9][a-z0-9-]*(\+[a-z0-9-]+)*",
    task=r"[a-z0-9][a-z0-9-]*",
    fixture=r"[a-z0-9][a-z0-9-]*",
    scaffold=r"[a-z0-9][a-z0-9-]*",
    n=r"[1-9]\d*",


include: "workflow/rules/common.smk"
include: "workflow/rules/suite.smk"
include: "workflow/rules/fixtures.smk"
include: "workflow/rules/sandboxes.smk"
include: "workflow/rules/runs.smk"
include: "workflow/rules/scores.smk"
include: "workflow/rules/rubric.smk"
include: "workflow/rules/profile.smk"
include: "workflow/rules/reports.smk"
include: "workflow/rules/paper.smk"


rule leaderboard:
    """Everything planned or sealed, graded, and the leaderboard; never starts a model."""
    default_target: True
    input:
        # The records stand here too: a missing input of an output that is up to date would go unnoticed.
        graded,
        "LEADERBOARD.md",


rule discriminate:
    """Say which tasks tell a right answer from a wrong one; fails when one does not."""
    input:
        proven,
        "build/discrimination.json",


rule matrix:
    """Every planned run of the configured models: the only target that starts a model."""
    input:
        planned_of_models,


onstart:
    start_without_a_rate()


onsuccess:
    say_what_lies_aside()


onerror:
    say_what_lies_aside()
