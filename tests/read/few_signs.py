"""Business texts with one to five signs beyond ASCII, in the encodings of western offices: what doubts are about.

Sentences of our own, alone or among plain lines of real contracts where that collection is there. No text of a
collection is kept here.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ENCODINGS = ("cp1252", "iso8859-1", "iso8859-15", "cp437", "cp850", "mac-roman")
WINDOWS = frozenset(("cp1252", "iso8859-1"))
SENTENCES = {
    "en": """
        The “Agreement” means this agreement and all of its schedules.
        Each party’s liability is limited to the fees paid in the prior year.
        The term – unless extended – ends on 31 December 2024.
        The Seller—and no other person—shall bear the cost of delivery.
        Pursuant to § 5 of the Act, notice must be given in writing.
        A claim under 42 U.S.C. § 1983 was dismissed with prejudice.
        © 2019 Example Holdings Limited. All rights reserved.
        Copyright © 2021 by the authors; no part may be reproduced.
        The purchase price is £500 and is due on completion.
        The tenant shall pay a rent of £1,250 per month in advance.
        Goods must be stored at a temperature of 25°C or below.
        The container is kept between 2 °C and 8 °C during transport.
        Each candidate must submit a résumé with three references.
        This letter is addressed to Mr. Müller of the finance team.
        The Supplier is Société Générale, a bank organized in France.
        The invoice of €12,000 was paid by the buyer in May.
        A fee of 50 € is charged for each late payment.
        The floor area is 120 m² and includes two parking spaces.
        The tolerance is ±5 percent of the ordered quantity.
        Acme® and Roadrunner™ are trademarks of their owners.
        The software is provided by Initech® under this license.
        Use of the Globex™ mark requires written consent.
        • The Buyer shall inspect the goods within ten days.
        The façade of the building must be kept in good repair.
        The café on the ground floor is excluded from the lease.
        Our counsel in Zürich will send the signed pages tomorrow.
        Payment to São Paulo is made in local currency.
        Mr. Núñez and Ms. García signed on behalf of the company.
        The parties met in Malmö and Århus to settle the dispute.
        Dear Mr. Søren Kjær, please find the contract attached.
        The naïve reading of clause 4 was rejected by the court.
        The agreement was concluded vis-à-vis all shareholders.
        The works take 2½ years and cost ¾ of the budget.
        He said ‘no’ and left the meeting before the vote.
        The lessee… shall, at its own expense, insure the vessel.
        The coupé was sold as seen, without any warranty.
        Paragraph ¶ 12 of the complaint is denied in full.
        The resistance is 40 µF and the load is 3×5 units.
        The board of Nestlé approved the merger last night.
        Attn: François Lefèvre, head of legal, third floor.
        The price in yen is ¥10,000, payable at the signing.
        The penalty is 5¢ per page copied without permission.
    """,
    "de": """
        Der Vertrag mit der Firma Schmidt endet am 31. Dezember für beide Seiten.
        Die Miete beträgt 500 Euro im Monat und ist sofort zu zahlen.
        Gemäß § 5 ist eine Mahnung nicht erforderlich.
        Der Käufer zahlt 1.200 € bis zum Ende des Monats.
        Die Wohnung hat eine Fläche von 80 m² und einen Keller.
        Herr Müller hat den Vertrag am Montag unterschrieben.
        Die Größe der Halle ist in der Anlage angegeben.
        Das Gericht in Köln ist zuständig.
        Der „Mieter“ haftet nur bei Vorsatz.
        Die Ware ist bei 20 °C zu lagern.
        Übergabe und Abnahme erfolgen am selben Tag.
        Der Vertrag – samt Anlage – ist bindend.
    """,
    "fr": """
        Le contrat entre en vigueur à la date de signature.
        Le prix est de 500 € hors taxes.
        La société paie les frais dans un délai de dix jours.
        Le locataire s’engage à payer le loyer.
        Les parties sont liées par le présent contrat.
        Le vendeur garantit le bien pendant une année.
        Le « Client » accepte les conditions du contrat.
        Fait à Paris, le 3 mars, en deux exemplaires.
        La durée du bail est de trois ans.
        Le montant du dépôt est versé au bailleur.
    """,
}
BESIDE = (0, 4, 30)
"""Plain lines around a sentence."""
OWN_PLAIN = {
    "en": "The Buyer shall pay the Seller within thirty days after receipt of the invoice, without any deduction.",
    "de": "Der Verkauf erfolgt unter Ausschluss jeder Haftung, soweit das Gesetz dies erlaubt und nichts anderes gilt.",
    "fr": "Le vendeur est tenu de livrer le bien dans les dix jours qui suivent la date du paiement par le client.",
}


class Few(NamedTuple):
    """One text with a few signs."""

    language: str
    encoding: str
    text: str
    data: bytes

    def __str__(self) -> str:
        signs = "".join(sorted({sign for sign in self.text if sign > "\x7f"}))
        return f"{self.language} in {self.encoding} with {signs}, {len(self.data)} bytes"


def plain_lines(contracts: Path | None) -> list[str]:
    """Lines of real contracts that are all ASCII; none without the collection."""
    if contracts is None:
        return []
    found: set[str] = set()
    for file in sorted((contracts / "txt").glob("*.txt"))[:40]:
        lines = file.read_text(encoding="utf-8", errors="ignore").splitlines()
        found.update(line.strip() for line in lines if len(line.strip()) > 40 and line.isascii())
    return sorted(found)


def few_signs(generator: random.Random, plain: Sequence[str]) -> Iterator[Few]:
    """Each sentence in each encoding that has its signs, alone and among plain lines."""
    for language, sentences in SENTENCES.items():
        for sentence in (line.strip() for line in sentences.strip().splitlines()):
            for encoding in ENCODINGS:
                for beside in BESIDE:
                    around = [OWN_PLAIN[language]] * min(beside, 1)
                    if language == "en" and plain and beside:
                        around = [generator.choice(plain) for _ in range(beside)]
                    text = "\n".join([*around[::2], sentence, *around[1::2]]) + "\n"
                    try:
                        yield Few(language, encoding, text, text.encode(encoding))
                    except UnicodeEncodeError:
                        continue


def shares(
    every: Iterable[Few], read: Callable[[bytes], tuple[str | None, str]]
) -> tuple[dict[str, Counter[str]], list[str]]:
    """For Windows and for other encodings: how many there are, right, right but doubted, wrong in silence."""
    counts = {"windows": Counter[str](), "others": Counter[str]()}
    silent = []
    for few in every:
        text, doubt = read(few.data)
        count = counts["windows" if few.encoding in WINDOWS else "others"]
        right = text == few.text
        count["all"] += 1
        count["right"] += right
        count["right, doubted"] += right and bool(doubt)
        if not right and not doubt:
            count["silent"] += 1
            silent.append(str(few))
    return counts, silent
