"""The files that speak for the project elsewhere agree with what it is."""

from __future__ import annotations

import tomllib
from pathlib import Path

import yaml


def version(root: Path) -> str:
    return str(tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"])


def test_the_citation_has_the_version_and_the_licence_of_the_package(root: Path):
    cited = yaml.safe_load((root / "CITATION.cff").read_text())
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert (cited["version"], cited["license"]) == (version(root), project["license"])


def test_the_changes_begin_with_this_version_and_its_suite(root: Path):
    suite = yaml.safe_load((root / "config/suite.yaml").read_text())["suiteVersion"]
    heading = next(line for line in (root / "CHANGELOG.md").read_text().splitlines() if line.startswith("## "))
    assert heading.startswith(f"## {version(root)}, ")
    assert heading.endswith(f": suite {suite}")


def test_the_catalogue_entry_names_no_software_that_the_workflow_does_not_use(root: Path):
    usage = yaml.safe_load((root / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert not any(usage["software-stack-deployment"].values())


def test_every_template_for_issues_has_a_name_and_says_what_it_is_for(root: Path):
    heads = [path.read_text().split("---")[1] for path in (root / ".github/ISSUE_TEMPLATE").glob("*.md")]
    assert heads
    assert all({"name", "about"} <= yaml.safe_load(head).keys() for head in heads)
