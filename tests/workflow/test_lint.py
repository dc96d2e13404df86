"""Snakemake's own linter has nothing to say but one thing that we decline with a reason."""

DECLINED = "Specify a conda environment or container for each rule."
"""Every rule calls one program, which `make` installs from a hashed lock: a container per rule would hold it again."""


def test_snakemake_finds_nothing_else_to_say(project):
    said = project.snakemake("--lint", ok=False).stderr
    lints = [line.strip(" *").removesuffix(":") for line in said.splitlines() if line.startswith("    * ")]
    assert DECLINED in lints, said
    assert [lint for lint in lints if lint != DECLINED] == []
