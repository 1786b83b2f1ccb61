"""truecopy from files to candidate pairs, by the product's own functions, for someone who needs no store.

The stages are those of a scan: discover and read (with the SHA-256 of every file), words, numbers in order of
rarity, bags, candidates. Left out is what only the matter needs: MD5 and SHA-1, compressing the texts, paragraph
breaks, digests of words. Equal texts are not collapsed here, so every pair of copies is a candidate too.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from truth import Codes, as_codes

from truecopy.index.choose import choose_generator
from truecopy.model import Reading
from truecopy.read import ReadSettings, discover, read_then
from truecopy.text.batches import NumberedTexts, is_utf8, number_texts
from truecopy.text.streams import Bags, Streams, frequencies, make_bags, renumber
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Words:
    """Texts as the index takes them."""

    paths: list[str]
    """Of each text, absolute."""
    streams: Streams
    bags: Bags
    seconds: dict[str, float]
    """Spent on each stage."""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidate pairs of texts, and what found them."""

    paths: list[str]
    a: Array
    b: Array
    generator: str
    recall: float
    """As the generator states it."""
    seconds: dict[str, float]
    """Spent on each stage."""

    def codes(self, files: Sequence[Path]) -> Codes:
        """The pairs as numbers over `files`, whatever order they were read in."""
        places = {str(file.absolute()): place for place, file in enumerate(files)}
        order = np.array([places[path] for path in self.paths], np.int64)
        return np.unique(as_codes(order[self.a], order[self.b], len(files)))


def find_candidates(given: Sequence[Path], threshold: float, recall: float | None, threads: int) -> Found:
    """Everything from files on disk to candidate pairs; recall 1 is the exact join, less is bands."""
    words = read_words(given, threads)
    start = time.perf_counter()
    generator = choose_generator(words.streams, words.bags, threshold, recall)
    a, b = generator.pairs(np.ones(len(words.streams), np.bool_), threads, None)
    seconds = words.seconds | {"candidates": time.perf_counter() - start}
    return Found(words.paths, a, b, str(generator), generator.recall, seconds)


def read_words(given: Sequence[Path], threads: int) -> Words:
    """Files to streams and bags of words."""
    start = time.perf_counter()
    settings = ReadSettings(threads=threads, every_digest=False)
    vocabulary = Vocabulary()
    paths: list[str] = []
    numbers: list[Array] = []
    lengths: list[Array] = []
    for readings, texts in read_then(discover(given, settings), settings, _number, is_utf8=is_utf8):
        paths += [f"{reading.root}/{reading.path}" for reading in readings]
        numbers.append(vocabulary.absorb(texts.vocabulary)[texts.words])
        lengths.append(np.diff(texts.offsets))
    numbered = time.perf_counter()
    words = np.concatenate(numbers)
    word_offsets = np.zeros(len(paths) + 1, np.int64)
    np.cumsum(np.concatenate(lengths), out=word_offsets[1:])
    often = frequencies(words, word_offsets, len(vocabulary), threads)
    ranked = np.lexsort((vocabulary.hashes, -often))  # the most common first
    order = np.empty(len(vocabulary), np.uint32)
    order[ranked] = np.arange(len(vocabulary), dtype=np.uint32)
    renumber(words, order, threads)
    streams = Streams(words, word_offsets, vocabulary.hashes[ranked])
    made = make_bags(words, word_offsets, len(vocabulary), threads)
    seconds = {"read and words": numbered - start, "order and bags": time.perf_counter() - numbered}
    return Words(paths, streams, made, seconds)


_Batch = tuple[list[Reading], NumberedTexts]


def _number(readings: list[Reading]) -> _Batch:
    """Words of a batch, in the thread that has read it."""
    return readings, number_texts([reading.text for reading in readings], with_breaks=False, with_digests=False)
