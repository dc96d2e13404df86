"""The suite profile: declared simulated agents over every task, to see that neglect never passes. They leave no record."""

PROFILED = [
    task
    for task in CAMPAIGN.proven_tasks
    if task not in CAMPAIGN.skipped and CAMPAIGN.suite.task(task).variant_of is None
]


rule profile_task:
    """Perform and grade every simulated agent on one task."""
    input:
        manifests=multiext("tasks/{task}/", "task.json", "assertions.json"),
        stamp=lambda wildcards: CAMPAIGN.stamp_of(wildcards.task),
    output:
        "build/profile/{task}.json",
    log:
        "build/logs/profile/{task}.log",
    resources:
        mem_mb=lambda wildcards: NEEDS.score_mb(wildcards.task),
        runtime=lambda wildcards: NEEDS.score_minutes(wildcards.task, runs=10),
    params:
        kicad=lambda _: (
            ["--kicad-cli", config["kicad_cli"]] if config.get("kicad_cli") else []
        ),
    message:
        "profile {wildcards.task}: simulated agents"
    shell:
        "copperbench profile {wildcards.task} --out {output} --cache build/reports {params.kicad} > /dev/null 2> {log}"


rule profile_document:
    """How simulated agents fare on the whole suite; fails where one passes what it leaves out."""
    input:
        expand("build/profile/{task}.json", task=PROFILED),
    output:
        document=update("docs/simulated-agents.md"),
        table="build/profile.json",
    log:
        "build/logs/profile.log",
    message:
        "profile: docs/simulated-agents.md"
    shell:
        "copperbench profile --gather build/profile --out {output.table} --document {output.document} --check"
        " > /dev/null 2> {log}"


rule profile:
    """The suite profile and all that it is made of: a missing input of a document that is there would go unnoticed."""
    input:
        rules.profile_document.input,
        rules.profile_document.output,
