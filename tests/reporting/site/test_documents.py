"""The project's documents as pages of the site."""

import re
from pathlib import Path

import pytest

from copperbench.reporting.site.documents import read_documents

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "STANDARD.md").write_text("# The standard\n\n## 4.2 Net names\n\nSee [how](docs/how.md#to-do-it).\n")
    (tmp_path / "docs/how.md").write_text(
        "# How\n\n## To do it\n\n[back](../STANDARD.md), [code](../x.py), [away](https://example.org)<script>x</script>"
    )
    return tmp_path


def page(checkout, path):
    return next(each for each in read_documents(checkout) if each.path == path).html


def test_links_between_documents_lead_to_their_pages(checkout):
    assert 'href="how.html#to-do-it"' in page(checkout, "STANDARD.md")
    assert 'href="standard.html"' in page(checkout, "docs/how.md")


def test_a_heading_can_be_linked_to(checkout):
    assert '<h2 id="42-net-names">' in page(checkout, "STANDARD.md")


def test_a_link_to_a_file_that_the_site_does_not_carry_is_its_text(checkout):
    html = page(checkout, "docs/how.md")
    assert "x.py" not in html
    assert "code" in html
    assert 'href="https://example.org"' in html


def test_markup_in_a_document_stays_text(checkout):
    assert "<script>" not in page(checkout, "docs/how.md")


def test_two_documents_of_one_name_have_a_page_each(checkout):
    (checkout / "fixtures").mkdir()
    (checkout / "fixtures/FIXTURES.md").write_text("# The rules\n")
    (checkout / "docs/fixtures.md").write_text("# The way\n\n[rules](../fixtures/FIXTURES.md)\n")
    assert len({each.address for each in read_documents(checkout)}) == 4
    assert 'href="fixtures-fixtures.html"' in page(checkout, "docs/fixtures.md")


def test_every_link_between_the_projects_own_pages_leads_somewhere():
    documents = read_documents(ROOT)
    ids = {each.address: set(re.findall(r' id="([^"]+)"', each.html)) for each in documents}
    broken = []
    for each in documents:
        for link in re.findall(r'href="([^"]+)"', each.html):
            name, _, anchor = link.partition("#")
            if re.match("[a-z]+:", link):
                continue
            target = f"docs/{name}" if name else each.address
            if target not in ids or (anchor and anchor not in ids[target]):
                broken.append((each.path, link))
    assert broken == []
    assert "docs/standard.html" in ids
