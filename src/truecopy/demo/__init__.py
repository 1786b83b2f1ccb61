"""The synthetic data room of `truecopy demo`: contracts, their drafts, copies and relatives.

write_dataroom   writes the folder and, beside it, the truth
Dataroom         what was written

All texts are the project's own: wordings in `bank/`, drawn by seeded dice.

dice, figures, cast   choices, dates and sums, people and companies
grammar, compose      the bank of wordings, and agreements made from it
paper                 forms, the facts that fill them, and the papers that result
edits, amendments, noise, mail, odd   what becomes of an agreement, and what else lies about
families, room, dataroom              which documents there are, and the truth about their pairs
write/                txt, docx, pdf, eml
"""

from truecopy.demo.dataroom import Dataroom, write_dataroom

__all__ = ["Dataroom", "write_dataroom"]
