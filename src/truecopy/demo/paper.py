"""What the demo writes: forms (wording with open slots), the facts that fill them, and the filled papers.

Paragraph  one paragraph, with its style, its number and its article or schedule
Form       an agreement whose parties, dates and figures are still open: `{a_name}`, `{days#12}`
FormFacts  one set of parties, dates and figures
Paper      a form with its facts filled in: what a file is made of

Two papers from one form differ in their facts alone, which is how the demo knows the kind of a pair.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from truecopy.demo.dice import Dice
from truecopy.demo.figures import figure

SLOT = re.compile(r"\{([A-Za-z_]+(?:#\d+)?)\}")
BLANK = "____________________"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph."""

    style: str
    """title, center, heading, clause, item, plain or signature."""
    text: str
    label: str = ""
    """Its number as printed: "7.", "7.2", "(a)", "Schedule 1"."""
    part: int = 0
    """0 before the first article, then the articles and schedules counted from 1."""


@dataclass(frozen=True, slots=True)
class Form:
    """An agreement whose parties, dates and figures are still open."""

    agreement: str
    title: str
    paragraphs: tuple[Paragraph, ...]


@dataclass(frozen=True, slots=True)
class FormFacts:
    """One set of parties, dates and figures; `fresh` names another set of figures for two slots in three."""

    cast: Mapping[str, str]
    figures: str
    fresh: str = ""

    def value(self, slot: str) -> str:
        """What a slot is filled with."""
        if "#" not in slot:
            return self.cast[slot]
        source = self.figures
        if self.fresh and Dice(self.fresh, slot).chance(66):
            source = self.fresh
        what = slot.partition("#")[0]
        return figure(what, Dice(source, slot), self.cast["iso_date"], self.cast["currency"])


@dataclass(frozen=True, slots=True)
class Paper:
    """A form with its facts filled in."""

    title: str
    paragraphs: tuple[Paragraph, ...]
    date: str
    """ISO 8601; the date that the file's own metadata gives."""

    def lines(self) -> list[str]:
        """The paragraphs as printed, number first."""
        return [printed(paragraph) for paragraph in self.paragraphs]


def printed(paragraph: Paragraph) -> str:
    """A paragraph with its number in front."""
    return f"{paragraph.label} {paragraph.text}" if paragraph.label else paragraph.text


def filled(text: str, facts: FormFacts) -> str:
    """The text with these facts in its slots."""
    return SLOT.sub(lambda found: facts.value(found[1]), text)


def fill(form: Form, facts: FormFacts) -> Paper:
    """The form with these facts."""
    paragraphs = tuple(
        Paragraph(paragraph.style, filled(paragraph.text, facts), paragraph.label, paragraph.part)
        for paragraph in form.paragraphs
    )
    return Paper(filled(form.title, facts), paragraphs, facts.cast["iso_date"])
