"""The site's pages: complete, self-contained, and nothing that a stranger wrote becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest


class Page(HTMLParser):
    """Tags, links and text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def addresses(self) -> list[str]:
        found = (attributes.get("href") or attributes.get("src") for _, attributes in self.tags)
        return [each for each in found if each]


def test_every_link_leads_to_a_file_of_the_site(world) -> None:
    dead = []
    for path in world.pages():
        for address in Page(path).addresses():
            target = unquote(address.split("#")[0])
            if target and not target.startswith("data:") and not (path.parent / target).is_file():
                dead.append((path.name, address))
    assert dead == []


def test_no_page_asks_for_anything_from_elsewhere(world) -> None:
    for path in world.pages():
        assert not [
            each for each in Page(path).addresses() if re.match(r"[a-z]+://|//|javascript:", each, re.IGNORECASE)
        ]


def test_a_page_has_one_script_and_no_handler(world) -> None:
    for path in world.pages():
        tags = Page(path).tags
        assert [name for name, _ in tags].count("script") == 1
        assert not [attributes for _, attributes in tags if any(name.startswith("on") for name in attributes)]


def test_no_image_of_a_stranger_is_shown(world) -> None:
    sources = [each.get("src") for path in world.pages() for name, each in Page(path).tags if name == "img"]
    assert all(
        re.fullmatch(r"[./]*drawings/[0-9a-f]{20}\.svg#svgView\(viewBox\([-0-9.,]+\)\)", source or "")
        for source in sources
    )


def test_hostile_text_can_still_be_read(world) -> None:
    text = "".join(Page(world.run).text)
    assert "<script>window.pwned=1</script>" in text
    assert "{{7*7}}" in text


def test_a_character_that_turns_the_line_shows_as_its_number(world) -> None:
    assert "\u202e" not in world.run.read_text(encoding="utf-8")
    assert "\\u202e" in world.run.read_text(encoding="utf-8")


def test_the_run_page_says_what_changed_electrically(world) -> None:
    assert "net renamed:" in world.run.read_text(encoding="utf-8")


def test_the_run_page_shows_the_changed_file_by_line(world) -> None:
    assert '<tr class="added">' in world.run.read_text(encoding="utf-8")


def test_a_page_stays_under_half_a_megabyte(world) -> None:
    assert max(path.stat().st_size for path in world.pages()) < 500_000


@pytest.mark.kicad
def test_the_drawings_box_the_change_on_both_sides(world) -> None:
    sources = [each["src"] for name, each in Page(world.run).tags if name == "img"]
    assert len(sources) >= 2
    for source in sources:
        root = ElementTree.fromstring((world.run.parent / str(source).split("#")[0]).read_bytes())
        assert list(root)[-1].findall("{http://www.w3.org/2000/svg}rect")


@pytest.mark.kicad
def test_a_drawing_holds_shapes_and_nothing_else(world) -> None:
    shapes = {"svg", "g", "path", "rect", "circle", "ellipse", "polyline", "polygon", "line"}
    for path in (world.out / "drawings").glob("*.svg"):
        assert {each.tag.split("}")[1] for each in ElementTree.parse(path).iter()} <= shapes
