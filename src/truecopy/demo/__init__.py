"""The synthetic data room of `truecopy demo`: contracts, their drafts, copies and relatives.

dataroom    writes the folder and, beside it, the truth
room        the room while it is being filled
families    an agreement and what became of it, with the truth about every pair
agreements  the types of agreement, where they are filed, who the parties are
compose     agreements made from the bank
grammar     the bank of wordings, and sentences drawn from it
paper       forms, the facts that fill them, and the papers that result
cast        people and companies
figures     dates and sums
dice        seeded choices
edits       what becomes of an agreement: revisions, insertions, elaborations, excerpts
amendments  papers that speak of an agreement and are not near copies of it
mail        e-mails about an agreement
noise       what a scanner makes of a paper
odd         the odd ones: empty, damaged, locked, too short, numbers only, other languages
write/      txt, docx, pdf, eml

All texts are the project's own: wordings in `bank/`, drawn by seeded dice.
"""

from truecopy.demo.dataroom import Dataroom, write_dataroom

__all__ = ["Dataroom", "write_dataroom"]
