"""The part: the stretch of a text where a text that it contains was found.

A part is one contiguous region, from its first word to its last. Where the contained text was taken from
several places, the part is the shortest region that holds at least nine tenths of the passages that the two have in
common (phrases that they share by chance are left out): a person who opens it finds what the containment counts, and
a sentence that also occurs a hundred pages away does not stretch it. Where a passage occurs more than once, it is
the occurrence that agrees most, and of equal ones the first. A text that is in the other word for word is always found
where it first is; one that was changed and is a few words repeated, at any place of them.
`truecopy.kernels.part` says how it is found.

part        the word numbers of two texts → the first word of the part, and the one after it
parts       the same for many pairs of texts
in_text     words → code points of the original text
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import BadSetting
from truecopy.kernels.arrays import read_only
from truecopy.match.threads import run
from truecopy.text.streams import Streams
from truecopy.text.tokens import Words

Array = npt.NDArray[Any]


def part(contained: Array, containing: Array) -> tuple[int, int]:
    """Which words of a text another text is in, both as numbers of their words; (0, 0) if they share no word.

    >>> from truecopy.text.numbers import numbered
    >>> lease = "The Lessor lets the premises. The Lessee shall pay the rent monthly. No pets."
    >>> part(*numbered("the lessee shall pay the rent", lease))
    (5, 11)
    """
    numbers = np.concatenate((contained, containing)).astype(np.uint64)
    streams = Streams.from_hashes(numbers, np.array([0, len(contained), len(numbers)], np.int64))
    first, last = parts(streams, np.array([0]), np.array([1]))[0].tolist()
    return first, last


def parts(streams: Streams, contained: Array, containing: Array, threads: int = 1) -> Array:
    """For each pair, the first word of the part of text containing[i] that contained[i] is in, and the word after it.

    `contained` and `containing` are places of texts in the streams.
    """
    from truecopy.kernels.part import find_parts

    words, offsets, keys = read_only(streams.words), read_only(streams.offsets), read_only(streams.keys)
    contained = read_only(np.asarray(contained, np.int64))
    containing = read_only(np.asarray(containing, np.int64))
    asked = np.concatenate((contained, containing))
    if len(asked) and (asked.min() < 0 or asked.max() >= len(streams)):
        raise BadSetting(
            f"A part was asked for in texts {asked.min()} to {asked.max()}, but there are {len(streams)}.",
            "Give places of texts, counted from 0.",
        )
    out = np.empty((len(contained), 2), np.int64)
    lengths = streams.lengths

    def work(low: int, high: int) -> None:
        find_parts(words, offsets, keys, contained[low:high], containing[low:high], out[low:high])

    run(work, lengths[contained] + lengths[containing] + 64, threads)
    return out


def in_text(words: Words, place: tuple[int, int]) -> tuple[int, int]:
    """Where a part begins and ends in the original text that these are the words of, in code points.

    >>> from truecopy.text import words
    >>> text = "Erstens. Die Miete ist fällig. Ende."
    >>> start, end = in_text(words(text), (1, 5))
    >>> text[start:end]
    'Die Miete ist fällig'
    """
    first, last = place
    if first >= last:
        return 0, 0
    return int(words.starts[first]), int(words.ends[last - 1])
