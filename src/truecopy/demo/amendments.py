"""Amendments: papers that speak of an agreement, quote little of it and are not near copies of it."""

from __future__ import annotations

from truecopy.demo.compose import sentences
from truecopy.demo.dice import Dice
from truecopy.demo.edits import roles
from truecopy.demo.grammar import Drawer, entries
from truecopy.demo.paper import Form, Paragraph


def amendment(form: Form, dice: Dice) -> Form:
    """An amendment of this agreement."""
    drawer = Drawer(dice, roles(form), 90_000)
    paragraphs = [Paragraph("title", dice.pick(entries("amendment", "titles")))]
    for text in entries("amendment", "opening"):
        paragraphs.append(Paragraph("plain", drawer.draw(text.replace("{title}", form.title))))
    for number, change in enumerate(dice.shuffled(entries("amendment", "changes"))[: dice.between(4, 7)], 1):
        paragraphs.append(Paragraph("clause", drawer.draw(change), f"{number}.", number))
        if change.endswith(":"):
            for letter, text in enumerate(sentences(drawer, dice.between(2, 4))):
                paragraphs.append(Paragraph("item", f"“{text}”", f"({chr(97 + letter)})", number))
    for text in dice.shuffled(entries("amendment", "ending")):
        paragraphs.append(Paragraph("plain", drawer.draw(text)))
    for side in "ab":
        paragraphs.append(Paragraph("signature", f"For {{{side}_name}}: {{{side}_signature}}, {{{side}_capacity}}"))
    return Form(form.agreement, paragraphs[0].text, tuple(paragraphs))
