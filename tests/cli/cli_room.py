"""A small real matter in which lists have everything that makes them hard: copies of all sorts, documents that look
alike, names that a spreadsheet would run, paths that no terminal is wide enough for.
"""

from __future__ import annotations

import random
from pathlib import Path

import truecopy as tc

NOUNS = ("agreement", "party", "notice", "term", "fee", "service", "record", "office", "claim", "order")
VERBS = ("grants", "delivers", "pays", "ends", "renews", "assigns", "limits", "serves", "keeps", "settles")
DEEP = "02 Commercial contracts/Confidentiality undertakings and agreements/Signed/2021"
LONG = "Mutual confidentiality agreement between the parties - Larkfield Estates and Holdings SAS"


def text(seed: int, words: int = 240) -> str:
    """Sentences of a text that is like no text of another seed."""
    dice = random.Random(seed)

    def thing() -> str:
        return f"{dice.choice(NOUNS)}{dice.randrange(40)}"

    return " ".join(f"{thing()} {dice.choice(VERBS)} {thing()}." for _ in range(words // 3))


def changed(base: str, words: int) -> str:
    """A text in which so many words are others."""
    parts = base.split()
    step = len(parts) // words
    return " ".join("other" if i % step == 0 and i // step < words else word for i, word in enumerate(parts))


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write files of text or bytes below a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            (folder / name).write_bytes(content)
        else:
            (folder / name).write_text(content, encoding="utf-8")
    return folder


def make_matter(place: Path) -> tc.Matter:
    """Two waves from two roots."""
    base, damaged = text(1), b"PK\x03\x04 this is no archive"
    first: dict[str, str | bytes] = {
        f"{DEEP}/{LONG} - draft v1.txt": base,
        f"{DEEP}/{LONG} - draft v2.txt": changed(base, 6),
        f"{DEEP}/{LONG} - draft v3.txt": changed(base, 20),
        f"{DEEP}/{LONG} - draft v3 (copy).txt": changed(base, 20),
        f"{DEEP}/{LONG} - signed.txt": base.upper(),
        "05 Leases/lease.txt": text(2) + "\n\n" + text(3),
        "05 Leases/excerpt.txt": text(3),
        "=cmd|' !A1.txt": text(4),
        "-minus.txt": text(5),
        "@sum.txt": text(6),
        "a;=b.txt": text(7),
        "[red]契約書.txt": text(8),
        "ledger.txt": "1 2 3 4 5",
        "ledger again.txt": "1 2 3 4 5",
        "note.txt": "See you there.",
        "damaged.docx": damaged,
        "damaged again.docx": damaged,
        "other.docx": damaged + b" at all",
        "empty.txt": "",
    }
    second: dict[str, str | bytes] = {"05 Leases/lease.txt": text(20), "damaged.docx": b"PK\x03\x04 another one"}
    made = tc.scan(write(place / "room", first), place / "matter", report=False)
    made.add(write(place / "second room", second), "production 2")
    return made
