"""The bank of wordings: how its files are read, and how a sentence is drawn from them.

A file of the bank holds topics; a topic holds wordings; a wording holds lines:

    @ confidentiality                       the topic of a clause
    = Confidentiality | Secrecy             a wording of it, with the titles it may bear
    Each party [shall|must] keep ...        a clause; [a|b] is one of the two, drawn anew each time
    - to its [auditors|insurers];           an item (a), (b), ... of the clause above
    ? Nothing in this clause ...            a clause that is left out every other time

`{slot}` is filled with a fact: see `paper.py`. Figures are numbered as they are drawn, `{days#12}`, so that
every place in a form keeps its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import count

from truecopy.demo.dice import Dice
from truecopy.demo.figures import FIGURES

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_FIGURE = re.compile(r"\{(" + "|".join(FIGURES) + r")\}")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a wording."""

    text: str
    item: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put a clause."""

    titles: tuple[str, ...]
    lines: tuple[Line, ...]


def _line(raw: str) -> Line:
    optional = raw.startswith("?")
    raw = raw.removeprefix("?").strip()
    item = raw.startswith("- ")
    return Line(raw.removeprefix("- "), item, optional)


@cache
def wordings_of(name: str) -> dict[str, tuple[Wording, ...]]:
    """The topics of one file of the bank, each with its wordings."""
    found: dict[str, list[tuple[tuple[str, ...], list[Line]]]] = {}
    current: list[tuple[tuple[str, ...], list[Line]]] = []
    for raw in files("truecopy.demo").joinpath("bank", f"{name}.txt").read_text("utf-8").splitlines():
        mark, rest = raw[:2], raw[2:].strip()
        if not raw.strip() or mark == "# ":
            continue
        if mark == "@ ":
            current = found.setdefault(rest, [])
        elif mark == "= ":
            current.append((tuple(title.strip() for title in rest.split("|")), []))
        else:
            if not current:
                current.append(((), []))
            current[-1][1].append(_line(raw))
    return {
        topic: tuple(Wording(titles, tuple(lines)) for titles, lines in wordings) for topic, wordings in found.items()
    }


def entries(name: str, topic: str) -> tuple[str, ...]:
    """The lines of a topic that is a plain list."""
    return tuple(line.text for wording in wordings_of(name)[topic] for line in wording.lines)


class Drawer:
    """Draws sentences for one form: one stream of choices, one count of figures, one pair of roles."""

    def __init__(self, dice: Dice, roles: tuple[str, str], first: int = 1) -> None:
        """`first` numbers the figures; additions to a form start above those that it has."""
        self.dice = dice
        self.roles = roles
        self._figures = count(first)

    def draw(self, text: str) -> str:
        """The text with every choice made, the roles put in and its figures numbered."""
        while "[" in text:
            text = _CHOICE.sub(lambda found: self.dice.pick(found[1].split("|")), text)
        text = text.replace("{A}", self.roles[0]).replace("{B}", self.roles[1])
        return _FIGURE.sub(lambda found: f"{{{found[1]}#{next(self._figures)}}}", text)

    def lines(self, wording: Wording) -> list[Line]:
        """The lines of a wording, drawn; optional ones left out every other time."""
        return [
            Line(self.draw(line.text), line.item)
            for line in wording.lines
            if not (line.optional and self.dice.chance(50))
        ]
