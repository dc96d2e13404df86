"""Runs: the only rule that performs one. Evidence that exists is never asked for again."""


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
