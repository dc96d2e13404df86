"""Fixture trees and the measured state they start from. No rule ever outputs fixtures/<id>/tree."""


rule fixture_stamp:
    """Fill a fixture's tree from a store, a clone or git; the canonical hash is verified first."""
    output:
        "build/fixtures/{fixture}.sha256",
    log:
        "build/logs/fixture/{fixture}.log",
    params:
        source=lambda wildcards: CAMPAIGN.source_options(wildcards.fixture),
    message:
        "fixture {wildcards.fixture}: tree and hash"
    shell:
        "copperbench fixture get {wildcards.fixture} {params.source} > {output} 2> {log}"


rule baseline:
    """Measure a fixture's ERC and DRC as shipped and compare them with the committed reports."""
    input:
        "build/fixtures/{fixture}.sha256",
    output:
        erc="build/baselines/{fixture}/erc.json",
        drc="build/baselines/{fixture}/drc.json",
    log:
        "build/logs/baseline/{fixture}.log",
    resources:
        mem_mb=lambda wildcards: NEEDS.measure_mb(wildcards.fixture),
        runtime=lambda wildcards: NEEDS.measure_minutes(wildcards.fixture),
    message:
        "baseline {wildcards.fixture}: ERC and DRC as shipped"
    shell:
        "copperbench baseline {wildcards.fixture} --out build/baselines/{wildcards.fixture} --check > {log} 2>&1"
