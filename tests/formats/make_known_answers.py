"""Writes signatures.json: what every signature family must give for a few texts, by the oracle and not by the package.

    python tests/formats/make_known_answers.py

Run it only after a family's definition (docs/reference/signatures.md) was changed on purpose: raise the family's
version in the package and in VERSIONS, and say so in CHANGELOG.md under "Signatures and formats". Lists of more than
eight numbers are kept as their count and the first half of the SHA-256 of the numbers in decimal, one on a line.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "sign")]

import sign_checks  # noqa: E402

import naive_signatures as naive  # noqa: E402 - found by the line above

VERSIONS = dict.fromkeys(
    "simhash topsig minhash4 mod min sketch bsw terms fingerprint letters words".split(),
    1,
)

TEXTS = {
    "clause": "12.3 The Tenant shall not assign, underlet or part with possession of the Premises without the "
    "Landlord's prior written consent, such consent not to be unreasonably withheld or delayed.",
    "german": "§ 4 Der Käufer trägt die Kosten der Übergabe; die Gewährleistungsfrist beträgt – soweit zulässig – "
    "zwölf Monate ab Übergabe der Ware. Größe: 3,5 m².",
    "russian": "Настоящий договор вступает в силу с момента его подписания и действует до 31 декабря 2025 года.",
    "chinese": "甲方应于本合同签订之日起十个工作日内向乙方支付货款人民币50,000元。乙方收到款项后发货。",
    "marks": "👩‍⚖️ e\u0301te\u0301 ＦＵＬＬ ﬁnal 🇩🇪 q\u0323\u0307 \u00adsoft\u00adhyphen ½ ⅷ \0 \U00020000 हिन्दी ไทย",
    "empty": "",
    "one": "x",
}

COLLECTION = [
    *TEXTS.values(),
    "The Tenant shall pay the rent. The Landlord shall insure the Premises, and the Tenant shall insure the contents.",
    "Consent shall not be unreasonably withheld; consent shall be written, and prior notice shall be given.",
    "Der Käufer und der Verkäufer: die Kosten trägt der Käufer. Die Ware ist die Ware, und der Käufer ist der Käufer.",
    "Стороны и договор: договор вступает в силу, договор действует, договор подписан, договор расторгнут.",
    "The premises, the landlord, the tenant, the consent, the premises, the landlord and the tenant of the premises.",
    "tenant landlord premises consent prior written possession without delayed assign " * 3,
    "written consent prior consent written notice without possession of premises; assign or underlet " * 2,
]
"""What the statistics of weighted families are made of."""

SIZES = (16, 32, 64, 128, 256, 512, 1024)
WINDOWS = (1, 2, 7, 20, 64, 65, 200)


def bit_families() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Family, parameters, and whether statistics are used."""
    for hash in ("fast", "shake256", "sha512"):
        for bits in SIZES:
            yield "simhash", {"bits": bits, "hash": hash}, False
        for ngram in range(1, 9):
            yield "simhash", {"ngram": ngram, "hash": hash}, False
        yield "simhash", {"profile": "plain", "hash": hash}, False
        yield "simhash", {"bits": 128, "hash": hash}, True
    for bits in SIZES:
        yield "topsig", {"bits": bits}, False
        yield "minhash4", {"bits": bits}, False
    for ngram in range(1, 9):
        yield "topsig", {"ngram": ngram}, False
        yield "minhash4", {"ngram": ngram}, False
    for density in (0.002, 0.1, 0.25, 0.3, 0.5, 0.75, 1.0):
        yield "topsig", {"density": density, "bits": 128}, False
    for seed in (0, 2, 987654321):
        yield "topsig", {"seed": seed}, False
    yield "topsig", {"profile": "plain"}, False
    yield "minhash4", {"profile": "plain"}, False
    for negative in ("keep", "drop"):
        for bits in (16, 64, 256):
            yield "topsig", {"negative": negative, "bits": bits}, True


def set_families() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The families over byte windows."""
    for hash in ("fast", "rabin"):
        for window, n in [*((window, 3) for window in WINDOWS), *((20, n) for n in (1, 2, 100, 1 << 32))]:
            given = {"window": window, "n": n, "hash": hash}
            yield "mod", given, False
            for chunks in ("smallest", "whole"):
                yield "bsw", {**given, "chunks": chunks}, False
            if n <= 1 << 16:
                yield "min", given, False
                for form in ("one-permutation", "n-hash"):
                    yield "sketch", {**given, "form": form}, False


def word_families() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The families over words and letters."""
    for unit in ("document", "clause"):
        for terms in (None, 1, 5, 20):
            yield "terms", {"terms": terms, "unit": unit}, True
    for bin in (0, 10, 25):
        for rarest in (0.5, 0.8, 1.0):
            yield "fingerprint", {"bin": bin, "rarest": rarest}, True
    for terms in (1, 3, 64):
        yield "fingerprint", {"terms": terms}, True
    for slots in (1, 4, 256):
        yield "words", {"slots": slots}, False
    for alphabet in ("latin", "extended"):
        yield "letters", {"alphabet": alphabet}, False


def answers() -> list[dict[str, Any]]:
    """Every family and its parameters, with the value of each text."""
    statistics = naive.naive_frequencies(COLLECTION)
    found = []
    for name, parameters, weighted in [*bit_families(), *set_families(), *word_families()]:
        used = statistics if weighted else None
        values = [
            sign_checks.shortened(sign_checks.expected(name, text, used, **parameters)) for text in TEXTS.values()
        ]
        reliable = [sign_checks.expected_reliable(name, text, used, **parameters) for text in TEXTS.values()]
        flags = "".join("ny"[each] for each in reliable)
        answer = {"family": name, "parameters": parameters, "statistics": weighted, "reliable": flags, "values": values}
        found.append(answer)
    return found


def projection(kind: str) -> Any:
    """The vectors that letters are projected on by default."""
    return sign_checks.shortened([entry for vector in naive.naive_projection(62, kind=kind) for entry in vector])


def main() -> None:
    """Write signatures.json beside this file."""
    statistics = naive.naive_frequencies(COLLECTION)
    head = {
        "versions": VERSIONS,
        "rabin_polynomial": f"{sign_checks.polynomial():016x}",
        "texts": TEXTS,
        "collection": COLLECTION,
        "words": {word: list(counts) for word, counts in statistics.words.items()},
        "grams": sign_checks.shortened([number for counts in statistics.grams.values() for number in counts]),
        "projections": {kind: projection(kind) for kind in ("rademacher", "gaussian")},
        "totals": [statistics.documents, statistics.words_total, statistics.grams_total],
    }
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=True)}" for name, value in head.items()]
    listed = ",\n".join(json.dumps(answer, separators=(",", ":")) for answer in answers())
    lines.append('"answers": [\n' + listed + "\n]")
    (HERE / "signatures.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")


if __name__ == "__main__":
    main()
