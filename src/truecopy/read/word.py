"""DOCX to plain text: body, footnotes, endnotes, headers and footers, as they read with all changes accepted.

A paragraph is a line. Deleted and moved-away text is left out, inserted text stays; a text box that is
stored twice for old versions of Word is read once; comments are not part of the document.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from truecopy.read.decode import decode
from truecopy.read.drawings import look, relations, shapes_in
from truecopy.read.file_types import file_type_of
from truecopy.read.packages import BROKEN, Package, attribute, events, local, parse_xml
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, iso_date, parse
from truecopy.read.unsearched import has_word

_CHUNKS = ("HTML", "RTF", "e-mail")
"""Formats that a document may be made of; others count as embedded files."""

# Fallback repeats what Choice holds; rt is the reading aid above Asian text; pPr and rPr only format.
_SKIPPED = frozenset(("del", "moveFrom", "delText", "instrText", "Fallback", "rt", "pPr", "rPr", "sectPr"))
_AS_TEXT = {
    "tab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "\u2011",
    "softHyphen": "\u00ad",
    "ptab": "\t",
}


def docx_text(data: bytes) -> Parsed:
    """The text of a DOCX file."""
    try:
        with Package(data) as package:
            main = _main_part(package)
            folder = main.rpartition("/")[0]
            body = package.read(main)
            root = parse_xml(body)
            lines = _distinct(package, folder, "header")
            lines += _lines(root)
            drawn = look(package, folder, [(main, root)])
            lines += drawn.lines
            if b"altChunk" in body:
                others, unread = _other_texts(package, main, root)
                lines += others
                drawn.embedded += unread
            for notes in ("footnotes", "endnotes"):
                name = f"{folder}/{notes}.xml"
                lines += _lines(package.xml(name)) if name in package.names else []
            lines += _distinct(package, folder, "footer")
            date = core_date(package)
    except BROKEN:
        raise Refused("not a valid DOCX: a part of it is missing or damaged") from None
    text = "\n".join(lines)
    words = has_word(text)
    drawn.shapes = 0 if words else shapes_in(root)
    beside = drawn.beside(words, text)
    empty = not words and not beside.pictures and not beside.others
    return Parsed(text, date, NO_TEXT if empty else "", beside=beside)


def _other_texts(package: Package, main: str, root: Element) -> tuple[list[str], int]:
    """The texts of files in other formats that are part of the document (`altChunk`), as converters write them.

    Also how many of them could not be read.
    """
    chunks = [attribute(element, "id") for element in root.iter() if local(element) == "altChunk"]
    targets = relations(package, main)
    lines: list[str] = []
    for chunk in chunks:
        data = package.read(targets.get(chunk, ""))
        file_type = file_type_of(targets[chunk], data)
        if file_type.reader == "plain":
            lines.append(decode(data) or "")
        elif file_type.label in _CHUNKS:
            lines.append(parse(file_type.label, file_type.media, data).text)
    return lines, len(chunks) - len(lines)


def core_date(package: Package) -> str:
    """When the document says it was last changed, else made."""
    if "docProps/core.xml" not in package.names:
        return ""
    dates = {name: element.text or "" for _, name, element in events(package.xml("docProps/core.xml"), frozenset())}
    return iso_date(dates.get("modified", "")) or iso_date(dates.get("created", ""))


def _main_part(package: Package) -> str:
    if "_rels/.rels" in package.names:
        for relation in package.xml("_rels/.rels"):
            if attribute(relation, "Type").endswith("/officeDocument"):
                return attribute(relation, "Target").lstrip("/")
    return "word/document.xml"


def _distinct(package: Package, folder: str, what: str) -> list[str]:
    """The lines of all headers or footers; sections repeat them, so each form counts once."""
    seen: dict[tuple[str, ...], None] = {}
    for name in sorted(package.names):
        if name.startswith(f"{folder}/{what}") and name.endswith(".xml"):
            seen[tuple(line for line in _lines(package.xml(name)) if line.strip())] = None
    return [line for lines in seen for line in lines]


def _check_box(element: Element) -> str:
    """A form's check box as it was left: two answers to one question are two texts."""
    values = {local(child): attribute(child, "val") for child in element}
    state = values["checked"] or "1" if "checked" in values else values.get("default", "0")
    return "\N{BALLOT BOX}" if state in ("0", "false", "off") else "\N{BALLOT BOX WITH X}"


def _chosen(element: Element) -> str:
    """What was chosen from a form's list."""
    entries = [attribute(child, "val") for child in element if local(child) == "listEntry"]
    values = {local(child): attribute(child, "val") for child in element}
    choice = values.get("result") or values.get("default") or "0"
    return entries[int(choice)] if choice.isdecimal() and int(choice) < len(entries) else ""


def _symbol(element: Element) -> str:
    """A character of a symbol font, by its number."""
    try:
        return chr(int(attribute(element, "char"), 16))
    except (ValueError, OverflowError):
        return ""


_FIELDS: dict[str, Callable[[Element], str]] = {"checkBox": _check_box, "ddList": _chosen, "sym": _symbol}
"""What a reader sees of these, though it is no text."""


def _lines(root: Element) -> list[str]:
    lines: list[str] = []
    line: list[str] = []
    for starts, name, element in events(root, _SKIPPED):
        if name == "p":
            # A text box sits inside a paragraph: what came before it is a line of its own.
            if not starts or line:
                lines.append("".join(line))
                line = []
        elif starts and name == "t":
            line.append(element.text or "")
        elif starts and name in _AS_TEXT:
            line.append(_AS_TEXT[name])
        elif starts and name in _FIELDS:
            line.append(_FIELDS[name](element))
    if line:
        lines.append("".join(line))
    return lines
