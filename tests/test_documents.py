"""The documents say what is there: links lead somewhere, and quoted messages are those of the code."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("copperbench", "workflow")


def documents():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def anchors(text):
    """The ids that a Markdown viewer gives to headings: lower case, blanks as dashes, other signs gone."""
    titles = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(text):
    bare = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", bare)


@pytest.mark.parametrize("name", documents())
def test_every_link_within_the_project_leads_somewhere(name):
    broken = []
    for link in links((ROOT / name).read_text()):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.exists() or (anchor and anchor not in anchors(target.read_text())):
            broken.append(link)
    assert broken == []


def test_every_message_that_troubleshooting_explains_is_one_of_the_codes():
    code = "\n".join(
        path.read_text() for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".sh")
    )
    rows = re.findall(r"^\| (.+?) \| ", (ROOT / "docs/troubleshooting.md").read_text(), re.MULTILINE)
    quoted = [each for row in rows for each in re.findall(r"`([^`]+)`", row) if "snakemake" not in row]
    parts = [part.strip(" :") for each in quoted for part in re.split(r"\.\.\.|\bN\b", each)]
    sayings = [part for part in parts if len(part) > 8]
    assert [part for part in sayings if part not in code] == []
    assert len(sayings) > 10
