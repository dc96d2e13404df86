"""Starting states: one archive per task and scaffold, the same bytes on every machine."""


rule sandbox:
    """Build the starting state of a task."""
    input:
        manifests=multiext("tasks/{task}/", "task.json", "assertions.json"),
        stamp=lambda wildcards: CAMPAIGN.stamp_of(wildcards.task),
    output:
        "build/sandboxes/{scaffold}/{task}.tar.zst",
    log:
        "build/logs/sandbox/{scaffold}/{task}.log",
    params:
        settings=lambda wildcards: CAMPAIGN.sandbox_options(wildcards.scaffold),
    message:
        "sandbox {wildcards.task}: starting state ({wildcards.scaffold})"
    shell:
        "copperbench sandbox {wildcards.task} --harness {wildcards.scaffold} {params.settings} --out {output} > {log} 2>&1"
