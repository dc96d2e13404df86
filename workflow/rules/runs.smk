"""Runs: the only rules that perform one. Evidence that exists is never asked for again.

The simulated runs of a task that is new to the campaign are performed in one call, by a rule that is made here for each
under a name that begins with `run_`: each takes less than a program needs to start. A run is no output of such a rule,
since Snakemake removes the outputs of a job that fails.
"""


rule run:
    """Perform one run in its own sandbox and seal what it leaves; run.json is published last."""
    input:
        sandbox=lambda wildcards: ancient(
            CAMPAIGN.sandbox_of(wildcards.model, wildcards.task)
        ),
        tree=tree_in_place,
    output:
        update(f"{RUN}/run.json"),
    log:
        "build/logs/run/{date}/{model}/{task}/{n}.log",
    retries: 0  # whatever --retries says: a run may have been paid for
    resources:
        **CAMPAIGN.provider_resources(),
        agent=1,
        mem_mb=lambda wildcards: NEEDS.run_mb(wildcards.task),
        runtime=lambda wildcards: NEEDS.run_minutes(wildcards.task),
    params:
        settings=CAMPAIGN.run_options,
    message:
        "run {wildcards.model} on {wildcards.task}, repeat {wildcards.n}"
    shell:
        "copperbench run {output} --sandbox {input.sandbox} {params.settings} > {log} 2>&1"


for batch in BATCHES:

    rule:
        name:
            f"run_{batch.key}"
        input:
            sandbox=ancient(CAMPAIGN.sandbox_of("harness-noop", batch.task)),
            tree=CAMPAIGN.missing_tree(batch.task),
        output:
            touch(batch.stamp),
        log:
            f"build/logs/run/{batch.date}/{batch.task}.log",
        retries: 0
        resources:
            mem_mb=NEEDS.run_mb(batch.task),
            runtime=NEEDS.batch_minutes(len(batch.records)),
        params:
            seals=batch.seals,
            settings=CAMPAIGN.simulated_options(),
        message:
            f"run {len(batch.records)} simulated runs of {batch.task}"
        shell:
            "copperbench run {params.seals} --sandbox {input.sandbox} {params.settings} > {log} 2>&1"
