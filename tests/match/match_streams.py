"""Texts for the tests of `match/` as word numbers, without the product's own tokenizer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def collect(texts: Sequence[Sequence[int]]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The word numbers of all texts, one after the other, and where each text begins."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.array([word for text in texts for word in text], np.uint32), offsets


def numbered_texts(folder: Path, most: int) -> list[list[int]]:
    """Up to `most` texts of a collection, as word numbers."""
    vocabulary: dict[str, int] = {}
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".csv")
    texts = []
    for path in files[:: max(1, len(files) // most)]:
        found = re.findall(r"\w+", path.read_bytes().decode("utf-8", "replace").lower())
        texts.append([vocabulary.setdefault(word, len(vocabulary)) for word in found])
    return texts
