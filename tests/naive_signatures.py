"""Slow, independent versions of every signature family: whole numbers, strings and loops, no arrays.

bits         naive_simhash, naive_topsig, naive_minhash4: the signature's bytes
windows      naive_mod, naive_min, naive_sketch, naive_bsw: numbers, ascending or by place
words        naive_words_sketch; naive_terms_signature and naive_fingerprint: bytes, and whether to rely on them
letters      naive_letters: counts, and whether to rely on them; naive_projection: vectors; naive_tau
statistics   naive_frequencies, naive_eligible, naive_idf, naive_spearman
sets         naive_grams, naive_windows, naive_word_shingles with naive_resemblance and naive_containment: the truth
             that signatures estimate; naive_angle: between counts of n-grams

They are written from `docs/reference/signatures.md` and the papers, not from the kernels. A signature is made the way
its definition is read: nothing rolls, nothing is sampled before it is hashed.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import math
import statistics as standard
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

WHOLE = (1 << 64) - 1
G = 0x9E3779B97F4A7C15
K = 0xD6E8FEB86659FD93
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

# --- hashes that families share --------------------------------------------------------------------------


def naive_mix(x: int) -> int:
    """mix(x) of the page."""
    x ^= x >> 32
    x = x * K & WHOLE
    x ^= x >> 32
    x = x * K & WHOLE
    return x ^ x >> 32


def naive_bytes_hash(data: bytes) -> int:
    """bytes_hash(b) of the page."""
    h = len(data)
    for at in range(0, len(data), 8):
        h = (h ^ int.from_bytes(data[at : at + 8], "little")) * G & WHOLE
        h ^= h >> 32
    h = h * K & WHOLE
    return h ^ h >> 32


def naive_word(h: int, j: int) -> int:
    """word(h, j) of the page: the j-th further hash."""
    z = h + j * G & WHOLE
    z ^= z >> 32
    z = z * K & WHOLE
    z ^= z >> 29
    z = z * K & WHOLE
    return z ^ z >> 32


def naive_lane(h: int, j: int) -> int:
    """lane(h, j) of the page: a cheaper j-th further hash."""
    z = h + j * G & WHOLE
    z ^= z >> 32
    z = z * K & WHOLE
    return z ^ z >> 32


def naive_extended(algorithm: str, data: bytes, size: int) -> bytes:
    """So many bytes of a digest, which is appended to by hashing it together with 1, 2, 3 …"""
    digest = hashlib.new(algorithm, data).digest()
    whole, counter = digest, 0
    while len(whole) < size:
        counter += 1
        whole += hashlib.new(algorithm, digest + counter.to_bytes(4, "big")).digest()
    return whole[:size]


# --- features --------------------------------------------------------------------------------------------


def naive_pieces(text: str) -> list[str]:
    """A text cut where no word goes on: pieces come again, and their words are found once."""
    from naive import UNCUT

    return UNCUT.findall(text)


@functools.cache
def _piece_words(piece: str) -> tuple[str, ...]:
    from naive import naive_words

    return tuple(word for word, _, _ in naive_words(piece))


@functools.cache
def _piece_numbers(piece: str) -> int:
    """How many words of a piece are numbers: all that they were written with folds to digits and the like only."""
    from naive import naive_fold_point, naive_words

    written = [piece[start:end] for _, start, end in naive_words(piece)]
    folded = ["".join(map(naive_fold_point, each)) for each in written]
    return sum(all(unicodedata.category(char)[0] == "N" for char in each) for each in folded)


def naive_tokens(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return [word for piece in naive_pieces(text) for word in _piece_words(piece)]


def naive_profile(text: str, profile: str) -> str:
    """A text under a profile."""
    return {"verbatim": lambda: text, "plain": lambda: " ".join(naive_tokens(text))}[profile]()


def naive_grams(text: str, ngram: int, profile: str = "verbatim") -> Counter[str]:
    """Character n-grams, and how often each occurs."""
    text = naive_profile(text, profile)
    if not text:
        return Counter()
    return Counter(text[i : i + ngram] for i in range(max(1, len(text) - ngram + 1)))


def naive_windows(text: str, window: int) -> list[bytes]:
    """Byte windows in order."""
    data = text.encode("utf-8", "surrogatepass")
    if not data:
        return []
    return [data[i : i + window] for i in range(max(1, len(data) - window + 1))]


def naive_word_shingles(text: str) -> list[tuple[str, ...]]:
    """Runs of three words in order; one or two words are one run."""
    words = naive_tokens(text)
    if not words:
        return []
    return [tuple(words[i : i + 3]) for i in range(max(1, len(words) - 2))]


def naive_resemblance(a: Collection[object], b: Collection[object]) -> float:
    """Shared features over features of either, 0 to 1."""
    left, right = set(a), set(b)
    return len(left & right) / len(left | right)


def naive_containment(a: Collection[object], b: Collection[object]) -> float:
    """Shared features over features of a, 0 to 1."""
    left, right = set(a), set(b)
    return len(left & right) / len(left)


def naive_angle(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """The angle between two vectors of n-grams, in radians."""
    product = sum(a[gram] * b[gram] for gram in a.keys() & b.keys())
    lengths = math.sqrt(sum(x * x for x in a.values())) * math.sqrt(sum(x * x for x in b.values()))
    return math.acos(max(-1.0, min(1.0, product / lengths)))


# --- statistics ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveStatistics:
    """Frequencies of a collection's words and n-grams: entry → (documents, occurrences)."""

    documents: int
    words: dict[str, tuple[int, int]]
    grams: dict[str, tuple[int, int]]
    words_total: int
    grams_total: int
    ngram: int
    profile: str


def naive_frequencies(texts: Sequence[str], ngram: int = 4, profile: str = "verbatim") -> NaiveStatistics:
    """Document and collection frequencies of words and of n-grams."""
    words = _counted([Counter(naive_tokens(text)) for text in texts])
    grams = _counted([naive_grams(text, ngram, profile) for text in texts])
    totals = (sum(often for _, often in entries.values()) for entries in (words, grams))
    return NaiveStatistics(len(texts), words, grams, *totals, ngram, profile)


def _counted(counts: Sequence[Counter[str]]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for each in counts:
        for entry, times in each.items():
            documents, often = found.get(entry, (0, 0))
            found[entry] = (documents + 1, often + times)
    return dict(sorted(found.items()))


def naive_letters_only(word: str, shortest: int = 3) -> bool:
    """Whether a word is letters only, with marks on them, and has at least so many letters."""
    categories = [unicodedata.category(char)[0] for char in word]
    return set(categories) <= {"L", "M"} and categories.count("L") >= shortest


def naive_eligible(statistics: NaiveStatistics) -> dict[str, int]:
    """The eligible words and their ids."""
    chosen = [
        (documents, word)
        for word, (documents, often) in statistics.words.items()
        if naive_letters_only(word) and often >= 5
    ]
    return {word: number for number, (_, word) in enumerate(sorted(chosen))}


def naive_idf(documents: int, frequency: int) -> float:
    """Normalised idf (Conrad 2003, formula 1)."""
    return math.log((documents + 0.5) / frequency) / math.log(documents + 1.0)


def naive_spearman(a: Sequence[float], b: Sequence[float]) -> float:
    """Spearman's rank correlation with ties (Conrad 2003, formula 2) of two lists of values for the same things."""
    n = len(a)
    ranks_a, ranks_b = _ranks(a), _ranks(b)
    cube = n**3 - n
    ties_a = sum(f**3 - f for f in Counter(a).values())
    ties_b = sum(g**3 - g for g in Counter(b).values())
    apart = sum((x - y) ** 2 for x, y in zip(ranks_a, ranks_b, strict=True))
    upper = 1 - 6 / cube * (apart + ties_a / 12 + ties_b / 12)
    return upper / (math.sqrt(1 - ties_a / cube) * math.sqrt(1 - ties_b / cube))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of their ranks."""
    return [sum(other < v for other in values) + (sum(other == v for other in values) + 1) / 2 for v in values]


# --- simhash, topsig, minhash4 ---------------------------------------------------------------------------


def naive_weights(counts: Counter[str], statistics: NaiveStatistics, negative: str = "keep") -> dict[str, int]:
    """What each distinct n-gram of a text counts, by statistics."""
    length = sum(counts.values())
    weights = {}
    for gram, often in counts.items():
        collection = statistics.grams[gram][1] if gram in statistics.grams else often
        weight = math.floor(65536 * math.log(often * statistics.grams_total / (length * collection)) + 0.5)
        weights[gram] = max(weight, 0) if negative == "drop" else weight
    return weights


def _weighted(
    text: str, ngram: int, profile: str, statistics: NaiveStatistics | None, negative: str
) -> Mapping[str, int]:
    """The n-grams of a text and what each counts: its occurrences, or its weight."""
    if statistics is None:
        return naive_grams(text, ngram, profile)
    return naive_weights(naive_grams(text, statistics.ngram, statistics.profile), statistics, negative)


def _signed(sums: Sequence[int]) -> bytes:
    """Bit i is 1 where sum i is above 0; bit i is bit i mod 8 of byte i div 8."""
    signature = bytearray(len(sums) // 8)
    for i, each in enumerate(sums):
        if each > 0:
            signature[i // 8] |= 1 << i % 8
    return bytes(signature)


def naive_gram_bits(gram: str, bits: int, hash: str) -> int:
    """The bits of an n-gram for simhash; bit i of the number is bit i."""
    data = gram.encode("utf-8", "surrogatepass")
    if hash == "fast":
        h = naive_bytes_hash(data)
        words = [h] + [naive_lane(h, j) for j in range(1, bits // 64)]
        return sum(word << 64 * j for j, word in enumerate(words)) & (1 << bits) - 1
    if hash == "shake256":
        return int.from_bytes(hashlib.shake_256(data).digest(bits // 8), "little")
    return int.from_bytes(naive_extended(hash, data, bits // 8), "little")


def naive_simhash(
    text: str,
    bits: int = 64,
    ngram: int = 4,
    hash: str = "fast",
    profile: str = "verbatim",
    statistics: NaiveStatistics | None = None,
) -> bytes:
    """simhash (Roegiest 2019)."""
    sums = [0] * bits
    for gram, weight in _weighted(text, ngram, profile, statistics, "keep").items():
        has = naive_gram_bits(gram, bits, hash)
        for i in range(bits):
            sums[i] += weight if has >> i & 1 else -weight
    return _signed(sums)


def naive_density(bits: int, density: float | None) -> tuple[int, int]:
    """(a', k): the density of topsig's vectors is a' / 2^k."""
    a = max(1, round(256 * (1 / math.sqrt(bits) if density is None else density)))
    k = 8
    while a % 2 == 0:
        a, k = a // 2, k - 1
    return a, k


def naive_ternary(gram: str, bits: int, seed: int, density: float | None) -> list[int]:
    """The vector of an n-gram for topsig."""
    a, k = naive_density(bits, density)
    h = naive_bytes_hash(gram.encode("utf-8", "surrogatepass")) + naive_mix(seed & WHOLE) & WHOLE
    drawn = (naive_word(h, j) for j in range(1 << 30))
    vector: list[int] = []
    while len(vector) < bits:
        numbers = [next(drawn) for _ in range(k)]
        signs = next(drawn)
        mask = WHOLE
        for place, number in enumerate(numbers):
            if place == 0:
                mask = number
            elif a >> place & 1:
                mask |= number
            else:
                mask &= number
        vector += [(1 if signs >> i & 1 else -1) if mask >> i & 1 else 0 for i in range(64)]
    return vector[:bits]


def naive_topsig(
    text: str,
    bits: int = 64,
    ngram: int = 4,
    seed: int = 1,
    density: float | None = None,
    profile: str = "verbatim",
    statistics: NaiveStatistics | None = None,
    negative: str = "keep",
) -> bytes:
    """topsig (Geva and De Vries 2011, as in Roegiest 2019)."""
    sums = [0] * bits
    for gram, weight in _weighted(text, ngram, profile, statistics, negative).items():
        for i, entry in enumerate(naive_ternary(gram, bits, seed, density)):
            sums[i] += weight * entry
    return _signed(sums)


def naive_minhash4(text: str, bits: int = 64, ngram: int = 4, profile: str = "verbatim") -> bytes:
    """minhash4 (the simple MinHash of Roegiest 2019)."""
    grams = naive_grams(text, ngram, profile)
    if not grams:
        return bytes(bits // 8)
    joined = ""
    for algorithm in ("md5", "sha1", "sha256", "sha512"):
        strings = []
        for gram in grams:
            digest = naive_extended(algorithm, gram.encode("utf-8", "surrogatepass"), (bits // 4 + 7) // 8)
            strings.append("".join(f"{byte:08b}" for byte in digest)[: bits // 4])
        joined += min(strings)
    return int(joined, 2).to_bytes(bits // 8, "big")


# --- mod, min, sketch, bsw -------------------------------------------------------------------------------


def naive_rabin(window: bytes, polynomial: int) -> int:
    """The window as a polynomial over GF(2), times x^64, modulo x^64 + the given lower coefficients."""
    value = int.from_bytes(window, "big") << 64
    divisor = 1 << 64 | polynomial
    while (high := value.bit_length()) > 64:
        value ^= divisor << high - 65
    return value


def naive_rolling(window: bytes) -> int:
    """The fast fingerprint of a window: a polynomial in G, mixed."""
    value = 0
    for byte in window:
        value = value * G + byte + 1 & WHOLE
    return naive_mix(value)


@functools.lru_cache(maxsize=64)
def naive_fingerprints(text: str, window: int, hash: str, polynomial: int = 0) -> tuple[int, ...]:
    """The fingerprint of every window, in order."""
    known: dict[bytes, int] = {}
    function: Callable[[bytes], int] = naive_rolling
    if hash == "rabin":
        function = functools.partial(naive_rabin, polynomial=polynomial)
    found = []
    for each in naive_windows(text, window):
        if each not in known:
            known[each] = function(each)
        found.append(known[each])
    return tuple(found)


def naive_mod(text: str, window: int = 20, n: int = 100, hash: str = "fast", polynomial: int = 0) -> list[int]:
    """mod (Cherkasova 2009)."""
    return sorted({f for f in naive_fingerprints(text, window, hash, polynomial) if f % n == 0})


def naive_min(text: str, window: int = 20, n: int = 100, hash: str = "fast", polynomial: int = 0) -> list[int]:
    """min (Cherkasova 2009)."""
    return sorted(set(naive_fingerprints(text, window, hash, polynomial)))[:n]


def naive_place(x: int, n: int) -> int:
    """The place, of n, that a 64-bit number picks."""
    return (x >> 32) * n >> 32


@functools.lru_cache(maxsize=4096)
def _drawn(place: int, n: int) -> list[int]:
    return [naive_place(naive_word(place, j), n) for j in range(1, 65)]


def naive_lenders(place: int, n: int) -> Iterator[int]:
    """The places that an empty place of a sketch asks, in order."""
    yield from _drawn(place, n)
    for further in range(1, n):
        yield (place + further) % n


def naive_places(
    hashes: Collection[int], n: int, lenders: Callable[[int, int], Iterator[int]] = naive_lenders
) -> list[int]:
    """One-permutation sketch of some hashes; an empty place borrows of the first full one that it asks."""
    if not hashes:
        return [(1 << 32) - 1] * n
    full: dict[int, int] = {}
    for f in hashes:
        place, value = naive_place(f, n), f & (1 << 32) - 1
        full[place] = min(full.get(place, value), value)
    return [full[p] if p in full else next(full[q] for q in lenders(p, n) if q in full) for p in range(n)]


def naive_sketch(
    text: str, window: int = 20, n: int = 100, hash: str = "fast", form: str = "one-permutation", polynomial: int = 0
) -> list[int]:
    """sketch (Cherkasova 2009, n-hash; Li, Owen and Zhang 2012 and Shrivastava 2017, one-permutation)."""
    hashes = set(naive_fingerprints(text, window, hash, polynomial))
    if form == "one-permutation" or not hashes:
        return naive_places(hashes, n)
    values = {naive_mix(f) >> 32 for f in hashes}
    low = (1 << 32) - 1
    factors = [(naive_word(1, i) & low, (naive_word(2, i) | 1) & low) for i in range(n)]
    return [min((v ^ a) * b & low for v in values) for a, b in factors]


def naive_bsw(
    text: str, window: int = 20, n: int = 100, hash: str = "fast", chunks: str = "smallest", polynomial: int = 0
) -> list[int]:
    """bsw (Cherkasova 2009); a last chunk without any window of its own is none."""
    data = text.encode("utf-8", "surrogatepass")
    found: set[int] = set()
    start, inside = 0, []
    fingerprints = naive_fingerprints(text, window, hash, polynomial)
    for at, f in enumerate(fingerprints):
        inside.append(f)
        last = at == len(fingerprints) - 1
        if f % n == 0 or last:
            end = len(data) if last else at + window
            found.add(min(inside) if chunks == "smallest" else naive_bytes_hash(data[start:end]))
            start, inside = end, []
    return sorted(found)


# --- terms, fingerprint ----------------------------------------------------------------------------------


def naive_terms_signature(
    text: str, statistics: NaiveStatistics, terms: int | None = None, unit: str = "document", days: int = 0
) -> tuple[bytes, bool]:
    """terms (Conrad 2003, 2007), and whether it is reliable."""
    from naive import naive_hash

    size = terms if terms is not None else {"document": 60, "clause": 30}[unit]
    words = naive_tokens(text)
    ids = naive_eligible(statistics)
    eligible = sorted({ids[word] for word in words if word in ids})
    entries = eligible[:size]
    for word in words:
        entry = min((1 << 23) + (naive_hash(word) & (1 << 23) - 1), (1 << 24) - 2)
        if word not in ids and entry not in entries and len(entries) < size:
            entries.append(entry)
    entries += [(1 << 24) - 1] * (size - len(entries))
    stored = min(len(words), 65535).to_bytes(2, "little") + days.to_bytes(2, "little")
    stored += b"".join(entry.to_bytes(3, "little") for entry in entries)
    numbers = sum(_piece_numbers(piece) for piece in naive_pieces(text))
    reliable = len(eligible) >= {"document": 20, "clause": 10}[unit] and numbers <= len(words) - numbers
    return stored, reliable


def naive_fingerprint(
    text: str, statistics: NaiveStatistics, terms: int = 6, bin: int = 0, rarest: float = 0.8
) -> tuple[bytes, bool]:
    """fingerprint (Conrad 2003), and whether it is reliable."""
    words = naive_tokens(text)
    ids = naive_eligible(statistics)
    common = [
        word
        for word in set(words)
        if word in ids and naive_idf(statistics.documents, statistics.words[word][0]) <= rarest
    ]
    chosen = sorted(common, key=lambda word: ids[word])[:terms]
    positions = {word: words.index(word) for word in chosen}
    parts = []
    for word in chosen:
        offset = positions[word] - min(positions.values())
        if bin:
            offset = math.ceil(offset / bin) * bin
        parts.append(f"{word}[{offset}]")
    key = hashlib.sha1(" ".join(parts).encode()).digest()
    return key + len(words).to_bytes(4, "little"), len(chosen) == terms


# --- letters ---------------------------------------------------------------------------------------------


def naive_letters(text: str, alphabet: str = "latin") -> tuple[list[int], bool]:
    """letters (Stroz Friedberg), and whether the counts are reliable."""
    counts = [0] * (62 if alphabet == "latin" else 256)
    every = 0
    for char in text:
        if unicodedata.category(char)[0] not in "LN":
            continue
        every += 1
        if char in LETTERS:
            counts[LETTERS.index(char)] += 1
        elif alphabet == "extended":
            counts[62 + naive_mix(ord(char)) % 194] += 1
    return counts, sum(counts) > 0 and 2 * sum(counts) >= every


def naive_projection(dimension: int, m: int = 8, seed: int = 1, kind: str = "rademacher") -> list[list[float]]:
    """The vectors that counts are projected on, the first with k = 0."""

    def entry(number: int) -> float:
        x = naive_word(naive_mix(seed & WHOLE), number)
        if kind == "rademacher":
            return 1.0 if x >> 63 else -1.0
        normal = standard.NormalDist().inv_cdf(((x >> 12) + 0.5) / 2**52)
        return round(normal * 2**30) / 2**30

    return [[entry(k * dimension + i) / math.sqrt(dimension) for i in range(dimension)] for k in range(m)]


def naive_tau(m: int = 10, delta: float = 0.1) -> float:
    """The factor τ0 of the range search, with both constants 1."""
    inside = math.log(2 * m / delta)
    return inside + math.sqrt(inside)


# --- words -----------------------------------------------------------------------------------------------


def naive_shingle_hash(first: int, second: int, third: int) -> int:
    """The hash of three words, from theirs."""

    def turned(x: int, by: int) -> int:
        return (x << by | x >> 64 - by) & WHOLE

    value = (first + 3 * turned(second, 21) + 5 * turned(third, 42)) * G & WHOLE
    value = (value ^ value >> 32) * K & WHOLE
    return value ^ value >> 32


def naive_words_sketch(text: str, slots: int = 256) -> list[int]:
    """words: the sketch of the shingles of three words."""
    from naive import naive_hash

    def hashed(shingle: Sequence[str]) -> int:
        words = [0, 0, *(naive_hash(word) for word in shingle)]
        return naive_shingle_hash(*words[-3:])

    def lenders(place: int, n: int) -> Iterator[int]:
        return (naive_mix(place * G + j & WHOLE) % n for j in itertools.count(1))

    return naive_places({hashed(shingle) for shingle in naive_word_shingles(text)}, slots, lenders)
