"""HTML to plain text: what a reader of the page would see, block by block.

One pass with plain searches, so that even a hostile page costs time in proportion to its length.
"""

from __future__ import annotations

import re
from html import unescape

from truecopy.read.decode import Decoded, declared_text

_UNSEEN = frozenset(("script", "style", "template", "noscript", "svg", "head"))
_BLOCKS = frozenset(
    (
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "br",
            "caption",
            "center",
            "dd",
            "details",
            "dialog",
        ),
        *(
            "div",
            "dl",
            "dt",
            "fieldset",
            "figcaption",
            "figure",
            "footer",
            "form",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
        ),
        *("h6", "header", "hr", "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section"),
        *("select", "summary", "table", "tbody", "textarea", "tfoot", "thead", "title", "tr", "ul"),
    )
)
_CELLS = frozenset(("td", "th"))
_TAG = re.compile(r"/?([A-Za-z][^\s/>]*)")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_QUOTED_END = re.compile(r"""[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>""")
_DECLARED = re.compile(rb"""<meta[^>]{0,500}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_DECLARED_XML = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""")
_CLOSING = {name: re.compile(rf"</{name}[^>]*>?", re.IGNORECASE) for name in _UNSEEN}
_BODY = re.compile("<body", re.IGNORECASE)
_SHOWS_PICTURES = re.compile(
    rb"<(?:img|svg|canvas|picture|input[^>]{1,200}image)\b|background(?:-image)?\s*[:=][^;>]{0,200}(?:url|\.(?:png|jpe?g|gif))",
    re.IGNORECASE,
)
_SHOWS_FILES = re.compile(rb"<(?:iframe|frame|object|embed|video|audio|applet)\b", re.IGNORECASE)
_SHOWS_SCRIPT = re.compile(rb"<script\b", re.IGNORECASE)
_LONGEST_TAG = 4_096
_BOX = re.compile(r"""\stype\s*=\s*["']?(?:checkbox|radio)\b""", re.IGNORECASE)
_CHECKED = re.compile(r"\schecked\b", re.IGNORECASE)


def html_bytes_to_page(data: bytes, declared: str = "") -> Decoded | None:
    """The page as text, tags and all; `declared` is the encoding that an e-mail says it is in."""
    found = _DECLARED_XML.search(data[:1024]) or _DECLARED.search(data[:8192])
    return declared_text(data, declared or (found[1].decode() if found else ""))


def shown_instead(data: bytes) -> str:
    """What a page without words shows: pictures, other files, or what a script makes; "" where it shows nothing."""
    ascii_form = data.replace(b"\0", b"")  # tags are ASCII, also in UTF-16
    if _SHOWS_PICTURES.search(ascii_form):
        return "pictures"
    if _SHOWS_FILES.search(ascii_form):
        return "another page or file"
    return "what a script makes of it" if _SHOWS_SCRIPT.search(ascii_form) else ""


def html_to_text(page: str) -> str:
    """The visible text: a line for each block, a tab between cells, entities resolved."""
    lines: list[str] = []
    line: list[str] = []
    at, length = 0, len(page)
    headed = False
    while at < length:
        tag = page.find("<", at)
        if tag < 0:
            tag = length
        if tag > at:
            line.append(page[at:tag])
        if tag == length:
            break
        name, at = _next_tag(page, tag)
        if name in _BLOCKS:
            _end_line(lines, line)
        elif name == "input":
            line.append(_box(page[tag:at]))
        elif name in _CELLS:
            line.append("\x00" if page[tag + 1] != "/" else "")
        elif name in _UNSEEN and page[tag + 1] != "/" and not (headed and name == "head"):
            # Only the first head: a thousand unclosed ones must not cost a thousand searches to the end.
            headed = headed or name == "head"
            at = _after_element(page, name, at)
            _end_line(lines, line)
        elif not name:
            line.append("<")
    _end_line(lines, line)
    return "\n".join(lines)


def _box(tag: str) -> str:
    """A check box or radio button as the page shows it; "" for other inputs."""
    if not _BOX.search(tag[:_LONGEST_TAG]):
        return ""
    return "\N{BALLOT BOX WITH X}" if _CHECKED.search(tag[:_LONGEST_TAG]) else "\N{BALLOT BOX}"


def _next_tag(page: str, start: int) -> tuple[str, int]:
    """The name of the tag at `start` ("!" for comments, "" if it is not a tag), and where it ends."""
    if page.startswith("<!--", start):
        end = page.find("-->", start + 4)
        return "!", len(page) if end < 0 else end + 3
    if page.startswith(("<!", "<?"), start):
        end = page.find(">", start)
        return "!", len(page) if end < 0 else end + 1
    found = _TAG.match(page, start + 1)
    if not found:
        return "", start + 1
    # A ">" inside quotes does not end the tag; quotes that are never closed do not hide the rest.
    quoted = _QUOTED_END.match(page, found.end(), found.end() + _LONGEST_TAG)
    if quoted:
        return found[1].lower(), quoted.end()
    plain = page.find(">", found.end())
    return found[1].lower(), len(page) if plain < 0 else plain + 1


def _after_element(page: str, name: str, at: int) -> int:
    """Where the element that shows nothing has ended; an unclosed head shows its body."""
    end = _CLOSING[name].search(page, at)
    if name == "head":
        body = _BODY.search(page, at, end.start() if end else len(page))
        if body:
            return body.start()
        if not end:
            return at
    return end.end() if end else len(page)


def _end_line(lines: list[str], line: list[str]) -> None:
    text = _SPACE.sub(" ", unescape("".join(line))).replace("\x00", "\t").strip()
    line.clear()
    if text:
        lines.append(text)
