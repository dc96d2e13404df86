"""Grades: offline, from sealed evidence alone, and never at the price of a new run."""


rule score:
    """Grade a sealed run; keeps the record when nothing changed."""
    input:
        evidence,
        tree=tree_in_place,
    output:
        update(RECORD),
    log:
        "build/logs/score/{date}/{model}/{task}/{n}.log",
    params:
        settings=CAMPAIGN.score_options,
    message:
        "score {wildcards.model} on {wildcards.task}, repeat {wildcards.n}"
    shell:
        "copperbench score {output} {params.settings} > {log} 2>&1"
