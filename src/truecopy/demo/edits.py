"""What becomes of an agreement after its first draft: revisions, insertions, elaborations, excerpts.

Every edit takes a form and gives a form, so that the truth about a pair follows from how it was made.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from truecopy.demo.compose import sentences
from truecopy.demo.dice import Dice
from truecopy.demo.grammar import Drawer
from truecopy.demo.paper import Form, Paragraph

_SENTENCE_END = re.compile(r"(?<=[.;]) (?=[A-Z“{])")
LONG = 18
"""A sentence of this many words is more than a short span that was replaced (contract: 15 words)."""


def _words(form: Form) -> int:
    return sum(paragraph.text.count(" ") + 1 for paragraph in form.paragraphs)


def roles(form: Form) -> tuple[str, str]:
    """What the form calls its two sides: the words between “ and ” in the parties' paragraphs."""
    found = [
        re.search(r"“([^”]+)”\)", paragraph.text) for paragraph in form.paragraphs if paragraph.label in ("(1)", "(2)")
    ]
    first, second = [match[1] for match in found if match][:2]
    return first, second


def _drawer(form: Form, dice: Dice, round_: int = 1) -> Drawer:
    # Figures of an addition are numbered above all that the form has.
    return Drawer(dice, roles(form), 10_000 * round_)


def _clauses(form: Form) -> list[int]:
    """Places of the clauses that may be edited: those of one sentence or more, no list openers."""
    return [
        place
        for place, paragraph in enumerate(form.paragraphs)
        if paragraph.style == "clause" and paragraph.part > 1 and paragraph.text.endswith(".")
    ]


def _insert(text: str, new: str, dice: Dice) -> str:
    parts = _SENTENCE_END.split(text)
    parts.insert(dice.between(1, len(parts)), new)
    return " ".join(parts)


def _delete(text: str, _new: str, dice: Dice) -> str:
    parts = _SENTENCE_END.split(text)
    long = [place for place, part in enumerate(parts) if part.count(" ") >= LONG]
    if len(parts) > 1 and long:
        del parts[dice.pick(long)]
    return " ".join(parts)


def _exchange(text: str, new: str, dice: Dice) -> str:
    parts = _SENTENCE_END.split(text)
    parts[dice.below(len(parts))] = new
    return " ".join(parts)


_EDITS: tuple[Callable[[str, str, Dice], str], ...] = (_delete, _insert, _exchange)


def revision(form: Form, dice: Dice, percent: int, round_: int) -> Form:
    """The next draft: sentences deleted, inserted and exchanged until enough of the text has changed."""
    drawer = _drawer(form, dice, round_)
    paragraphs = list(form.paragraphs)
    left = _words(form) * percent // 100
    edits = 0
    for place in dice.shuffled(_clauses(form)):
        if left <= 0 and edits >= 6:
            break
        before = paragraphs[place].text
        after = _EDITS[edits % 3](before, sentences(drawer, 1)[0], dice)
        if after != before:
            paragraphs[place] = replace(paragraphs[place], text=after)
            left -= max(after.count(" "), before.count(" ")) // 2
            edits += 1
    return replace(form, paragraphs=tuple(paragraphs))


def insertion(form: Form, dice: Dice, percent: int) -> Form:
    """The form plus sentences inside its paragraphs."""
    drawer = _drawer(form, dice)
    paragraphs = list(form.paragraphs)
    left = _words(form) * percent // 100
    for place in dice.shuffled(_clauses(form)):
        if left <= 0:
            break
        new = sentences(drawer, 1)[0]
        # Before the last sentence or earlier, where there are two: a sentence within the paragraph.
        parts = _SENTENCE_END.split(paragraphs[place].text)
        parts.insert(dice.between(1, max(1, len(parts) - 1)), new)
        paragraphs[place] = replace(paragraphs[place], text=" ".join(parts))
        left -= new.count(" ") + 1
    return replace(form, paragraphs=tuple(paragraphs))


def elaboration(form: Form, dice: Dice, percent: int) -> Form:
    """The form plus whole paragraphs at the end of some of its articles."""
    drawer = _drawer(form, dice)
    added: dict[int, list[Paragraph]] = {}
    left = _words(form) * percent // 100
    last = {paragraph.part: paragraph for paragraph in form.paragraphs if paragraph.style == "clause"}
    for part in dice.shuffled(sorted(last)[1:]):
        if left <= 0:
            break
        text = " ".join(sentences(drawer, 2))
        number = re.sub(r"\d+(?=\)?$)", lambda found: str(int(found[0]) + 1), last[part].label)
        added[part] = [Paragraph("clause", text, number, part)]
        left -= text.count(" ") + 1
    paragraphs: list[Paragraph] = []
    for place, paragraph in enumerate(form.paragraphs):
        paragraphs.append(paragraph)
        following = form.paragraphs[place + 1].part if place + 1 < len(form.paragraphs) else -1
        if paragraph.part != following:
            paragraphs += added.pop(paragraph.part, [])
    return replace(form, paragraphs=tuple(paragraphs))


def excerpt(form: Form, dice: Dice, percent: int) -> Form:
    """A run of whole articles, about this share of the form."""
    parts = sorted({paragraph.part for paragraph in form.paragraphs if paragraph.part > 0})
    wanted = _words(form) * percent // 100
    size = {part: sum(b.text.count(" ") + 1 for b in form.paragraphs if b.part == part) for part in parts}
    start = dice.below(max(1, len(parts) * (100 - percent) // 100 - 1))
    chosen: list[int] = []
    for part in parts[start:]:
        chosen.append(part)
        wanted -= size[part]
        if wanted <= 0:
            break
    return replace(form, paragraphs=tuple(paragraph for paragraph in form.paragraphs if paragraph.part in chosen))


def schedule(form: Form) -> Form:
    """The first schedule alone."""
    part = next(paragraph.part for paragraph in form.paragraphs if paragraph.label == "Schedule 1")
    return replace(form, paragraphs=tuple(paragraph for paragraph in form.paragraphs if paragraph.part == part))
