"""Made-up documents with copies, versions and excerpts of each other, the same from the same seed."""

from __future__ import annotations

import random
from pathlib import Path

NOUNS = (
    "agreement party notice term fee service record office claim order asset court delivery lease bond share".split()
)
VERBS = "grants delivers pays ends renews assigns limits serves keeps returns settles approves".split()
SHAPES = ("base", "copy", "layout", "light", "heavy", "excerpt", "longer", "moved")


def _sentence(dice: random.Random) -> str:
    words = [f"{dice.choice(NOUNS)}{dice.randrange(300)}", dice.choice(VERBS)]
    words += [f"{dice.choice(NOUNS)}{dice.randrange(300)}" for _ in range(dice.randint(3, 9))]
    return " ".join(words).capitalize() + "."


def _paragraphs(dice: random.Random, count: int) -> list[str]:
    return [" ".join(_sentence(dice) for _ in range(dice.randint(2, 6))) for _ in range(count)]


def _edited(text: str, dice: random.Random, share: float) -> str:
    words = text.split(" ")
    for place in dice.sample(range(len(words)), int(share * len(words))):
        words[place] = f"{dice.choice(NOUNS)}{dice.randrange(300)}"
    return " ".join(words)


def document(seed: int, family: int, shape: str, variant: int = 0) -> str:
    """One document of a family; all shapes but `base` come from the family's base."""
    base_dice = random.Random(f"{seed} {family}")
    base = _paragraphs(base_dice, base_dice.randint(8, 20))
    text = "\n\n".join(base)
    dice = random.Random(f"{seed} {family} {shape} {variant}")
    match shape:
        case "layout":
            return text.upper().replace("\n\n", "\n \n")
        case "light":
            return _edited(text, dice, 0.03)
        case "heavy":
            return _edited(text, dice, dice.uniform(0.12, 0.32))
        case "excerpt":
            return "\n\n".join(base[: len(base) // 2])
        case "longer":
            return text + "\n\n" + "\n\n".join(_paragraphs(dice, 3))
        case "moved":
            return "\n\n".join([*base[2:], *base[:2]])
        case _:
            return text


def write_room(folder: Path, seed: int, families: range, variants: range = range(1)) -> Path:
    """A folder with every shape of every family, and documents that can be in no group."""
    folder.mkdir(parents=True, exist_ok=True)
    for family in families:
        for variant in variants:
            for shape in SHAPES:
                file = folder / f"family-{family:03d}" / f"{shape}-{variant}.txt"
                file.parent.mkdir(exist_ok=True)
                file.write_text(document(seed, family, shape, variant), encoding="utf-8")
    (folder / "empty.txt").write_text("")
    (folder / "numbers.txt").write_text("1 2 3 4 5 6 7 8 9 10 11 12")
    (folder / "short.txt").write_text(f"a short note {families.start}")
    (folder / "damaged.docx").write_bytes(b"PK\x03\x04 this is no archive")
    page = document(seed, families.start, "base").replace("\n\n", "</p>\n<p>")
    (folder / "page.html").write_text(f"<html><body><p>{page}</p></body></html>", encoding="utf-8")
    return folder
