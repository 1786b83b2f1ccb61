"""The words of a few texts as numbers: equal where the folded words are, and only there.

numbered   texts → the word numbers of each, in one numbering
"""

from __future__ import annotations

import functools
import secrets

import numpy as np
import numpy.typing as npt

from truecopy.text.tokens import Tokenizer
from truecopy.text.vocabulary import Vocabulary

Numbers = npt.NDArray[np.uint32]


def numbered(*texts: str) -> list[Numbers]:
    """The word numbers of texts, the same in all of them.

    Numbers are in no order, and other ones in each process: whoever writes the texts cannot choose them, and so cannot
    make a table of them slow.

    >>> first, second = numbered("The Lessee pays", "Lessee, the lessee")
    >>> int(second[0]) == int(first[1]) != int(second[1])
    True
    """
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    tokens = Tokenizer()(np.frombuffer(b"".join(encoded), np.uint8), offsets, spelling=True)
    vocabulary = Vocabulary(room=len(tokens.hashes) // 4)
    numbers = vocabulary.number(tokens)
    shuffled = _dice().permutation(len(vocabulary)).astype(np.uint32)[numbers]
    return [shuffled[begin:end] for begin, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True)]


@functools.lru_cache(maxsize=1)
def _dice() -> np.random.Generator:
    return np.random.default_rng(secrets.randbits(128))
