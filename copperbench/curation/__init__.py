"""Boards on their way in: vetting candidates and preparing a fixture (STANDARD 13, fixtures/FIXTURES.md).

A leaf: only `copperbench fixture new` and `fixture sweep` come here. What a candidate's repository holds was written by
strangers: it is read, measured on a copy, and never executed.
"""

from copperbench.curation.design import Candidate, CandidateRefused, collect_design, find_projects
from copperbench.curation.preparing import Prepared, Wish, prepare
from copperbench.curation.sources import Source, folder_source, repository_source
from copperbench.curation.sweep import Row, measure_candidate, sweep_json, sweep_table

__all__ = [
    "Candidate",
    "CandidateRefused",
    "Prepared",
    "Row",
    "Source",
    "Wish",
    "collect_design",
    "find_projects",
    "folder_source",
    "measure_candidate",
    "prepare",
    "repository_source",
    "sweep_json",
    "sweep_table",
]
