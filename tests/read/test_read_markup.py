"""HTML to the text that a reader of the page sees."""

from __future__ import annotations

import time

import pytest

from truecopy.read.markup import html_bytes_to_page, html_to_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\nTwo"),
        ("<b>bo</b>ld <i>word</i>", "bold word"),
        ("a<br>b<BR/>c", "a\nb\nc"),
        ("<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>", "1\t2\n3"),
        ("x<script>if (a < b) { '</p>' }</script>y", "x\ny"),
        ("x<SCRIPT>var a</SCRIPT >y", "x\ny"),
        ("x<style>p { }</style><!-- hidden <p> -->y", "x\ny"),
        ("<head><title>T</title><meta></head><body>B</body>", "B"),
        ("<head><title>T</title><body>B", "B"),
        ("<head>never closed", "never closed"),
        ("5 &lt; 6 &amp;&nbsp;7 &#8364; &unknown;", "5 < 6 &\xa07 € &unknown;"),
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ('<a title="a > b">link</a>', "link"),
        ("<a title=\"never closed>link</a> it's", "link it's"),
        ("<p>  many \n\t spaces  </p>", "many spaces"),
        ("text <", "text <"),
        ('<input type="checkbox" checked> Yes <INPUT type=checkbox> No', "☒ Yes ☐ No"),
        ('<input type=radio name=a checked="checked">A <input type=text value=checked>B', "☒A B"),
        ("text <unfinished tag", "text"),
        ("<!-- never closed", ""),
        ("<script>never closed", ""),
        ("İ<script>x</script>y", "İ\ny"),
    ],
)
def test_visible_text(page: str, text: str) -> None:
    assert html_to_text(page) == text


def text_of(page: bytes) -> str:
    """What a parser makes of the bytes of a page."""
    found = html_bytes_to_page(page)
    assert found is not None
    return html_to_text(found.text.decode())


def test_the_declared_encoding_is_used_unless_it_is_plainly_wrong() -> None:
    koi8 = '<meta charset="koi8-r"><p>Привет</p>'
    assert text_of(koi8.encode("koi8-r")) == "Привет"
    lie = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1"><p>Привет</p>'
    assert text_of(lie.encode()) == "Привет"
    xml = '<?xml version="1.0" encoding="windows-1251"?><html><p>Привет</p></html>'
    assert text_of(xml.encode("cp1251")) == "Привет"
    unknown = '<meta charset="no-such"><p>Привет всем сторонам договора</p>'
    assert text_of(unknown.encode("cp1251")) == "Привет всем сторонам договора"


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "<head>", '<a "', "<script", "&", "<td>", "<p", "</", "<![CDATA["]
)
def test_hostile_pages_cost_time_in_proportion(piece: str) -> None:
    started = time.perf_counter()
    html_to_text(piece * (300_000 // len(piece)))
    assert time.perf_counter() - started < 10
