"""XLSX and PPTX: kreuzberg reads cells and slides; the words in shapes, charts and diagrams are added here."""

from __future__ import annotations

import re

from truecopy.read.drawings import Drawn, drawn_lines, look, own_lines, relations, shapes_in
from truecopy.read.packages import BROKEN, Package, attribute
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, extract
from truecopy.read.unsearched import Beside, has_word

_DRAWING = re.compile(r"xl/drawings/drawing[^/]*\.xml$")
_SHEET = re.compile(r"xl/(?:work|chart|dialog)sheets/[^/]*\.xml$")
_SLIDE = re.compile(r"ppt/slides/slide[^/]*\.xml$")
_MOST_COMPARED = 500_000_000
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >]")


def workbook_text(media: str, data: bytes) -> Parsed:
    """The text of an XLSX file: cells, then shapes, charts and diagrams."""
    result, date = extract("XLSX", media, data)
    try:
        with Package(data) as package:
            parts = sorted(name for name in package.names if _DRAWING.fullmatch(name))
            drawn = look(package, "xl", [(part, None) for part in parts])
            roots = [package.xml(part) for part in parts]
            lines = [line for root in roots for line in drawn_lines(root)]
            drawn.shapes = sum(map(shapes_in, roots))
            parsed = _joined(str(result.content), lines + drawn.lines, date, drawn)
            if not has_word(parsed.text) and not parsed.beside.pictures and not parsed.beside.others:
                return _formulas(package, parsed)
    except BROKEN:
        raise Refused("not a valid XLSX: a part of it is missing or damaged") from None
    return parsed


def _formulas(package: Package, parsed: Parsed) -> Parsed:
    """Programs write formulas without their results; only Excel could say what such cells show."""
    if any(_SHEET.fullmatch(name) and _FORMULA.search(package.read(name)) for name in package.names):
        return parsed._replace(beside=Beside(others="formulas without stored results"), reason="")
    return parsed


def presentation_text(media: str, data: bytes) -> Parsed:
    """The text of a PPTX file: slides and notes, then charts, diagrams, and what the layouts in use show on slides."""
    result, date = extract("PPTX", media, data)
    try:
        with Package(data) as package:
            slides = sorted((name for name in package.names if _SLIDE.fullmatch(name)), key=_by_number)
            elements = [(name, package.xml(name)) for name in slides]
            drawn = look(package, "ppt", elements)
            # Placeholders that nobody has filled in are not drawn.
            drawn.shapes = sum(own_lines(element)[1] for _, element in elements)
            lines = [line for part in _layouts(package, slides) for line in own_lines(package.xml(part))[0]]
            text = str(result.content)
            missed = _missed(text, [line for _, element in elements for line in drawn_lines(element)])
            return _joined(text, missed + drawn.lines + list(dict.fromkeys(lines)), date, drawn)
    except BROKEN:
        raise Refused("not a valid PPTX: a part of it is missing or damaged") from None


def _missed(text: str, lines: list[str]) -> list[str]:
    """Lines of slides that kreuzberg has left out; it sets spaces between the runs of a line as it likes."""
    if len(text) * len(lines) > _MOST_COMPARED:
        return []
    compact = "".join(text.split())
    return [line for line in lines if "".join(line.split()) not in compact]


def _by_number(name: str) -> tuple[int, str]:
    return int("".join(filter(str.isdecimal, name)) or 0), name


def _layouts(package: Package, slides: list[str]) -> list[str]:
    """The layouts and masters that the slides are drawn on."""
    found = _referred(package, slides, "/slideLayouts/")
    shown = [layout for layout in found if attribute(package.xml(layout), "showMasterSp") != "0"]
    return found + _referred(package, shown, "/slideMasters/")


def _referred(package: Package, parts: list[str], folder: str) -> list[str]:
    """The parts of a folder that some parts refer to, each once."""
    referred = (target for part in parts for target in relations(package, part).values())
    return list(dict.fromkeys(target for target in referred if folder in target and package.has(target)))


def _joined(text: str, lines: list[str], date: str, drawn: Drawn) -> Parsed:
    if lines:
        text = "\n".join([text, *lines]) if text.strip() else "\n".join(lines)
    words = has_word(text)
    beside = drawn.beside(words, text)
    empty = not words and not beside.pictures and not beside.others
    return Parsed(text, date, NO_TEXT if empty else "", beside=beside)
