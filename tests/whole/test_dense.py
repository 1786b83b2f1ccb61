"""What a family of thousands of texts costs: time and memory of a few times as many ordinary texts, and no more."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from whole_process import Watched, watch

TEXTS, WORDS = 6000, 120
MOST_TIMES, MOST_MEMORY = 10, 300 << 20
"""Of a scan: times that of ordinary texts; memory over theirs. Storing all pairs took minutes and gigabytes."""
MOST_TIMES_ASKED = 4
"""Of a question about one document, or about counts."""


def write(folder: Path, alike: bool, count: int) -> None:
    """Texts of one form with five words filled in, or texts that share nothing but common words."""
    dice = random.Random(5)
    words = [f"w{number:x}" for number in range(3000)]
    weights = [1 / (rank + 2) for rank in range(len(words))]
    base = dice.choices(words, weights, k=WORDS)
    slots = dice.sample(range(WORDS), 5)
    folder.mkdir()
    for number in range(count):
        text = list(base) if alike else dice.choices(words, weights, k=WORDS)
        for slot in slots if alike else ():
            text[slot] = f"f{dice.randrange(10**6)}"
        (folder / f"{number}.txt").write_text(" ".join(text))


@pytest.mark.alone
def test_a_dense_family_costs_a_few_times_what_ordinary_texts_cost(tmp_path: Path) -> None:
    """Scan, `status` and `similar` of one document, each beside the same command on ordinary texts."""
    costs: dict[str, dict[str, Watched]] = {}
    for name in ("small", "ordinary", "dense"):
        folder, matter = tmp_path / name, str(tmp_path / f"{name}-matter")
        write(folder, name == "dense", 3 if name == "small" else TEXTS)  # the small one compiles the kernels
        commands = {
            "scan": ("scan", str(folder), "--no-report"),
            "status": ("status",),
            "similar": ("similar", "TC-000001"),
        }
        costs[name] = {
            command: watch(tmp_path / "run", *typed, "--matter", matter, "--json", timeout=120)
            for command, typed in commands.items()
        }
        assert all(ran.code == 0 for ran in costs[name].values())
    ordinary, dense = costs["ordinary"], costs["dense"]
    assert json.loads(dense["scan"].out)["statuses"] == {"principal": 1, "member": TEXTS - 1}
    assert len(json.loads(dense["similar"].out)["hits"]) == TEXTS - 1
    assert dense["scan"].seconds < MOST_TIMES * ordinary["scan"].seconds
    for question in ("status", "similar"):
        assert dense[question].seconds < MOST_TIMES_ASKED * ordinary[question].seconds, question
    for command, ran in dense.items():
        assert ran.peak < ordinary[command].peak + MOST_MEMORY, command
