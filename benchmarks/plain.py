"""The papers' methods in plain Python: what a reasonable programmer would write after reading the paper.

hashlib, dict, Counter, sets and lists, no arrays and no compiled code: the yardstick for "times plain Python".
Where a method can be had for less work than the paper describes (equal n-grams hashed once, one hash function in
place of a hundred), a second version does that, under `frugal_…`.

Roegiest 2019     simhash, topsig, weighted_topsig, minhash4
Cherkasova 2009   mod, smallest (Min_n), sketch, bsw, with Rabin fingerprints that roll
Conrad 2003       terms, fingerprint
Stroz Friedberg   letters
Li 2012           shingle_sketch, one-permutation sketches of word shingles
"""

from __future__ import annotations

import hashlib
import heapq
import math
import random
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

MASK = (1 << 64) - 1
POLYNOMIAL = 0x1B
"""x⁶⁴ + x⁴ + x³ + x + 1 is irreducible; any other one is as fast."""
_LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits
_WORD = re.compile(r"[^\W_]+")

Digest = Callable[[bytes, int], bytes]
"""The first so many bytes of a hash."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Statistics of a collection, as dicts."""

    documents: int
    word_documents: Mapping[str, int]
    """In how many documents each word is that Conrad's filter leaves: letters only, three or more, five times seen."""
    grams: Mapping[str, int]
    """How often each n-gram occurs."""
    total: int
    """Occurrences of all n-grams."""


def ngrams(text: str, n: int = 4) -> list[str]:
    """Sliding windows of n characters; a shorter text is one window, itself."""
    return [text[i : i + n] for i in range(max(len(text) - n + 1, min(len(text), 1)))]


def words(text: str) -> list[str]:
    """Words of the folded text."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


# --- Roegiest 2019 -----------------------------------------------------------------------------------------


def shake256(data: bytes, size: int) -> bytes:
    """SHA-3's function for as many bytes as needed."""
    return hashlib.shake_256(data).digest(size)


def extended(name: str, data: bytes, size: int) -> bytes:
    """A digest, made longer by digests of (it, 1), (it, 2) … where it is too short."""
    first = hashlib.new(name, data, usedforsecurity=False).digest()
    out, counter = first, 0
    while len(out) < size:
        counter += 1
        out += hashlib.new(name, first + counter.to_bytes(4, "big"), usedforsecurity=False).digest()
    return out[:size]


def sha512(data: bytes, size: int) -> bytes:
    """SHA-512, extended where it is too short."""
    return hashlib.sha512(data).digest()[:size] if size <= 64 else extended("sha512", data, size)


def simhash(text: str, bits: int = 64, digest: Digest = shake256) -> int:
    """Each occurrence of an n-gram votes with each bit of its hash."""
    votes = [0] * bits
    for gram in ngrams(text):
        value = int.from_bytes(digest(gram.encode(), bits // 8), "little")
        for place in range(bits):
            votes[place] += 1 if value >> place & 1 else -1
    return _positive(votes)


def frugal_simhash(text: str, bits: int = 64, digest: Digest = shake256) -> int:
    """The same, equal n-grams counted first and hashed once."""
    votes = [0] * bits
    for gram, times in Counter(ngrams(text)).items():
        value = int.from_bytes(digest(gram.encode(), bits // 8), "little")
        for place in range(bits):
            votes[place] += times if value >> place & 1 else -times
    return _positive(votes)


def _ternary(gram: str, bits: int) -> list[int]:
    """Entries of −1, 0 and +1, of which one in √bits is not 0."""
    dice, density = random.Random(gram), 1 / math.sqrt(bits)
    return [dice.choice((-1, 1)) if dice.random() < density else 0 for _ in range(bits)]


class Vectors(dict[str, list[int]]):
    """A random vector for each n-gram, drawn when it is first asked for and kept, as the paper does."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits

    def __missing__(self, gram: str) -> list[int]:
        self[gram] = _ternary(gram, self.bits)
        return self[gram]


class SparseVectors(dict[str, list[tuple[int, int]]]):
    """The same, only the places that are not 0."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        self.bits = bits

    def __missing__(self, gram: str) -> list[tuple[int, int]]:
        self[gram] = [(place, entry) for place, entry in enumerate(_ternary(gram, self.bits)) if entry]
        return self[gram]


def topsig(text: str, vectors: Vectors) -> int:
    """The sum of the vectors of all occurrences."""
    sums = [0] * vectors.bits
    for gram in ngrams(text):
        sums = [total + entry for total, entry in zip(sums, vectors[gram], strict=True)]
    return _positive(sums)


def frugal_topsig(text: str, vectors: SparseVectors) -> int:
    """The same, equal n-grams counted first, and zeros skipped."""
    sums = [0] * vectors.bits
    for gram, times in Counter(ngrams(text)).items():
        for place, entry in vectors[gram]:
            sums[place] += times * entry
    return _positive(sums)


def weighted_topsig(text: str, vectors: Vectors, tables: Tables) -> int:
    """The sum of the vectors of the distinct n-grams, each times its weight."""
    sums = [0.0] * vectors.bits
    grams = ngrams(text)
    for gram, times in Counter(grams).items():
        weight = _weight(gram, times, len(grams), tables)
        sums = [total + weight * entry for total, entry in zip(sums, vectors[gram], strict=True)]
    return _positive(sums)


def frugal_weighted_topsig(text: str, vectors: SparseVectors, tables: Tables) -> int:
    """The same, zeros skipped."""
    sums = [0.0] * vectors.bits
    grams = ngrams(text)
    for gram, times in Counter(grams).items():
        weight = _weight(gram, times, len(grams), tables)
        for place, entry in vectors[gram]:
            sums[place] += weight * entry
    return _positive(sums)


def _weight(gram: str, times: int, length: int, tables: Tables) -> float:
    return math.log((times / length) / (tables.grams.get(gram, times) / tables.total))


def _positive(sums: list[int] | list[float]) -> int:
    return sum(1 << place for place, total in enumerate(sums) if total > 0)


def minhash4(text: str, bits: int = 64) -> int:
    """The smallest of each of four digests, cut to a quarter of the bits, over every n-gram."""
    return _four_smallest([gram.encode() for gram in ngrams(text)], bits)


def frugal_minhash4(text: str, bits: int = 64) -> int:
    """The same, equal n-grams taken once."""
    return _four_smallest([gram.encode() for gram in set(ngrams(text))], bits)


def _four_smallest(grams: list[bytes], bits: int) -> int:
    quarter = bits // 4
    size = (quarter + 7) // 8
    out = 0
    for name in ("md5", "sha1", "sha256", "sha512"):
        digest = getattr(hashlib, name)
        if size <= digest().digest_size:
            smallest = min(digest(gram).digest()[:size] for gram in grams)
        else:
            smallest = min(extended(name, gram, size) for gram in grams)
        out = out << quarter | int.from_bytes(smallest, "big") >> 8 * size - quarter
    return out


# --- Cherkasova 2009 ---------------------------------------------------------------------------------------


@cache
def _rabin_tables(window: int, polynomial: int) -> tuple[list[int], list[int]]:
    """For each byte: its share 64 bits up, and its share when the window has left it behind."""

    def times_x(value: int, bits: int) -> int:
        for _ in range(bits):
            value = value << 1 & MASK ^ (polynomial if value >> 63 else 0)
        return value

    push = [times_x(byte, 64) for byte in range(256)]
    return push, [times_x(entry, 8 * window) for entry in push]


def rabin(data: bytes, window: int = 20, polynomial: int = POLYNOMIAL) -> list[int]:
    """The Rabin fingerprint of every window, each from the one before it."""
    push, leave = _rabin_tables(window, polynomial)
    value, out = 0, []
    for place, byte in enumerate(data):
        value = value << 8 & MASK ^ push[value >> 56 ^ byte]
        if place >= window:
            value ^= leave[data[place - window]]
        if place >= window - 1:
            out.append(value)
    return out or [value]


def mod(text: str, n: int = 100, window: int = 20, polynomial: int = POLYNOMIAL) -> list[int]:
    """The fingerprints that n divides."""
    return sorted({value for value in rabin(text.encode(), window, polynomial) if value % n == 0})


def smallest(text: str, n: int = 100, window: int = 20, polynomial: int = POLYNOMIAL) -> list[int]:
    """The n smallest fingerprints: the paper's Min_n."""
    return heapq.nsmallest(n, set(rabin(text.encode(), window, polynomial)))


def bsw(text: str, n: int = 100, window: int = 20, polynomial: int = POLYNOMIAL) -> list[int]:
    """The smallest fingerprint of each chunk; a chunk ends with a fingerprint that n divides."""
    found: set[int] = set()
    least = None
    for value in rabin(text.encode(), window, polynomial):
        if least is None or value < least:
            least = value
        if value % n == 0:
            found.add(least)
            least = None
    if least is not None:
        found.add(least)
    return sorted(found)


def sketch(text: str, n: int = 100, window: int = 20) -> list[int]:
    """The smallest value of each of n hash functions."""
    fingerprints = set(rabin(text.encode(), window))
    dice = random.Random(n)
    functions = [(dice.getrandbits(64), dice.getrandbits(64) | 1) for _ in range(n)]
    return [min((value ^ add) * times & MASK for value in fingerprints) for add, times in functions]


def frugal_sketch(text: str, n: int = 100, window: int = 20) -> list[int]:
    """One hash function picks a place for each window, and a place keeps the smallest; empty places borrow."""
    return _one_permutation((value * 0x9E3779B97F4A7C15 & MASK for value in rabin(text.encode(), window)), n)


def _one_permutation(hashes: Iterable[int], n: int) -> list[int]:
    places: dict[int, int] = {}
    for value in hashes:
        place, rest = (value >> 32) * n >> 32, value & 0xFFFFFFFF
        if rest < places.get(place, 1 << 32):
            places[place] = rest
    return [_borrowed(place, places, n) for place in range(n)]


def _borrowed(place: int, places: Mapping[int, int], n: int) -> int:
    dice = random.Random(place)
    while places and place not in places:
        place = dice.randrange(n)
    return places.get(place, 0xFFFFFFFF)


def shingle_sketch(text: str, n: int = 256) -> list[int]:
    """The same over shingles of three words."""
    found = words(text)
    shingles = (" ".join(found[i : i + 3]) for i in range(len(found) - 2))
    return _one_permutation(
        (int.from_bytes(hashlib.blake2b(shingle.encode(), digest_size=8).digest(), "little") for shingle in shingles),
        n,
    )


# --- Conrad 2003 -------------------------------------------------------------------------------------------


def terms(text: str, tables: Tables, wanted: int = 60) -> tuple[int, list[str]]:
    """The length, and the rarest words; a short text is filled up with its other words, as they come."""
    found = words(text)
    known = _rarest(found, tables.word_documents)[:wanted]
    if len(known) < wanted:
        others = (word for word in dict.fromkeys(found) if word not in tables.word_documents)
        known += [word for word, _ in zip(others, range(wanted - len(known)), strict=False)]
    return len(found), known


def _rarest(found: list[str], documents: Mapping[str, int]) -> list[str]:
    return sorted((word for word in set(found) if word in documents), key=lambda word: (documents[word], word))


def fingerprint(text: str, tables: Tables, wanted: int = 6, rarest: float = 0.8) -> bytes:
    """SHA-1 of the six rarest words that are not too rare, with their offsets; and the length."""
    found = words(text)
    highest = math.log(tables.documents + 1)
    least = (tables.documents + 0.5) / math.exp(rarest * highest)
    chosen = [word for word in _rarest(found, tables.word_documents) if tables.word_documents[word] >= least][:wanted]
    places = [found.index(word) for word in chosen]
    first = min(places, default=0)
    joined = " ".join(f"{word}[{place - first}]" for word, place in zip(chosen, places, strict=True))
    return hashlib.sha1(joined.encode(), usedforsecurity=False).digest() + len(found).to_bytes(4, "little")


# --- Stroz Friedberg -------------------------------------------------------------------------------------------


def letters(text: str) -> list[int]:
    """How often each of 62 letters and digits occurs."""
    counts = dict.fromkeys(_LETTERS, 0)
    for character in text:
        if character in counts:
            counts[character] += 1
    return list(counts.values())


def frugal_letters(text: str) -> list[int]:
    """The same, the text searched once for each letter."""
    return [text.count(letter) for letter in _LETTERS]
