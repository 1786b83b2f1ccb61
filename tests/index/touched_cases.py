"""Collections for tests of what fresh texts touch: templates, boilerplate, excerpts, empty and huge texts."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

Texts = list[list[int]]

SHAPES = ("edited", "form", "excerpt", "reversed", "repeated", "boilerplate", "random", "short", "empty", "huge")


def make_texts(random: np.random.Generator, count: int, words: int = 60, longest: int = 90) -> Texts:
    """Texts of all shapes, most of them made from earlier ones."""
    texts: Texts = []
    form = random.integers(0, words, longest).tolist()
    notice = random.integers(0, words, 30).tolist()
    for _ in range(count):
        shape = SHAPES[random.integers(len(SHAPES))]
        base = texts[random.integers(len(texts))] if texts else form
        if shape == "edited":
            text = edited(random, base, words)
        elif shape == "form":
            text = [word if random.random() < 0.9 else int(random.integers(words, 3 * words)) for word in form]
        elif shape == "excerpt":
            begin = int(random.integers(0, len(base) + 1))
            text = base[begin : begin + int(random.integers(0, longest))]
        elif shape == "reversed":  # the same blocks in another order: bags agree, streams do not
            text = base[len(base) // 2 :] + base[: len(base) // 2]
        elif shape == "repeated":
            text = base + base
        elif shape == "boilerplate":
            text = random.integers(0, words, random.integers(0, longest)).tolist() + notice
        elif shape == "huge" and random.random() < 0.3:
            text = [word for other in texts for word in other][:3000]
        elif shape == "short":
            text = random.integers(0, words, random.integers(0, 12)).tolist()
        elif shape == "empty":
            text = []
        else:
            text = random.integers(0, words, random.integers(0, longest)).tolist()
        texts.append(text[:4000])
    return texts


def edited(random: np.random.Generator, text: list[int], words: int) -> list[int]:
    """A few words replaced, left out or put in."""
    out = list(text)
    for _ in range(random.integers(0, 9)):
        place = int(random.integers(0, len(out) + 1))
        out[place : place + int(random.integers(0, 3))] = random.integers(0, words, random.integers(0, 3)).tolist()
    return out


@st.composite
def split_collections(draw: st.DrawFn, longest: int = 90) -> tuple[Texts, list[int]]:
    """Texts, and for each the stored block that it is in (0, 1, …), or -1 for a fresh one."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    texts = make_texts(random, draw(st.integers(0, 30)), draw(st.sampled_from([6, 60, 400])), longest)
    blocks = draw(st.integers(0, 3))
    return texts, random.integers(-1, blocks, len(texts)).tolist()
