"""The odd ones that every data room has: empty, damaged, locked, too short, numbers only, other languages."""

from __future__ import annotations

from dataclasses import replace

from truecopy.demo.agreements import AGREEMENTS
from truecopy.demo.cast import cast
from truecopy.demo.compose import compose
from truecopy.demo.dice import Dice
from truecopy.demo.grammar import Drawer, wordings_of
from truecopy.demo.paper import Form, FormFacts, Paragraph, fill
from truecopy.demo.room import DataRoom
from truecopy.demo.write.docx import docx
from truecopy.demo.write.pdf import assembled, pdf
from truecopy.demo.write.plain import joined, plain

COUNT = 10
_NOTE = b"Called twice, no answer. Try Monday.\n"
_SERVICES = next(agreement for agreement in AGREEMENTS if agreement.name == "services")


def _foreign(room: DataRoom, language: str) -> tuple[Form, FormFacts]:
    """The bank's agreement in this language, and facts for it."""
    dice = room.dice("foreign", language)
    drawer = Drawer(dice, ("", ""))
    paragraphs: list[Paragraph] = []
    for part, wording in enumerate(wordings_of("foreign")[language]):
        paragraphs.append(Paragraph("heading" if part else "title", wording.titles[0], "", part))
        paragraphs += [Paragraph("clause", line.text, "", part) for line in drawer.lines(wording)]
    facts = cast(_SERVICES, room.house, room.other(), dice)
    return Form(language, paragraphs[0].text, tuple(paragraphs)), FormFacts(facts, f"{room.seed}/foreign/{language}")


def _languages(room: DataRoom) -> None:
    form, facts = _foreign(room, "german")
    family = room.family("Mietvertrag")
    folder = "05 Real estate/Leases"
    a = room.add(f"{folder}/Mietvertrag Hamburg.docx", docx(fill(form, facts)), family, "agreement")
    other = fill(form, replace(facts, fresh=f"{facts.figures}/2"))
    b = room.add(f"{folder}/Mietvertrag Hamburg - Entwurf.pdf", pdf(other), family, "draft")
    room.pair(a, b, "near-identical")

    form, facts = _foreign(room, "french")
    family = room.family("Contrat de prestation")
    path = "02 Commercial contracts/Services/Contrat de prestation - ascenseurs.pdf"
    room.add(path, pdf(fill(form, facts)), family, "agreement")

    form, facts = _foreign(room, "japanese")
    family = room.family("Gyomu itaku")
    paper = fill(form, facts)
    stem = "02 Commercial contracts/Services/Gyomu itaku keiyakusho"
    a = room.add(f"{stem}.docx", docx(paper), family, "agreement")
    b = room.add(f"{stem}.txt", plain(paper), family, "agreement")
    room.pair(a, b, "same-text")


def _ledger(dice: Dice) -> bytes:
    rows = [f"2019-{month:02}  {dice.between(100, 9999)}.{dice.between(10, 99)}" for month in range(1, 13)]
    return joined(rows)


def _locked() -> bytes:
    """A PDF that asks for a password nobody has: its keys are noise."""
    noise = Dice("locked").shuffled(range(256))
    key = bytes(noise[:32]).hex()
    content = bytes(noise)
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream",
            f"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -3904 /O <{key}> /U <{key}> >>".encode(),
        ],
        f"/Encrypt 5 0 R /ID [<{key}> <{key}>]",
    )


def odd_ones(room: DataRoom) -> None:
    """Files the odd ones: COUNT documents."""
    _languages(room)
    dice = room.dice("odd")
    agreement = AGREEMENTS[0]
    paper = fill(
        compose(agreement, dice), FormFacts(cast(agreement, room.house, room.other(), dice), f"{room.seed}/odd/figures")
    )
    for path, content, what, status in (
        ("07 Correspondence/Untitled.txt", b"", "empty file", "empty"),
        ("04 Financing/Ledger 2019.txt", _ledger(dice), "ledger", "numbers-only"),
        ("07 Correspondence/Telephone note.txt", _NOTE, "note", "too-short"),
        ("02 Commercial contracts/NDA (recovered).docx", docx(paper)[:20_000], "damaged file",
         "unreadable"),
        ("03 Employment/Board bonuses - confidential.pdf", _locked(), "locked file", "unreadable"),
    ):  # fmt: skip
        room.add(path, content, room.family(what), what, status)
