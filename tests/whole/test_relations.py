"""A relation is a row in a table, and a finder: an invented one is found, stored, judged and listed like the others."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("whole_invented.py")
WORDS = [f"word{i}" for i in range(4000)]


def write(folder: Path, dice: random.Random) -> dict[str, list[str]]:
    """Two waves of texts that have one of two openings, or none, and nothing else in common; with their words."""
    openings = [dice.sample(WORDS, 12), dice.sample(WORDS, 12), []]
    texts = {}
    for wave in (1, 2):
        (folder / f"wave-{wave}").mkdir()
        for number in range(9):
            opening = openings[0 if number < 2 else dice.randrange(3)]
            words = [*opening, *dice.sample(WORDS, dice.choice([40, 60, 300]))]
            path = folder / f"wave-{wave}" / f"{wave}-{number}.txt"
            if wave == 1 and number < 2:
                words = words[:60]  # the two that `compare` is asked about
            path.write_text(" ".join(words))
            texts[path.name] = words
    return texts


def expected(texts: dict[str, list[str]]) -> set[tuple[str, str]]:
    """By the definition, over every two texts."""
    shingles = {name: set(zip(words, words[1:], words[2:], strict=False)) for name, words in texts.items()}
    return {
        (a, b)
        for a, b in combinations(sorted(texts), 2)
        if texts[a][:10] == texts[b][:10]
        and 10 * len(shingles[a] & shingles[b]) >= min(len(shingles[a]), len(shingles[b]))
    }


@pytest.mark.parametrize(("dense", "words"), [(2000, 0), (3, 0), (2000, 500), (3, 500)])
def test_an_invented_relation_needs_two_rows_and_a_finder(tmp_path: Path, seed: int, dense: int, words: int) -> None:
    """Also where its families are dense, and where a wave is joined in parts; in one wave and in the next."""
    texts = write(tmp_path, random.Random(seed))
    command = [sys.executable, str(SCRIPT), str(tmp_path), str(dense), str(words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["complete"]
    found = [(pair["a"], pair["b"], pair["relation"], pair["kind"]) for pair in answer["pairs"]]
    assert sorted(found) == [(a, b, "opens", "opening") for a, b in sorted(expected(texts))]
    assert len(found) > 5
