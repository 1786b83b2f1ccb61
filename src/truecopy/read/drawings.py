"""What office files hold beside their running text: words in shapes, charts and diagrams; pictures; embedded files.

Word, Excel and PowerPoint keep drawings in the same language (DrawingML, ECMA-376 part 1, 20 and 21), in parts of their
own that a parser of paragraphs or cells never opens. Words in them are read; pictures and embedded files are counted.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from truecopy.read.packages import Package, attribute, events, local
from truecopy.read.unsearched import Beside, Picture

_EMU_PER_CM, _POINTS_PER_CM = 360_000, 28.35
LARGE = 100.0
"""Square centimeters from which a picture may be a page or a screen full of text rather than a logo."""
_FALLBACK = frozenset(("Fallback",))
_RECORDINGS = (".mp3", ".mp4", ".m4a", ".m4v", ".wav", ".wma", ".wmv", ".avi", ".mov", ".mpg", ".mpeg")
_LENGTH = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([0-9.]+)(pt|in|cm|mm|px)?")
_IN_POINTS = {"pt": 1.0, "": 1.0, "in": 72.0, "cm": _POINTS_PER_CM, "mm": _POINTS_PER_CM / 10, "px": 0.75}
_CHART = re.compile(r"/charts/chart[^/]*\.xml$")
_DIAGRAM = re.compile(r"/diagrams/data[^/]*\.xml$")
_SLIDE_SHAPES = frozenset(("sp", "pic", "cxnSp", "graphicFrame"))
_SHAPES = frozenset(("sp", "cxnSp", "pic", "graphicFrame", "shape", "rect", "line", "oval", "roundrect", "wsp", "wgp"))


@dataclass(slots=True)
class Drawn:
    """What was found in the drawings of an office file."""

    lines: list[str] = field(default_factory=list)
    areas: dict[str, float] = field(default_factory=dict)
    """The parts that are pictures, in order, and how large each is shown, in square centimeters."""
    shapes: int = 0
    embedded: int = 0
    recordings: int = 0

    def beside(self, words: bool, text: str) -> Beside:
        """What was not searched, in a file with or without words; what its pictures say belongs after its text."""
        shown = [name for name, area in self.areas.items() if not words or area >= LARGE]
        others = []
        if self.embedded:
            others.append("an embedded file" if self.embedded == 1 else f"{self.embedded:,} embedded files")
        if self.recordings:
            others.append("a recording" if self.recordings == 1 else f"{self.recordings:,} recordings")
        if not words and not shown and not others and self.shapes:
            others.append("drawings")
        end = len(text.encode("utf-8", "replace")) if shown else 0
        return Beside(tuple(Picture(name, end) for name in shown), 0, " and ".join(others))


def look(package: Package, folder: str, roots: Iterable[tuple[str, Element | None]]) -> Drawn:
    """What the drawings of an Office Open XML file hold.

    `folder` is the format's (word, xl, ppt). `roots` are the parts in which drawings are placed, and their
    elements if they are at hand; they are only looked into if the file has anything to place.
    """
    drawn = Drawn()
    inside = [name for name in package.names if name.startswith(folder + "/")]
    charts = [name for name in inside if _CHART.search(name)]
    for name in sorted(charts) + sorted(name for name in inside if _DIAGRAM.search(name)):
        drawn.lines += drawn_lines(package.xml(name))
    # A chart keeps its figures in a workbook of its own, which is not a file that somebody has embedded.
    own = {target for chart in charts for target in relations(package, chart).values()}
    drawn.embedded = sum(name.startswith(f"{folder}/embeddings/") and name not in own for name in inside)
    media = {name for name in inside if name.startswith(f"{folder}/media/")}
    drawn.recordings = sum(name.lower().endswith(_RECORDINGS) for name in media)
    for part, root in roots if media else ():
        element = package.xml(part) if root is None else root
        for name, area in _placed(element, relations(package, part)):
            drawn.areas[name] = max(area, drawn.areas.get(name, 0.0))
    drawn.areas = {name: area for name, area in drawn.areas.items() if name in media}
    return drawn


def shapes_in(root: Element) -> int:
    """How many shapes are drawn in a part."""
    return sum(local(each) in _SHAPES for each in root.iter())


def relations(package: Package, part: str) -> dict[str, str]:
    """The parts that a part refers to, by the ids that it uses for them."""
    folder, _, name = part.rpartition("/")
    where = f"{folder}/_rels/{name}.rels"
    if not package.has(where):
        return {}
    found = {}
    for relation in package.xml(where):
        target = attribute(relation, "Target")
        if attribute(relation, "TargetMode") != "External":
            absolute = target[1:] if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            found[attribute(relation, "Id")] = absolute
    return found


def drawn_lines(root: Element, skipped: frozenset[str] = _FALLBACK) -> list[str]:
    """The words of a drawing, a line for each paragraph; of a chart also the names of its rows and columns."""
    lines: list[str] = []
    line: list[str] = []
    named = 0
    for starts, name, element in events(root, skipped):
        if name == "p":
            if line:
                lines.append("".join(line))
                line = []
        elif name == "strCache":
            named += 1 if starts else -1
        elif starts and name == "t":
            line.append(element.text or "")
        elif starts and name == "br":
            line.append("\n")
        elif starts and named and name == "v" and element.text:
            lines.append(element.text)
    if line:
        lines.append("".join(line))
    return [line for line in lines if line.strip()]


def own_lines(root: Element) -> tuple[list[str], int]:
    """The words of a slide, layout or master without its placeholders, and how many shapes those are not.

    A placeholder only says where to click; nobody sees it before it is filled in.
    """
    lines: list[str] = []
    line: list[str] = []
    shapes = 0
    opened: list[tuple[int, bool]] = []
    for starts, name, element in events(root, _FALLBACK):
        if name in _SLIDE_SHAPES:
            if starts:
                opened.append((len(lines), False))
            else:
                before, placeholder = opened.pop()
                shapes += not placeholder
                if placeholder:
                    del lines[before:]
        elif starts and name == "ph" and opened:
            opened[-1] = (opened[-1][0], True)
        elif name == "p" and line:
            lines.append("".join(line))
            line = []
        elif starts and name == "t":
            line.append(element.text or "")
    return [line for line in lines if line.strip()], shapes


def _placed(root: Element, targets: dict[str, str]) -> Iterable[tuple[str, float]]:
    """The pictures that an element shows: the part, and how large."""
    opened: list[tuple[float, list[str]]] = [(0.0, [])]
    for starts, name, element in events(root, frozenset()):
        if name in ("pic", "shape", "rect"):
            if starts:
                opened.append((_styled_area(element.get("style", "")), []))
            else:
                area, parts = opened.pop()
                yield from ((part, area) for part in parts)
        elif starts and name in ("blip", "imagedata"):
            part = targets.get(attribute(element, "embed" if name == "blip" else "id"))
            if part:
                opened[-1][1].append(part)
        elif starts and name == "ext" and len(opened) > 1:
            opened[-1] = (max(opened[-1][0], _area(element)), opened[-1][1])
    # Backgrounds and fillings have no size of their own.
    yield from ((part, 0.0) for part in opened[0][1])


def _area(extent: Element) -> float:
    try:
        return int(extent.get("cx", "0")) * int(extent.get("cy", "0")) / _EMU_PER_CM**2
    except ValueError:
        return 0.0


def _styled_area(style: str) -> float:
    sides = {name: float(value) * _IN_POINTS[unit] for name, value, unit in _LENGTH.findall(style) if value != "."}
    return sides.get("width", 0.0) * sides.get("height", 0.0) / _POINTS_PER_CM**2
