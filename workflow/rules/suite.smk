"""The suite itself: its schemas, tasks, solutions, fixtures and the lock on its version."""


rule validate:
    """Check every task, solution and fixture against the standard; writes the findings."""
    output:
        "build/validate.txt",
    log:
        "build/logs/validate.log",
    message:
        "validate: the whole suite"
    shell:
        "copperbench validate > {output} 2> {log}"
