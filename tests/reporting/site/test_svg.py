"""Drawings that a run had KiCad make: what a stranger wrote never reaches a page, and a change is found where it is."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from copperbench.reporting.site.svg import close_up, differs, marked, read_drawing

SVG = "http://www.w3.org/2000/svg"
SHAPES = {"svg", "g", "path", "rect", "circle", "ellipse", "polyline", "polygon", "line"}
ATTRIBUTES = {"d", "x", "y", "width", "height", "rx", "viewBox", "style", "fill", "stroke", "class", "transform"}
WIRE = '<path style="fill:none;stroke:#840000" d="M 10.0000,20.0000\n30.0000,20.0000\n" />'
HOSTILE = {
    "script": "<script>window.pwned=1</script>",
    "script of another name": '<s:script xmlns:s="http://www.w3.org/2000/svg">window.pwned=1</s:script>',
    "shape of another name space": '<path xmlns="http://www.w3.org/1999/xhtml" d="M 1,1 2,2"/>',
    "page": '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="x"/></body></foreignObject>',
    "what is below it": f"<foreignObject><g>{WIRE}</g></foreignObject>",
    "link": f'<a xmlns:l="http://www.w3.org/1999/xlink" l:href="javascript:pwned">{WIRE}</a>',
    "image": '<image href="http://example.org/pwned.png" width="1" height="1"/>',
    "reuse": '<use href="http://example.org/pwned.svg#a"/>',
    "style sheet": "<style>@import 'http://example.org/pwned.css';</style>",
    "animation": '<set attributeName="href" to="javascript:pwned"/>',
    "text": "<text>pwned</text>",
    "processing": '<?xml-stylesheet href="http://example.org/pwned.css"?>',
    "comment": "<!-- pwned -->",
    "section": "<g><![CDATA[<script>window.pwned=1</script>]]></g>",
}
VALUES = {
    "handler": 'onload="window.pwned=1"',
    "address": 'style="fill:url(http://example.org/pwned)"',
    "address in capitals": 'fill="URL(#pwned)"',
    "address that is escaped": r'style="fill:u\72l(http://example.org/pwned)"',
    "address in quotes": "style=\"background:image-set('http://example.org/pwned')\"",
    "expression": 'style="width:expression(pwned)"',
    "end of the value": 'class="&quot; onload=&quot;window.pwned=1"',
    "end of the tag": 'class="&quot;/&gt;&lt;script&gt;pwned&lt;/script&gt;"',
    "base": 'xml:base="http://example.org/pwned"',
}


def drawing(body: str, head: str = "") -> bytes:
    box = 'width="297mm" height="210mm" viewBox="0 0 297 210"'
    return f'<?xml version="1.0" standalone="no"?>\n{head}<svg xmlns="{SVG}" {box}>{body}</svg>'.encode()


def shown(data: bytes) -> bytes:
    read = read_drawing(data)
    assert read is not None
    return marked(read, None, "after")


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_of_a_hostile_element_nothing_is_left(body: str) -> None:
    assert ElementTree.canonicalize(shown(drawing(body)).replace(b"<g/>", b"")) == ElementTree.canonicalize(
        shown(drawing("" if "<g><![" not in body else "<g></g>"))
    )


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("shape", ["<path d='M 1,1 2,2' {}/>", "<g {}><path d='M 1,1 2,2'/></g>"])
def test_a_hostile_value_goes_and_its_shape_stays(shape: str, value: str) -> None:
    assert shown(drawing(shape.format(value))) == shown(drawing(shape.format("")))


def test_only_shapes_and_their_measures_are_ever_written() -> None:
    elements = list(ElementTree.fromstring(shown(drawing("".join(HOSTILE.values()) + f"<g>{WIRE}</g>"))).iter())
    assert {each.tag for each in elements} <= {f"{{{SVG}}}{name}" for name in SHAPES}
    assert {name for each in elements for name in each.attrib} <= ATTRIBUTES


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no drawing",
        b"<svg>not in the name space</svg>",
        b'<html xmlns="http://www.w3.org/1999/xhtml"/>',
        drawing("<g>").replace(b"</svg>", b""),
        drawing("<g>" * 60 + "</g>" * 60),
        drawing("<g>" * 100_000),
        drawing("", '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n'),
        drawing("", '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n'),
        drawing("", '<!DOCTYPE svg [<!ENTITY a "b">]>\n').decode().encode("utf-16"),
    ],
)
def test_what_is_no_drawing_of_ours_is_none(data: bytes) -> None:
    assert read_drawing(data) is None


def letter(x: int) -> str:
    return f'<g class="stroked-text"><desc>A</desc><path d="M{x} 5\nL{x + 1} 6"/><path d="M{x} 6\nL{x + 1} 5"/></g>'


def test_a_text_is_one_thing_and_its_strokes_are_one_path() -> None:
    read = read_drawing(drawing(f"<g>{letter(50)}</g>"))
    assert read is not None
    assert [box for _, box in read.things] == [(50, 5, 51, 6)]
    assert '<path d="M50 5 L51 6 M50 6 L51 5"/>' in read.markup


def test_the_change_alone_is_boxed_and_looked_at() -> None:
    before, after = read_drawing(drawing(WIRE + letter(100))), read_drawing(drawing(WIRE + letter(150)))
    assert before is not None
    assert after is not None
    [box] = list(ElementTree.fromstring(marked(after, before, "after")))[-1]
    assert (box.attrib["x"], box.attrib["y"]) == ("148.80", "3.80")
    left, _, width, _ = map(float, close_up(after, before).split(","))
    assert left < 150 < left + width


def test_the_order_of_drawing_makes_no_difference() -> None:
    before, after = read_drawing(drawing(WIRE + letter(100))), read_drawing(drawing(letter(100) + WIRE))
    assert before is not None
    assert after is not None
    assert not differs(before, after)
