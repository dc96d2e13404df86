"""Grades: offline, from sealed evidence alone, and never at the price of a new run.

What is sealed already, or performed in one call, is graded by task: one rule is made here for each (and one for the
runs of models), under a name that begins with `score_`, which grades them in one call and reads what they share but
once. A run that is still to be made by itself, or a record without evidence, is graded by itself (`score_run`).
"""


rule score:
    """Ask for new grades of all that is sealed: what `--forcerun score` names. The shards below do the work."""
    output:
        update(str(REGRADE)),
    log:
        "build/logs/score.log",
    message:
        "score: everything that is sealed, again"
    shell:
        "touch -t 197001020000 {output} 2> {log}"


rule score_run:
    """Grade one run as soon as it is sealed; keeps the record when nothing changed."""
    input:
        evidence,
        tree=tree_in_place,
    output:
        update(RECORD),
    log:
        "build/logs/score/{date}/{model}/{task}/{n}.log",
    resources:
        mem_mb=lambda wildcards: NEEDS.score_mb(wildcards.task),
        runtime=lambda wildcards: NEEDS.score_minutes(wildcards.task),
    params:
        settings=CAMPAIGN.score_options,
    message:
        "score {wildcards.model} on {wildcards.task}, repeat {wildcards.n}"
    shell:
        "copperbench score {output} {params.settings} > {log} 2>&1"


for shard in SHARDS:

    rule:
        name:
            shard.name
        input:
            REGRADE,
            performed=sorted(
                {IN_A_BATCH[run].stamp for run in shard.records if run in IN_A_BATCH}
            ),
            tree=CAMPAIGN.missing_tree(shard.task),
        output:
            update(shard.records),
        log:
            f"build/logs/score/{shard.date}/{shard.key}.log",
        resources:
            mem_mb=NEEDS.score_mb(shard.task),
            runtime=NEEDS.score_minutes(shard.task, len(shard.records)),
        params:
            settings=CAMPAIGN.score_options(),
        message:
            f"score {len(shard.records)} {'' if shard.of_models else 'simulated '}runs of {shard.task}"
        shell:
            "copperbench score {output} {params.settings} > {log} 2>&1"
