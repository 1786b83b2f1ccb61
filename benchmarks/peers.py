"""Other people's libraries, used as their documentation suggests, from files to candidate pairs.

gaoya        MinHash LSH in Rust: 32 bands of 4, its own 3-word shingles, its own parallel bulk calls;
             its filter by estimated resemblance is off (0), so that recall is that of its bands
rensa        0.5's full-token pipeline: shingles made in Python, R-MinHash of 128 permutations, 32 bands
datasketch   MinHash with 128 permutations, MinHashLSH at threshold 0.8, shingles made in Python

All of them look for pairs of 80 % word-level similarity, so 3-word shingles over lower-cased words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from truth import Codes, as_codes

PERMUTATIONS = 128
BANDS = 32
SEED = 42
_WORD = re.compile(r"\w+")

Neighbors = Sequence[Sequence[int]]
"""For each text, the texts that its query gave (itself among them)."""


def read_texts(files: Sequence[Path]) -> list[str]:
    """Files as text, the plain way."""
    return [file.read_text(encoding="utf-8", errors="replace") for file in files]


def shingles(text: str) -> list[str]:
    """3-word shingles of a text."""
    words = _WORD.findall(text.lower())
    return [" ".join(three) for three in zip(words, words[1:], words[2:], strict=False)]


def gaoya_pairs(files: Sequence[Path]) -> Neighbors:
    """Read, insert and query with gaoya's bulk calls, which use every core."""
    from gaoya.minhash import MinHashStringIndex

    texts = read_texts(files)
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.0,
        num_bands=BANDS,
        band_size=PERMUTATIONS // BANDS,
        num_hashes=PERMUTATIONS,
        analyzer="word",
        lowercase=True,
        ngram_range=(3, 3),
        id_container="vec",
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    found: Neighbors = index.par_bulk_query(texts)
    return found


def rensa_signatures(texts: Sequence[str]) -> list[Any]:
    """R-MinHash of each text; rensa's batch call uses every core."""
    from rensa import RMinHash

    made: list[Any] = RMinHash.from_token_sets([shingles(text) for text in texts], PERMUTATIONS, SEED)
    return made


def rensa_pairs(files: Sequence[Path]) -> Neighbors:
    """Read, shingle, sign, insert and query with rensa."""
    from rensa import RMinHashLSH

    signatures = rensa_signatures(read_texts(files))
    index = RMinHashLSH(0.5, PERMUTATIONS, BANDS)
    index.insert_many(signatures)
    found: Neighbors = index.query_all(signatures)
    return found


def datasketch_signatures(texts: Sequence[str]) -> list[Any]:
    """MinHash of each text, by the batch call."""
    from datasketch import MinHash

    sets = ([shingle.encode() for shingle in set(shingles(text))] for text in texts)
    return list(MinHash.generator(sets, num_perm=PERMUTATIONS))


def datasketch_pairs(files: Sequence[Path]) -> Neighbors:
    """Read, shingle, sign, insert and query with datasketch."""
    from datasketch import MinHashLSH

    signatures = datasketch_signatures(read_texts(files))
    index = MinHashLSH(threshold=0.8, num_perm=PERMUTATIONS)
    for number, signature in enumerate(signatures):
        index.insert(number, signature)
    return [index.query(signature) for signature in signatures]


PAIRS: dict[str, Callable[[Sequence[Path]], Neighbors]] = {
    "gaoya": gaoya_pairs,
    "rensa": rensa_pairs,
    "datasketch": datasketch_pairs,
}
SIGNATURES: dict[str, Callable[[Sequence[str]], list[Any]]] = {
    "rensa": rensa_signatures,
    "datasketch": datasketch_signatures,
}


def installed(name: str) -> bool:
    """Whether a peer is on this machine; the others are listed as missing."""
    return find_spec(name) is not None


def neighbor_codes(neighbors: Neighbors) -> Codes:
    """The pairs in what the queries gave (not part of any peer's time)."""
    sizes = [len(found) for found in neighbors]
    x = np.repeat(np.arange(len(neighbors)), sizes)
    y = np.fromiter((other for found in neighbors for other in found), np.int64, sum(sizes))
    return np.unique(as_codes(x[x != y], y[x != y], len(neighbors)))
