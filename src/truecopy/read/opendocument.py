"""ODT, ODP and the drawings of ODS: content, notes, and what the page styles and master pages show on every page.

A paragraph or heading is a line. Comments and text that change tracking has deleted are left out.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from truecopy.read.drawings import Drawn
from truecopy.read.packages import BROKEN, Package, attribute, events, local
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, extract, iso_date
from truecopy.read.unsearched import Beside, has_word

_SKIPPED = frozenset(("tracked-changes", "annotation", "forms", "automatic-styles", "note"))
_FURNITURE = frozenset(("header", "footer", "header-left", "footer-left", "header-first", "footer-first"))
_FIELDS = frozenset(("page-number", "date-time", "header", "footer", "page-count", "date", "time"))
_SHAPES = frozenset(
    ("custom-shape", "text-box", "rect", "circle", "ellipse", "line", "polygon", "polyline", "path", "connector")
)
_OBJECT = re.compile(r"[^/]+/content\.xml")
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?)(cm|mm|in|pt)")
_CENTIMETERS = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72}
_MOST_SPACES = 1000


def opendocument_text(label: str, data: bytes) -> Parsed:
    """The text of an ODT or ODP file."""
    try:
        with Package(data) as package:
            content = package.xml("content.xml")
            lines = _lines(content)
            # Notes are stored in the middle of sentences; they are read after the text, as they are printed.
            for starts, name, element in events(content, _SKIPPED - {"note"}):
                if starts and name == "note-body":
                    lines += _lines(element)
            lines += _objects(package)
            if "styles.xml" in package.names:
                styles = package.xml("styles.xml")
                for starts, name, element in events(styles, _SKIPPED):
                    if starts and name in _FURNITURE:
                        lines += [line for line in _lines(element) if line.strip()]
                if label == "ODP":
                    lines += _master_lines(styles, content)
            date = _date(package)
            text = "\n".join(lines)
            beside = _beside(package, content, has_word(text), text)
    except BROKEN:
        raise Refused(f"not a valid {label}: a part of it is missing or damaged") from None
    empty = not has_word(text) and not beside.pictures and not beside.others
    return Parsed(text, date, NO_TEXT if empty else "", beside=beside)


def spreadsheet_text(media: str, data: bytes) -> Parsed:
    """The text of an ODS file: cells, as kreuzberg reads them, then shapes and charts."""
    result, date = extract("ODS", media, data)
    text = str(result.content)
    try:
        with Package(data) as package:
            content = package.xml("content.xml")
            lines = [line for line in _shape_lines(content) + _objects(package) if line.strip()]
            text = "\n".join([text, *lines] if text.strip() else lines)
            beside = _beside(package, content, has_word(text), text)
    except BROKEN:
        raise Refused("not a valid ODS: a part of it is missing or damaged") from None
    empty = not has_word(text) and not beside.pictures and not beside.others
    return Parsed(text, date, NO_TEXT if empty else "", beside=beside)


def _objects(package: Package) -> list[str]:
    """The words of charts, formulas and sheets that the document holds as objects."""
    lines: list[str] = []
    for name in sorted(package.names):
        if _OBJECT.fullmatch(name):
            lines += [line for line in _lines(package.xml(name)) if line.strip()]
    return lines


def _shape_lines(content: Element) -> list[str]:
    """The words in shapes only: the words of cells are read already."""
    lines: list[str] = []
    line: list[str] = []
    shapes = inside = 0
    for starts, name, element in events(content, _SKIPPED):
        if name in _SHAPES:
            shapes += 1 if starts else -1
        elif shapes and name in ("p", "h"):
            inside += 1 if starts else -1
            if not starts:
                lines.append("".join(line))
                line = []
        if shapes and inside:
            if starts:
                line.append(_spacing(name, element) + (element.text or ""))
            elif name not in ("p", "h"):
                line.append(element.tail or "")
    return lines


def _master_lines(styles: Element, content: Element) -> list[str]:
    """What the master pages in use show on every slide: no placeholders, no fields, no notes."""
    used = {attribute(page, "master-page-name") for page in content.iter() if local(page) == "page"}
    lines: list[str] = []
    for master in styles.iter():
        if local(master) == "master-page" and attribute(master, "name") in used:
            for frame in master:
                if attribute(frame, "placeholder") != "true" and local(frame) not in ("notes", *_FURNITURE):
                    lines += [line for line in _lines(frame, _SKIPPED | _FIELDS) if line.strip()]
    return list(dict.fromkeys(lines))


def _beside(package: Package, content: Element, words: bool, text: str) -> Beside:
    drawn = Drawn()
    opened: list[float] = []
    for starts, name, element in events(content, _SKIPPED - {"note"}):
        if name == "frame":
            if starts:
                opened.append(_centimeters(element, "width") * _centimeters(element, "height"))
            else:
                opened.pop()
        elif starts and name == "image":
            part = attribute(element, "href").removeprefix("./")
            if package.has(part) and part.startswith("Pictures/"):
                drawn.areas[part] = max(opened[-1] if opened else 0.0, drawn.areas.get(part, 0.0))
        elif starts and name in ("object-ole", "plugin"):
            drawn.embedded += 1
        elif starts and name in _SHAPES and name != "text-box":
            drawn.shapes += 1
    return drawn.beside(words, text)


def _centimeters(frame: Element, side: str) -> float:
    found = _LENGTH.fullmatch(attribute(frame, side))
    return float(found[1]) * _CENTIMETERS[found[2]] if found else 0.0


def _date(package: Package) -> str:
    if "meta.xml" not in package.names:
        return ""
    dates = {name: element.text or "" for _, name, element in events(package.xml("meta.xml"), frozenset())}
    return iso_date(dates.get("date", "")) or iso_date(dates.get("creation-date", ""))


def _lines(root: Element, skipped: frozenset[str] = _SKIPPED) -> list[str]:
    lines: list[str] = []
    line: list[str] = []
    inside = 0
    for starts, name, element in events(root, skipped):
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
