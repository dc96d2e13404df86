"""What all records say together."""


rule aggregate:
    """Read every record under results/, those without evidence too, into one file."""
    input:
        graded,
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
        proven,
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


rule plots:
    """The figures as files, and in `snakemake --report`."""
    input:
        "results/aggregate.json",
    output:
        cost=report(
            "build/plots/cost-against-pass-rate.svg",
            caption="../captions/cost.rst",
            category="Headlines",
            labels={"figure": "Cost per passing task against strict pass rate"},
        ),
        tiers=report(
            "build/plots/tiers.svg",
            caption="../captions/tiers.rst",
            category="Headlines",
            labels={"figure": "Strict pass rate by tier"},
        ),
        reliability=report(
            "build/plots/reliability.svg",
            caption="../captions/reliability.rst",
            category="Reliability",
            labels={"figure": "pass@1 against pass^k"},
        ),
        failures=report(
            "build/plots/failures.svg",
            caption="../captions/failures.rst",
            category="Work queue",
            labels={"figure": "Failed runs by category"},
        ),
    log:
        "build/logs/plots.log",
    message:
        "plots: drawing the figures"
    shell:
        "copperbench plots --aggregate {input} --out build/plots > /dev/null 2> {log}"


rule site:
    """The static site: leaderboard, models, tasks, fixtures and every run with its evidence."""
    input:
        "results/aggregate.json",
    output:
        directory("build/site"),
    log:
        "build/logs/site.log",
    params:
        kicad=lambda _: (
            ["--kicad-cli", config["kicad_cli"]] if config.get("kicad_cli") else []
        ),
    message:
        "site: writing build/site"
    shell:
        "copperbench site --out {output} {params.kicad} > /dev/null 2> {log}"


rule compare:
    """The regression gate against `--config baseline=FILE`; fails when something got worse."""
    input:
        baseline=lambda _: config.get("baseline") or [],
        aggregate="results/aggregate.json",
    log:
        "build/logs/compare.log",
    params:
        baseline=lambda _: config.get("baseline") or "baseline-is-not-set.json",
        drop=lambda _: config["thresholds"]["pass_rate_drop"],
        rise=lambda _: config["thresholds"]["cost_rise"],
    message:
        "compare: holding today's figures against the baseline"
    shell:
        "rm -f build/compare.md; copperbench compare {params.baseline} --aggregate {input.aggregate}"
        " --threshold pass_rate_drop={params.drop} --threshold cost_rise={params.rise}"
        " --summary build/compare.md --junit build/compare.xml 2> {log}"
