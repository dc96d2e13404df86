"""A run that leaves more than the campaign allows is recorded and fails, and the rest of the campaign goes on."""

import json


def test_a_run_over_the_configured_limits_is_a_failed_record_and_the_campaign_goes_on(project):
    project.configure(seal_limits={"paths": 3})
    project.snakemake("leaderboard")
    records = [json.loads(project.record(name).read_bytes()) for name in ("gold", "noop")]
    assert [record["verdict"] for record in records] == ["fail", "fail"]
    assert "more than can be sealed" in json.dumps(records[0]["assertions"])


def test_a_limit_that_does_not_exist_is_named_at_parse_time(project):
    project.configure(seal_limits={"files": 3})
    result = project.snakemake("leaderboard", "-n", ok=False)
    assert result.returncode != 0
    assert "seal_limits" in result.stdout + result.stderr
