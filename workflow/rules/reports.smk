"""What all records say together."""


rule aggregate:
    """Read every record under results/, those without evidence too, into one file."""
    input:
        RECORDS,
    output:
        "results/aggregate.json",
    log:
        "build/logs/aggregate.log",
    message:
        "aggregate: reading every record"
    shell:
        "copperbench aggregate --out {output} > /dev/null 2> {log}"


rule write_leaderboard:
    """Regenerate LEADERBOARD.md from the aggregate."""
    input:
        "results/aggregate.json",
    output:
        "LEADERBOARD.md",
    log:
        "build/logs/leaderboard.log",
    message:
        "leaderboard: writing LEADERBOARD.md"
    shell:
        "copperbench leaderboard --aggregate {input} --out {output} > /dev/null 2> {log}"


rule discrimination:
    """Does every task tell a right answer from a wrong one?"""
    input:
        PLANNED,
    output:
        "build/discrimination.json",
    log:
        "build/logs/discrimination.log",
    params:
        date=CAMPAIGN.date,
    message:
        "discriminate: noop, gold and traps of every task"
    shell:
        "copperbench discriminate --campaign {params.date} --out {output} > /dev/null 2> {log}"
