"""Other people's libraries, used as their documentation suggests: from files to candidate pairs, and signatures.

gaoya        MinHash LSH in Rust: 32 bands of 4, its own 3-word shingles, its own parallel bulk calls;
             its filter by estimated resemblance is off (0), so that recall is that of its bands
rensa        0.5's full-token pipeline: shingles made in Python, R-MinHash of 128 permutations, 32 bands
datasketch   MinHash with 128 permutations, MinHashLSH at threshold 0.8, shingles made in Python
simhash      the package of that name: 4-grams made in Python, MD5, votes counted with NumPy

All of them look for pairs of 80 % word-level similarity, so 3-word shingles over lower-cased words.

Signatures of other kinds: minhashes of 100 permutations over 20-character windows (`WINDOW_SIGNATURES`), and
simhashes of 64 and 1024 bits over 4-grams (`SIMHASHES`). gaoya gives no signatures away: it is timed putting the
texts, one after the other, into an index.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from truth import Codes, as_codes

PERMUTATIONS = 128
BANDS = 32
SEED = 42
WINDOW = 20
WINDOW_PERMUTATIONS = 100
_WORD = re.compile(r"\w+")

Neighbors = Sequence[Sequence[int]]
"""For each text, the texts that its query gave (itself among them)."""
Signer = Callable[[Sequence[str]], Any]
"""Texts to whatever the peer calls a signature."""


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


def gaoya_word_signatures(texts: Sequence[str]) -> int:
    """Minhashes of 3-word shingles, in an index."""
    return _gaoya_minhashes(texts, "word", 3, BANDS, PERMUTATIONS // BANDS)


# --- signatures of windows and of 4-grams --------------------------------------------------------------


def windows(text: str) -> list[str]:
    """Sliding windows of 20 characters."""
    return [text[i : i + WINDOW] for i in range(max(len(text) - WINDOW + 1, 1))]


def rensa_window_signatures(texts: Sequence[str]) -> Any:
    """R-MinHash of each text's windows, as rensa's matrix of digests."""
    from rensa import RMinHash

    return RMinHash.digest_matrix_from_token_sets([windows(text) for text in texts], WINDOW_PERMUTATIONS, SEED)


def datasketch_window_signatures(texts: Sequence[str]) -> list[Any]:
    """MinHash of each text's windows, by datasketch's batch call."""
    from datasketch import MinHash

    sets = ([window.encode() for window in set(windows(text))] for text in texts)
    return list(MinHash.generator(sets, num_perm=WINDOW_PERMUTATIONS))


def gaoya_window_signatures(texts: Sequence[str]) -> int:
    """Minhashes of the windows that gaoya makes itself, in an index."""
    return _gaoya_minhashes(texts, "char", WINDOW, WINDOW_PERMUTATIONS // 5, 5)


def _gaoya_minhashes(texts: Sequence[str], analyzer: str, length: int, bands: int, band: int) -> int:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=0.0,
        num_bands=bands,
        band_size=band,
        num_hashes=bands * band,
        analyzer=analyzer,
        lowercase=analyzer == "word",
        ngram_range=(length, length),
        id_container="vec",
    )
    for number, text in enumerate(texts):
        index.insert_document(number, text)
    held: int = index.size()
    return held


def gaoya_simhashes(texts: Sequence[str]) -> int:
    """Simhashes of 64 bits over the 4-grams that gaoya makes itself, in an index."""
    from gaoya.simhash import SimHashStringIndex

    index = SimHashStringIndex(64, 6, 5, "char", False, (4, 4))
    for number, text in enumerate(texts):
        index.insert_document(number, text)
    return len(texts)


def simhash_simhashes(texts: Sequence[str], bits: int = 64) -> list[int]:
    """Simhashes by the package simhash: its MD5 up to 128 bits, SHAKE256 beyond.

    Every occurrence is a feature: with counted ones (a dict), release 2.1.2 overflows under NumPy 2 at a count of 256.
    """
    from simhash import Simhash

    more = {} if bits <= 128 else {"hashfunc": lambda data: hashlib.shake_256(data).digest(bits // 8)}
    grams = ([text[i : i + 4] for i in range(max(len(text) - 3, 1))] for text in texts)
    return [Simhash(features, f=bits, **more).value for features in grams]


PAIRS: dict[str, Callable[[Sequence[Path]], Neighbors]] = {
    "gaoya": gaoya_pairs,
    "rensa": rensa_pairs,
    "datasketch": datasketch_pairs,
}
SIGNATURES: dict[str, Callable[[Sequence[str]], list[Any]]] = {
    "rensa": rensa_signatures,
    "datasketch": datasketch_signatures,
}
WORD_SIGNATURES: dict[str, Signer] = {**SIGNATURES, "gaoya": gaoya_word_signatures}
WINDOW_SIGNATURES: dict[str, Signer] = {
    "rensa": rensa_window_signatures,
    "datasketch": datasketch_window_signatures,
    "gaoya": gaoya_window_signatures,
}
SIMHASHES: dict[int, dict[str, Signer]] = {
    64: {"simhash": simhash_simhashes, "gaoya": gaoya_simhashes},
    1024: {"simhash": partial(simhash_simhashes, bits=1024)},
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
