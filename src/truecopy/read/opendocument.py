"""ODT and ODP to plain text: content, notes, and the headers and footers of the page styles.

A paragraph or heading is a line. Text that change tracking has deleted and comments are left out.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from truecopy.read.packages import BROKEN, Package, attribute, events
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, iso_date

_SKIPPED = frozenset(("tracked-changes", "annotation", "forms", "automatic-styles", "note"))
_FURNITURE = frozenset(("header", "footer", "header-left", "footer-left", "header-first", "footer-first"))
_MOST_SPACES = 1000


def opendocument_text(label: str, data: bytes) -> Parsed:
    """The text of an ODT or ODP file."""
    try:
        with Package(data) as package:
            content = package.xml("content.xml")
            lines = _lines(content)
            # Notes stand in the middle of sentences; they are read after the text, as they are printed.
            for starts, name, element in events(content, _SKIPPED - {"note"}):
                if starts and name == "note-body":
                    lines += _lines(element)
            if "styles.xml" in package.names:
                for starts, name, element in events(package.xml("styles.xml"), _SKIPPED):
                    if starts and name in _FURNITURE:
                        lines += [line for line in _lines(element) if line.strip()]
            date = _date(package)
    except BROKEN:
        raise Refused(f"not a valid {label}: a part of it is missing or damaged") from None
    text = "\n".join(lines)
    return Parsed(text, date, "" if text.strip() else NO_TEXT)


def _date(package: Package) -> str:
    if "meta.xml" not in package.names:
        return ""
    dates = {name: element.text or "" for _, name, element in events(package.xml("meta.xml"), frozenset())}
    return iso_date(dates.get("date", "")) or iso_date(dates.get("creation-date", ""))


def _lines(root: Element) -> list[str]:
    lines: list[str] = []
    line: list[str] = []
    inside = 0
    for starts, name, element in events(root, _SKIPPED):
        if name in ("p", "h"):
            inside += 1 if starts else -1
            if not starts or line:
                lines.append("".join(line))
                line = []
        if not inside:
            continue
        if starts:
            line.append(_spacing(name, element) + (element.text or ""))
        # What follows an element within the paragraph hangs on its end.
        elif element is not root:
            line.append(element.tail or "")
    return lines


def _spacing(name: str, element: Element) -> str:
    if name == "s":
        count = attribute(element, "c")
        return " " * min(int(count), _MOST_SPACES) if count.isdecimal() else " "
    return {"tab": "\t", "line-break": "\n"}.get(name, "")
