"""truecopy from files to candidate pairs, by the product's own functions, for someone who needs no store.

The stages are those of a scan: discover and read (with the three digests of every file), words, numbers in
order of rarity, bags, candidates. Left out is what only the matter needs: compressing the texts, paragraph
breaks, digests of words. Equal texts are not collapsed here, so every pair of copies is a candidate too.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from truth import Codes, as_codes

from truecopy.index.choose import choose_generator
from truecopy.model import Reading
from truecopy.read import ReadSettings, discover, read
from truecopy.text import Tokens, tokenize_buffer
from truecopy.text.streams import Bags, Streams, bags, frequencies
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
    settings = ReadSettings(threads=threads)
    vocabulary = Vocabulary()
    paths: list[str] = []
    numbers: list[Array] = []
    lengths: list[Array] = []
    for readings, data, offsets, tokens in _tokenized(read(discover(given, settings), settings), threads):
        paths += [f"{reading.root}/{reading.path}" for reading in readings]
        numbers.append(vocabulary.number(data, offsets, tokens))
        lengths.append(np.diff(tokens.offsets))
    numbered = time.perf_counter()
    words = np.concatenate(numbers)
    word_offsets = np.zeros(len(paths) + 1, np.int64)
    np.cumsum(np.concatenate(lengths), out=word_offsets[1:])
    _, texts = frequencies(words, word_offsets, len(vocabulary))
    words = vocabulary.set_order(texts)[words]
    sizes, texts = frequencies(words, word_offsets, len(vocabulary))
    streams = Streams(words, word_offsets, vocabulary.hashes)
    made = bags(words, word_offsets, sizes, texts)
    seconds = {"read and words": numbered - start, "order and bags": time.perf_counter() - numbered}
    return Words(paths, streams, made, seconds)


_Batch = tuple[list[Reading], Array, Array, Tokens]


def _tokenized(batches: Iterable[list[Reading]], threads: int) -> Iterator[_Batch]:
    """Words of each batch, found in threads while the next is read, in order."""
    waiting: deque[Future[_Batch]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        for batch in batches:
            waiting.append(pool.submit(_tokenize, batch))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _tokenize(readings: list[Reading]) -> _Batch:
    data = np.frombuffer(bytearray().join([reading.text for reading in readings]), np.uint8)
    offsets = np.zeros(len(readings) + 1, np.int64)
    np.cumsum([len(reading.text) for reading in readings], out=offsets[1:])
    return readings, data, offsets, tokenize_buffer(data, offsets)
