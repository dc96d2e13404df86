"""Judgements by a model beside the records: off unless `--config rubric=true`, and in no figure (STANDARD 11)."""

RUBRIC = f"{RUN}.rubric.json"
RUBRICS = []
if config.get("rubric") in (True, "true"):  # the text where it stands on a command line
    if config.get("judge") in (None, "null"):
        raise WorkflowError(
            "config/config.yaml: $.judge: no judge is named; give judge: {endpoint: ADDRESS, model: ID}"
        )
    try:
        RUBRICS = [
            f"{record[:-5]}.rubric.json"
            for record in SEALED
            if CAMPAIGN.is_record_path(record) and to_be_judged(record)
        ]
    except CopperbenchError as error:
        raise WorkflowError(str(error)) from None


rule judge:
    """Ask the judge about one run, once: a judgement that is there is kept."""
    input:
        ancient(RECORD),
    output:
        update(RUBRIC),
    log:
        "build/logs/rubric/{date}/{model}/{task}/{n}.log",
    retries: 0  # whatever --retries says: it costs money
    resources:
        agent=1,
    params:
        settings=judge_options,
    message:
        "judge {wildcards.model} on {wildcards.task}, repeat {wildcards.n}"
    shell:
        "copperbench rubric {input} {params.settings} > {log} 2>&1"
