"""What a scanner makes of a paper: confused letters, broken words, page stamps."""

from __future__ import annotations

from truecopy.demo.dice import Dice
from truecopy.demo.paper import Paper, Paragraph, printed

CONFUSIONS = (
    ("rn", "m"), ("m", "rn"), ("cl", "d"), ("l", "1"), ("e", "c"), ("h", "b"), ("u", "ii"), ("o", "0"),
    ("i", "l"), ("S", "5"), ("vv", "w"), ("t", "f"), ("n", "ri"), ("a", "o"),
)  # fmt: skip
PARAGRAPHS_A_PAGE = 14


def _damaged(word: str, dice: Dice) -> str:
    """The word with one fault, where it has a letter that is often misread."""
    if len(word) > 6 and dice.chance(25):
        middle = dice.between(2, len(word) - 3)
        return f"{word[:middle]}{dice.pick((' ', ' ', '- '))}{word[middle:]}"
    for wrong, right in dice.shuffled(CONFUSIONS):
        if wrong in word:
            return word.replace(wrong, right, 1)
    return word


def scanned(paper: Paper, dice: Dice, percent: int) -> Paper:
    """The paper as read from a scan in which this many of a hundred words are damaged; pages are stamped."""
    number = dice.between(1000, 90000)
    pages = 1 + len(paper.paragraphs) // PARAGRAPHS_A_PAGE
    paragraphs: list[Paragraph] = []
    for place, paragraph in enumerate(paper.paragraphs):
        if place % PARAGRAPHS_A_PAGE == 0:
            page = 1 + place // PARAGRAPHS_A_PAGE
            stamp = f"CONFIDENTIAL Data room copy {number + page:06} Page {page} of {pages}"
            paragraphs.append(Paragraph("center", stamp))
        words = [_damaged(word, dice) if dice.chance(percent) else word for word in printed(paragraph).split(" ")]
        paragraphs.append(Paragraph(paragraph.style, " ".join(words), "", paragraph.part))
    return Paper(paper.title, tuple(paragraphs), paper.date)
