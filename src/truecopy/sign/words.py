"""`words`: one-permutation sketches of word shingles, truecopy's default signature.

Li, Owen and Zhang (one permutation hashing, 2012) with Shrivastava's optimal densification (2017), over
shingles of three words (Broder's resemblance, as in Cherkasova 2009). The share of equal places of two
sketches estimates their resemblance without bias.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import BadSetting
from truecopy.kernels.sketch import sketch_words
from truecopy.model import SHINGLE
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.text.batches import tokenized
from truecopy.text.streams import Streams

Array = npt.NDArray[Any]

SLOTS = 256
VERSION = 1
_WORDS_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Signatures:
    """Sketches of texts, with the spec that they were made by."""

    spec: Spec
    values: Array

    def resemblance(self, a: int, other: Signatures, b: int) -> float:
        """The estimated resemblance (0 to 100) of text `a` of this set and text `b` of another."""
        self.spec.must_equal(other.spec)
        return float(100 * np.mean(self.values[a] == other.values[b]))


def spec(slots: int = SLOTS) -> Spec:
    """The spec of sketches with so many places."""
    if not 1 <= slots <= 1 << 16:
        raise BadSetting(f"A sketch of {slots} places was asked for, but it must have 1 to 65,536.", "Leave it at 256.")
    return Spec.make("words", VERSION, k=SHINGLE, slots=slots, profile="plain", unicode=UNICODE)


def sign(texts: Sequence[bytes], slots: int = SLOTS) -> Signatures:
    """Sketch texts given as UTF-8."""
    made_by = spec(slots)
    values = np.empty((len(texts), slots), np.uint32)
    done = 0
    for _, offsets, tokens in tokenized(texts):
        here = len(offsets) - 1
        sketch_words(tokens.hashes, tokens.offsets, values[done : done + here])
        done += here
    return Signatures(made_by, values)


def sign_streams(streams: Streams, threads: int, slots: int = SLOTS) -> Signatures:
    """Sketch texts that are word streams already."""
    made_by = spec(slots)
    values = np.empty((len(streams), slots), np.uint32)

    def part(bounds: tuple[int, int]) -> None:
        first, last = bounds
        offsets = streams.offsets[first : last + 1]
        hashes = streams.hashes[streams.words[offsets[0] : offsets[-1]]]
        sketch_words(hashes, offsets - offsets[0], values[first:last])

    cuts = np.searchsorted(streams.offsets, np.arange(0, int(streams.offsets[-1]) + 1, _WORDS_AT_ONCE))
    edges = np.unique(np.concatenate([[0], cuts, [len(streams)]])).tolist()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, itertools.pairwise(edges)))
    return Signatures(made_by, values)
