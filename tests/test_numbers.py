"""Numbers in the text of documents are the code's: each sentence is built from the code and must stand there."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

from copperbench.evidence.end_state import LARGEST_TEXT
from copperbench.evidence.transcript import LONGEST_LINE, MOST_EVENTS
from copperbench.grading import FAILURE_TABLE, HANDLERS
from copperbench.grading.registry import SEARCHING_S
from copperbench.harness.process import GRACE_S
from copperbench.kicad.baseline import CEILING
from copperbench.reporting.intervals import RESAMPLES
from copperbench.sandbox.walk import DEFAULT_LIMITS
from copperbench.suite import load_suite
from copperbench.suite.fixture_rules import OLDEST_FORMAT
from copperbench.suite.patterns import TIME_LIMIT_S

ROOT = Path(__file__).resolve().parents[1]
MIB = 1 << 20
LIMITS = DEFAULT_LIMITS
WORDS = {10: "ten", 11: "eleven"}
PYTHON = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
REFERENCE = load_suite(ROOT).fixture("copperbench-ldo-sensor").verified_with_kicad_cli
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text())["paper_snapshot"]
SENTENCES = [
    ("STANDARD.md", f"There are {len(HANDLERS)} assertion types."),
    ("STANDARD.md", f"| {len(FAILURE_TABLE)} | done, anything else |"),
    ("STANDARD.md", f"it has to be a regular file of at most {LARGEST_TEXT // MIB} MiB"),
    ("STANDARD.md", f"longer than {LONGEST_LINE // MIB} MiB, beyond the first {MOST_EVENTS:,})"),
    (
        "STANDARD.md",
        f"A run may leave {LIMITS.paths:,} paths, {LIMITS.depth} folders deep, {LIMITS.file_bytes // MIB} MiB a file "
        f"and {LIMITS.total_bytes // MIB} MiB in all, path names of {LIMITS.path_bytes:,} bytes, "
        f"{LIMITS.git_bytes // MIB} MiB in its repository and {LIMITS.commits:,} commits.",
    ),
    ("STANDARD.md", f"A search has {TIME_LIMIT_S:g} seconds and all searches of one assertion {SEARCHING_S:g};"),
    ("STANDARD.md", f"gets TERM, {WORDS[int(GRACE_S)]} seconds later KILL"),
    ("STANDARD.md", f"KiCad stops counting at {CEILING}:"),
    ("STANDARD.md", f"of {RESAMPLES:,} resamples"),
    ("CHANGELOG.md", f"a closed vocabulary of {len(HANDLERS)} assertion types"),
    ("fixtures/FIXTURES.md", f"`.kicad_sch` of version {OLDEST_FORMAT} or later"),
    ("fixtures/FIXTURES.md", f"the reference kicad-cli, {REFERENCE};"),
    ("docs/fixtures.md", f"a `.kicad_sch` of {OLDEST_FORMAT} or later"),
    ("docs/grading.md", f"KiCad stops counting a type at {CEILING}, and the board came with {CEILING}"),
    ("README.md", f"Python {PYTHON} or later"),
    ("README.md", f"kicad-cli {REFERENCE.rpartition('.')[0]}.x"),
    ("README.md", f"copperbench reproduce results/{PAPER}"),
    ("docs/operating.md", f"copperbench reproduce results/{PAPER}"),
]


@pytest.mark.parametrize(("document", "sentence"), SENTENCES)
def test_a_number_in_the_text_is_the_codes(document, sentence):
    text = re.sub(r"\s+", " ", (ROOT / document).read_text())
    assert sentence in text, f"{document} has to say {sentence!r}: correct the text, or the code if that is wrong"


@pytest.mark.parametrize("document", ["README.md", "docs/operating.md", "docs/grading.md"])
def test_every_published_campaign_that_a_document_names_is_there(document):
    named = set(
        re.findall(r"(?:reproduce|unseal|score|json\.tool) (results/\d{4}-\d\d-\d\d)", (ROOT / document).read_text())
    )
    assert [each for each in named if not (ROOT / each).is_dir()] == []


def test_the_page_of_the_simulated_agents_knows_every_task_of_today():
    suite = load_suite(ROOT)
    originals = {name for name in suite.task_ids() if suite.task(name).variant_of is None}
    text = (ROOT / "docs/simulated-agents.md").read_text()
    told = re.search(r"Suite (\S+), (\d+) tasks", text)
    left_out = set(re.findall(r"^- ([a-z0-9-]+): ", text.partition("Left out:")[2], re.MULTILINE))
    assert left_out <= originals
    assert told.groups() == (suite.version, str(len(originals - left_out))), "`snakemake profile` writes the page again"
