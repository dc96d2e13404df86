"""What the rules share: the campaign, the planned and the sealed records, and the settings handed to verbs."""

import gc
import os
import re
import shlex
import sys
from glob import iglob
from os.path import exists

from snakemake.exceptions import WorkflowError

from copperbench.errors import CopperbenchError
from copperbench.suite import Needs, batches, load_campaign, shards

try:
    CAMPAIGN = load_campaign(Path.cwd(), config)
except CopperbenchError as error:
    raise WorkflowError(str(error)) from None

# A plan of thousands of jobs is a million objects that live to its end: looking for cycles among them again and again
# took a fifth of the time.
gc.set_threshold(100_000, 50, 100)

RUN = "results/{date}/{model}/{task}/run-{n}"
RECORD = f"{RUN}.json"
SEALED = [f"{run[:-9]}.json" for run in iglob("results/*/*/*/run-*/run.json")]
PLANNED = CAMPAIGN.in_process_records()
RECORDS_SEALED = [record for record in SEALED if CAMPAIGN.is_record_path(record)]
RECORDS = sorted({*PLANNED, *RECORDS_SEALED})

CAMPAIGN.drop_stale_stamps()

NEEDS = Needs(CAMPAIGN.suite)


def is_there(record):
    """Whether a run left evidence or a record: then nobody performs it again."""
    return exists(f"{record[:-5]}/run.json") or exists(record)


# Tasks that are new to the campaign: their simulated runs are performed in one call. Who names a run on the command
# line gets that one alone; Snakemake does not know its targets yet while it reads this.
NAMES_A_RUN = any(re.match(r"results/.*/run-\d+[./]", word) for word in sys.argv)
BATCHES = [] if NAMES_A_RUN else batches(PLANNED, is_there)
IN_A_BATCH = {record: batch for batch in BATCHES for record in batch.records}
SHARDS = shards({*RECORDS_SEALED, *IN_A_BATCH})

if workflow.is_main_process:
    for batch in BATCHES:  # from before the runs were moved aside
        Path(batch.stamp).unlink(missing_ok=True)

# The file by which `--forcerun score` reaches every shard. Always there and always old: never newer than a record.
REGRADE = Path("build/regrade")
if not REGRADE.exists():
    REGRADE.parent.mkdir(exist_ok=True)
    REGRADE.touch()
    os.utime(REGRADE, (0, 0))


# Inputs by the thousand are functions: every job reads this file, and hardly any asks for them.
def proven(_):
    """The records by which every task shows that it tells a right answer from a wrong one."""
    return PLANNED


def planned_of_models(_):
    """The records of every planned run of the configured models."""
    return CAMPAIGN.model_records()


def graded(_):
    """Every record that is planned in process or whose evidence is sealed, and what judges said of them."""
    return [*RECORDS, *RUBRICS]


def tree_in_place(wildcards):
    """The stamp of the task's fixture where its tree has still to be fetched; nothing where it stands."""
    return CAMPAIGN.missing_tree(wildcards.task)


def evidence(wildcards):
    """Only a run that left neither evidence nor record is asked of rule run."""
    run = RUN.format(**wildcards)
    return [] if is_there(f"{run}.json") else f"{run}/run.json"


def to_be_judged(record):
    """Whether a sealed run is an agent's, left evidence, and is of a task that names a rubric."""
    model, task = record.split("/")[2:4]
    suite = CAMPAIGN.suite
    return (
        not model.startswith("harness-")
        and exists(f"{record[:-5]}/transcript.jsonl")
        and suite.has_task(task)
        and suite.task(task).rubric is not None
    )


def judge_options(_):
    """Options for `copperbench rubric`: whom to ask."""
    judge = config["judge"]
    options = ["--endpoint", judge["endpoint"], "--model", judge["model"]]
    key = judge.get("key_env")
    return shlex.join([*options, "--key-env", key] if key else options)


def start_without_a_rate():
    """Take the limit on jobs a second away, here and not on a cluster.

    Each pass of Snakemake's scheduler begins a timer for it that causes a pass, which begins a timer: a thousand jobs
    are a thousand passes a second, and half of a core at the end of a long campaign. No option turns it off.
    """
    if workflow.local_exec and getattr(workflow, "scheduler", None) is not None:
        workflow.scheduler.job_rate_limiter = None


def say_what_lies_aside():
    """Tell the operator of every run that leaked a credential, until its folder is removed."""
    # Not at the top: every job reads this file.
    from copperbench.sandbox import quarantine_notices

    for notice in quarantine_notices(Path("quarantine")):
        print(notice, file=sys.stderr)


# What takes a moment, or fetches a tree, is done where snakemake runs, on a cluster too.
localrules:
    score,
    fixture_stamp,
    aggregate,
    write_leaderboard,
    discrimination,
    compare,
