"""Forged matters by the hundred, and in `make soak` by ten thousand: no crash, no hang, no harm, always a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FORGE = Path(__file__).with_name("forge.py")
KINDS = ("streams", "vocabulary", "signatures", "statistics", "index", "cells", "texts", "pages")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each trial is a forked process")


def forged(kinds: str, trials: int, seed: int, folder: Path, timeout: float) -> list[dict[str, object]]:
    """Run trials; returns what went wrong, each with its kind and seed."""
    command = [sys.executable, str(FORGE), kinds, str(trials), str(seed), str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
    *wrong, last = map(json.loads, ran.stdout.splitlines())
    assert last["trials"] == trials, "all were run"
    assert last["wrong"] == len(wrong)
    return wrong


def told(wrong: list[dict[str, object]]) -> str:
    return "\n".join(
        f"{one['kind']} seed {one['seed']}: {one['wrong']} | {one['forged']} | {one.get('command')} | "
        f"{str(one.get('output'))[-300:]}"
        for one in wrong[:20]
    )


@pytest.mark.slow
def test_forged_matters_of_every_kind_are_refused_with_a_sentence(tmp_path: Path) -> None:
    """Some forgeries of each kind; `python tests/matter/forge.py KIND 1 SEED FOLDER` repeats one."""
    seed = int.from_bytes(os.urandom(3), "little")
    print(f"seed {seed}")
    wrong = forged(",".join(KINDS), 6, seed, tmp_path, 600)
    assert not wrong, told(wrong)


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_forged_matters_are_refused_with_a_sentence(tmp_path: Path, kind: str) -> None:
    """Ten thousand forgeries of one kind."""
    seed = int.from_bytes(os.urandom(3), "little")
    print(f"seed {seed}")
    wrong = forged(kind, 10_000, seed, tmp_path, 6 * 3600)
    assert not wrong, told(wrong)
