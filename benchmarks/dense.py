"""Dense families: thousands of texts of one form, against as many ordinary texts of the same length.

    python benchmarks/dense.py --scale full

Each shape is a way in which texts can be alike that makes all of them candidates of each other. What is timed are whole
commands: `scan`, then `status` and `similar` of one document. Recall: of a sample of documents, how many of the
documents that brute force (rapidfuzz) finds at 80 % does `similar` list; it may list no others.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import Finished, arguments, run_process, use_cores
from results import Result, Table, Target, megabytes, publish

WORDS = 200
"""Words of a text."""
SAMPLE = 5
MOST_TIMES, MOST_BYTES = 10, 1_500_000_000
"""What is promised of a family of 20,000 texts: times an ordinary collection, and memory."""
_SYLLABLES = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "or", "us")]


@dataclass(frozen=True, slots=True)
class Shape:
    """How the texts of a family are alike."""

    name: str
    small: int
    full: int
    """Texts, by scale."""
    promised: bool
    """Whether the promises are about it: a family that is dense, not texts that only look like one."""


SHAPES = (
    Shape("ordinary", 2500, 20_000, False),
    Shape("one form, five slots", 2500, 20_000, True),
    Shape("75 to 85 % alike", 2500, 20_000, True),
    Shape("70 to 80 % alike", 2200, 20_000, True),
    Shape("lengths with a long tail", 4000, 20_000, True),
    Shape("ordinary, few", 400, 4000, False),
    Shape("just below the floor", 400, 4000, False),
    Shape("the same sentences in another order", 400, 4000, False),
    Shape("the same words in another order", 400, 4000, False),
)


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("dense", asked)
    shapes: dict[str, Any] = {}
    rows, usual = [], 0.0
    for shape in SHAPES:
        texts = list(family(shape.name, shape.small if asked.small else shape.full))
        measured = _measured(texts)
        if shape.name.startswith("ordinary"):
            usual = measured["processor_seconds"]
        measured["times_ordinary"] = round(measured["processor_seconds"] / usual, 2)
        shapes[shape.name] = measured
        rows.append(_row(shape.name, measured))
        if shape.promised:
            times = measured["times_ordinary"]
            result.targets.append(Target.at_most(f"{shape.name}: times as many ordinary texts", MOST_TIMES, times))
            peak = measured["peak_bytes"] / 1e6
            result.targets.append(Target.at_most(f"{shape.name}: peak MB", MOST_BYTES / 1e6, peak))
        result.targets.append(Target.at_least(f"{shape.name}: recall of similar", 1, measured["recall"]))
    result.figures = {"words": WORDS, "shapes": shapes}
    columns = (
        "texts", "number", "scan s", "times ordinary", "peak MB", "pairs stored", "not stored, at most",
        "`status` s", "`similar` s", "recall",
    )  # fmt: skip
    note = (
        f"{WORDS} words in each text, more or less. Times ordinary: processor seconds of the scan, divided by those of "
        "the ordinary texts above it. The report is included."
    )
    result.tables.append(Table("Families against ordinary texts", columns, rows, note))
    publish(result)


def _row(name: str, measured: dict[str, Any]) -> tuple[str, ...]:
    return (
        name, f"{measured['documents']:,}", f"{measured['scan_seconds']:.1f}", f"{measured['times_ordinary']:.1f}",
        megabytes(measured["peak_bytes"]), f"{measured['pairs']:,}", f"{measured['left_out']:,}",
        f"{measured['status_seconds']:.2f}", f"{measured['similar_seconds']:.2f}", f"{measured['recall']:.4f}",
    )  # fmt: skip


def family(shape: str, count: int, words: int = WORDS, seed: str = "dense") -> list[str]:
    """The texts of a shape."""
    dice = random.Random(f"{seed}, {shape}")
    vocabulary = ["".join(dice.choices(_SYLLABLES, k=dice.randint(2, 4))) for _ in range(8000)]
    weights = [1 / (rank + 2) for rank in range(len(vocabulary))]
    base = dice.choices(vocabulary, weights, k=words)
    slots = dice.sample(range(words), 5)
    texts = []
    for _ in range(count):
        text = list(base)
        if shape.startswith("ordinary"):
            text = dice.choices(vocabulary, weights, k=words)
        elif shape == "one form, five slots":
            for slot in slots:
                text[slot] = f"f{dice.randrange(10**6)}"
        elif shape == "lengths with a long tail":
            text = (base * 4)[: max(20, int(4 * words * dice.random() ** 2))]
            _replace(text, len(text) // 40 + 1, vocabulary, dice)
        elif shape == "the same sentences in another order":
            sentences = [base[first : first + 10] for first in range(0, words, 10)]
            dice.shuffle(sentences)
            text = [word for sentence in sentences for word in sentence]
        elif shape == "the same words in another order":
            dice.shuffle(text)
        else:
            share = {"75 to 85 % alike": dice.uniform(0.08, 0.13), "70 to 80 % alike": 0.135}.get(shape, 0.165)
            _replace(text, int(share * words), vocabulary, dice)
            if shape == "just below the floor":  # words change places: the bags are more alike than the texts
                for at in dice.sample(range(0, words - 2, 2), words // 40):
                    text[at], text[at + 1] = text[at + 1], text[at]
        texts.append(" ".join(text))
    return texts


def _replace(text: list[str], count: int, vocabulary: list[str], dice: random.Random) -> None:
    for place in dice.sample(range(len(text)), count):
        text[place] = dice.choice(vocabulary)


def _measured(texts: list[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        room, matter = Path(folder) / "texts", str(Path(folder) / "matter")
        room.mkdir()
        for number, text in enumerate(texts):
            (room / f"{number:06d}.txt").write_text(text, encoding="utf-8")
        scanned = _command("scan", str(room), "--matter", matter)
        status = _command("status", "--matter", matter)
        said = json.loads(scanned.printed)
        similar, found, true = [], 0, 0
        for number in range(0, len(texts), max(len(texts) // SAMPLE, 1)):
            similar.append(_command("similar", f"TC-{number + 1:06d}", "--matter", matter))
            hits = {int(hit["id"][3:]) - 1 for hit in json.loads(similar[-1].printed)["hits"]}
            truth = _true(texts, number)
            if not hits <= truth:
                raise SystemExit(f"{sorted(hits - truth)[:5]} are not similar to {number}")
            found, true = found + len(hits), true + len(truth)
    return {
        "documents": len(texts),
        "scan_seconds": round(scanned.seconds, 2),
        "processor_seconds": round(scanned.processor_seconds, 2),
        "stages": said["seconds"],
        "peak_bytes": scanned.peak,
        "statuses": said["statuses"],
        "pairs": said["pairs"],
        "left_out": said["left_out"],
        "status_seconds": round(status.seconds, 3),
        "similar_seconds": round(max(one.seconds for one in similar), 3),
        "true_hits": true,
        "recall": found / true if true else 1.0,
    }


def _command(*typed: str) -> Finished:
    return run_process([sys.executable, "-m", "truecopy", *typed, "--json"])


def _true(texts: list[str], asked: int) -> set[int]:
    """The texts that are 80 % similar to one, by comparing it with every other."""
    from rapidfuzz.distance import Levenshtein

    words = texts[asked].split()
    found = set()
    for number, text in enumerate(texts):
        other = text.split()
        longer = max(len(words), len(other))
        if number != asked and 5 * Levenshtein.distance(words, other, score_cutoff=longer // 5) <= longer:
            found.add(number)
    return found


if __name__ == "__main__":
    main()
