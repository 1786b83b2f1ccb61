"""Slow, independent versions of what the kernels do; the tests hold the kernels to them.

folding   naive_fold: code points of the folded text with their spans
words     naive_words: folded words with their spans; naive_hash: the hash of a word; naive_digest: of a text's words
measures  naive_scores: every measure of two texts; naive_shingles, naive_stem, naive_terms
parts     naive_first_place: where a text is in another one, word for word
brute     naive_similar, naive_containing: every two texts compared, with rapidfuzz and sorted numbers
groups    naive_grouping: statuses, groups and links of some waves of texts, from every two of them
marks     naive_marks: figure marks with the words that they belong to
signing   every signature family, statistics, and what signatures estimate: in naive_signatures.py, its names here too

They use Python's `unicodedata` and the `regex` module, not the shipped tables, and are written from the
Unicode Standard and the contract, not from the kernels.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import regex
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from naive_signatures import (  # noqa: F401 - the oracle is one module to its users
    NaiveStatistics,
    naive_angle,
    naive_bsw,
    naive_bytes_hash,
    naive_containment,
    naive_density,
    naive_eligible,
    naive_extended,
    naive_fingerprint,
    naive_fingerprints,
    naive_frequencies,
    naive_gram_bits,
    naive_grams,
    naive_idf,
    naive_lane,
    naive_lenders,
    naive_letters,
    naive_letters_only,
    naive_min,
    naive_minhash4,
    naive_mix,
    naive_mod,
    naive_pieces,
    naive_place,
    naive_places,
    naive_profile,
    naive_projection,
    naive_rabin,
    naive_resemblance,
    naive_rolling,
    naive_shingle_hash,
    naive_simhash,
    naive_sketch,
    naive_spearman,
    naive_tau,
    naive_terms_signature,
    naive_ternary,
    naive_tokens,
    naive_topsig,
    naive_weights,
    naive_windows,
    naive_word,
    naive_word_shingles,
    naive_words_sketch,
)

# --- folding ---------------------------------------------------------------------------------------------

Point = tuple[str, int, int]
"""One code point, and the span of the original that it came from."""

IGNORABLE = regex.compile(r"\p{Default_Ignorable_Code_Point}")
WITHOUT_SPACES = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]"
)


@functools.cache
def naive_fold_point(char: str) -> str:
    """NFKC_Casefold of one code point, by its definition."""
    folded = unicodedata.normalize("NFD", char)
    for _ in range(3):  # until it is stable
        folded = unicodedata.normalize("NFKC", folded.casefold())
    return IGNORABLE.sub("", folded)


def naive_order(points: list[Point]) -> list[Point]:
    """Canonical order: neighbours that are the wrong way round change places until none are."""
    points = list(points)
    changed = True
    while changed:
        changed = False
        for i in range(len(points) - 1):
            left, right = (unicodedata.combining(points[i + k][0]) for k in (0, 1))
            if left > right > 0:
                points[i], points[i + 1] = points[i + 1], points[i]
                changed = True
    return points


def naive_decompose(points: list[Point]) -> list[Point]:
    """Canonical decomposition, in canonical order."""
    return naive_order([(part, s, e) for char, s, e in points for part in unicodedata.normalize("NFD", char)])


def naive_compose(points: list[Point]) -> list[Point]:
    """Canonical composition of decomposed code points."""
    result: list[Point] = []
    starter = -1
    for char, start, end in points:
        combining = unicodedata.combining(char)
        between = [unicodedata.combining(c) for c, _, _ in result[starter + 1 :]]
        if starter >= 0 and all(0 < other < combining for other in between):
            base, base_start, base_end = result[starter]
            together = unicodedata.normalize("NFC", base + char)
            if len(together) == 1:
                result[starter] = (together, min(start, base_start), max(end, base_end))
                continue
        result.append((char, start, end))
        if combining == 0:
            starter = len(result) - 1
    return result


def naive_fold(text: str) -> list[Point]:
    """toNFKC_Casefold(NFD(X)) with spans; ignorable code points and halfwidth sound marks are done first."""
    text = text.translate({0xFF9E: 0x3099, 0xFF9F: 0x309A})
    points = [(char, i, i + 1) for i, char in enumerate(text) if not IGNORABLE.fullmatch(char)]
    mapped = [(part, s, e) for char, s, e in naive_decompose(points) for part in naive_fold_point(char)]
    folded = naive_compose(naive_decompose(mapped))
    expected = unicodedata.normalize("NFC", "".join(char for char, _, _ in mapped))
    assert "".join(char for char, _, _ in folded) == expected
    return folded


# --- words -----------------------------------------------------------------------------------------------


def naive_words(text: str) -> list[tuple[str, int, int]]:
    """Folded words with their spans in code points, by the contract."""
    found: list[list[Point]] = []
    going_on = alone = False
    for point in naive_fold(text):
        category = unicodedata.category(point[0])[0]
        base = category in "LN"
        if not base and not (category == "M" and going_on):  # a mark with nothing before it is no word
            going_on = False
            continue
        own = base and bool(WITHOUT_SPACES.fullmatch(point[0]))
        if not going_on or own or (alone and base):
            found.append([])
            alone = own
        found[-1].append(point)
        going_on = True
    return [("".join(c for c, _, _ in word), min(s for _, s, _ in word), max(e for _, _, e in word)) for word in found]


def naive_digest(text: str) -> str:
    """The hash of a text's words, by the contract: SHA-256 of the folded words, each ended by a line feed."""
    return hashlib.sha256("".join(f"{word}\n" for word, _, _ in naive_words(text)).encode()).hexdigest()


def naive_hash(word: str) -> int:
    """The hash of a folded word, as the head of kernels/tokenize.py defines it."""
    whole = (1 << 64) - 1
    data = word.encode("utf-8", "surrogatepass")
    hashed = 0x9E3779B97F4A7C15
    for at in range(0, len(data), 8):
        chunk = int.from_bytes(data[at : at + 8], "little")
        hashed = (hashed ^ chunk) * 0xD6E8FEB86659FD93 & whole
        hashed ^= hashed >> 32
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        hashed = (hashed ^ hashed >> 33) * factor & whole
    return hashed ^ hashed >> 33


# --- brute force -----------------------------------------------------------------------------------------

# Where a text may be cut before it is folded: white space and the ASCII punctuation that composes with
# nothing (of < = > and a stroke, composition makes another sign).
UNCUT = re.compile(r"[^\s!\"#$%&'()*+,\-./:;?@\[\\\]^_`{|}~]+")


class WordCodes(dict[str, str]):
    """Piece of text → its words, one character for each, the same for equal words everywhere.

    A text becomes a string of which the characters are its words: what a program for strings says of
    such strings holds for the words.
    """

    def __init__(self) -> None:
        super().__init__()
        self._codes: dict[str, str] = {}

    def __missing__(self, piece: str) -> str:
        coded = "".join(self._code(word) for word, _, _ in naive_words(piece))
        self[piece] = coded
        return coded

    def _code(self, word: str) -> str:
        if word not in self._codes:
            number = len(self._codes)
            self._codes[word] = chr(number if number < 0xD800 else number + 0x800)  # without surrogates
        return self._codes[word]

    def of(self, text: str) -> str:
        """The words of a text."""
        return "".join(map(self.__getitem__, UNCUT.findall(text)))


def naive_distance(x: Sequence[object], y: Sequence[object]) -> int:
    """Levenshtein's distance, by the whole matrix."""
    row = list(range(len(y) + 1))
    for i, word in enumerate(x):
        above, row = row, [i + 1]
        for j, other in enumerate(y):
            row.append(min(above[j] + (word != other), above[j + 1] + 1, row[j] + 1))
    return row[-1]


Distances = dict[tuple[int, int], int]
"""Pairs i < j of texts, and the word-level distance of each."""


def naive_similar(
    coded: Sequence[str], percent: int, queries: Sequence[int] | None = None, *, bags: bool = False, cores: int = 2
) -> Distances:
    """Every pair (with a query) whose similarity is at least so many per cent, by comparing every two texts.

    Lengths more than the allowed distance apart are not compared; with `bags`, nor are texts that do not even
    share enough words when their order is forgotten. Texts of fewer than 10 words are paired by equality only.
    """
    places: dict[str, list[int]] = {}
    for i, text in enumerate(coded):
        if text:
            places.setdefault(text, []).append(i)
    texts = sorted(places, key=len)
    wanted = None if queries is None else set(queries)
    asked = [wanted is None or not wanted.isdisjoint(places[text]) for text in texts]
    found: Distances = {}

    def put(first: list[int], second: list[int], distance: int) -> None:
        for i, j in itertools.product(first, second):
            if i != j and (wanted is None or i in wanted or j in wanted):
                found[min(i, j), max(i, j)] = distance

    for family in places.values():
        put(family, family, 0)
    for a, b, distance in _near(texts, asked, percent, bags, cores):
        put(places[texts[a]], places[texts[b]], distance)
    return found


def _near(texts: list[str], asked: list[bool], percent: int, bags: bool, cores: int) -> Iterator[tuple[int, int, int]]:
    """(a, b, distance) of unlike texts, given in order of their lengths."""
    lengths = np.array([len(text) for text in texts], np.int64)
    queries = np.array(asked, np.bool_)
    counts = _bags(texts) if bags else None
    waiting: list[tuple[int, int]] = []
    for b in range(len(texts)):
        limit = int(lengths[b]) * (100 - percent) // 100
        first = int(np.searchsorted(lengths, max(10, lengths[b] - limit)))
        others = np.arange(first, b)
        if not queries[b]:
            others = others[queries[first:b]]
        if counts is not None and len(others):
            shared = np.minimum(counts[others], counts[b]).sum(1, dtype=np.int64)
            others = others[lengths[b] - shared <= limit]
        waiting += [(int(a), b) for a in others]
        if len(waiting) >= 20_000 or b == len(texts) - 1:
            yield from _compared(texts, waiting, percent, cores)
            waiting = []


def _compared(
    texts: list[str], pairs: list[tuple[int, int]], percent: int, cores: int
) -> Iterator[tuple[int, int, int]]:
    if not pairs:
        return
    parts = process.cpdist(
        [texts[a] for a, _ in pairs],
        [texts[b] for _, b in pairs],
        scorer=Levenshtein.normalized_distance,
        score_cutoff=(100 - percent) / 100 + 1e-9,
        dtype=np.float64,
        workers=cores,
    )
    for (a, b), part in zip(pairs, parts.tolist(), strict=True):
        distance = round(part * len(texts[b]))
        if 100 * distance <= (100 - percent) * len(texts[b]):
            yield a, b, distance


def _bags(texts: list[str], buckets: int = 512) -> npt.NDArray[np.int32]:
    """How often words of each bucket are in each text: what two texts share is never more than by buckets."""
    counts = np.zeros((len(texts), buckets), np.int32)
    for i, text in enumerate(texts):
        counts[i] = np.bincount(_numbers(text) % buckets, minlength=buckets)
    return counts


def _numbers(text: str) -> npt.NDArray[np.int64]:
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.int64)


def naive_triples(text: str) -> npt.NDArray[np.int64]:
    """The distinct shingles of a coded text, each as one number that no other shingle has."""
    words = _numbers(text)
    return np.unique((words[:-2] << 42) | (words[1:-1] << 21) | words[2:])


Shared = dict[tuple[int, int], tuple[int, int, int]]
"""Pairs i < j of texts: shingles shared, shingles of i, shingles of j."""


def naive_containing(coded: Sequence[str], percent: int, queries: Sequence[int] | None = None) -> Shared:
    """Every pair (with a query) of which enough distinct shingles of the smaller text are in the other."""
    shingles = [naive_triples(text) for text in coded]
    sizes = np.array([len(each) for each in shingles], np.int64)
    every = np.concatenate(shingles)
    _, numbers = np.unique(every, return_inverse=True)
    owners = np.repeat(np.arange(len(coded)), sizes)
    by_number = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers))
    lists, ends_of_texts = np.split(owners[by_number], ends[:-1]), np.cumsum(sizes)
    found: Shared = {}
    for i in range(len(coded)) if queries is None else queries:
        mine = numbers[ends_of_texts[i] - sizes[i] : ends_of_texts[i]]
        if not len(mine):
            continue
        shared = np.bincount(np.concatenate([lists[number] for number in mine]), minlength=len(coded))
        smaller = np.minimum(sizes, sizes[i])
        holds = (smaller >= 50) & (100 * shared >= percent * smaller)
        holds[i] = False
        for j in np.flatnonzero(holds).tolist():
            a, b = min(i, j), max(i, j)
            found[a, b] = int(shared[j]), int(sizes[a]), int(sizes[b])
    return found


# --- measures --------------------------------------------------------------------------------------------


def naive_shingles(words: Sequence[object]) -> set[tuple[object, ...]]:
    """Distinct runs of three words."""
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def naive_stem(word: str) -> str:
    """The light stem: plural, then verb ending, then what is left over at the end."""
    stands = re.compile(r"(?=.*[aeiouy])...").match
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and re.search(r"(x|z|ss|ch|sh)es$", word):
        word = word[:-2]
    elif len(word) > 3 and re.search(r"[^sui]s$", word):
        word = word[:-1]
    if word.endswith("ing") and stands(word[:-3]):
        word = word[:-3]
    if len(word) > 4 and word.endswith("ied"):
        word = word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed") and stands(word[:-2]):
        word = word[:-2]
    if word.endswith("eed"):
        word = word[:-1]
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and re.search(r"([^aeiouy])\1$", word):
        word = word[:-1]
    return word


def naive_terms(words: Sequence[str], stop_list: frozenset[str]) -> set[str]:
    """Distinct content words, as stems."""
    found = set()
    for word in words:
        letters = regex.sub(r"\p{M}", "", word)
        if regex.fullmatch(r"\p{L}{3,}", letters) and word not in stop_list:
            found.add(naive_stem(word) if word.isascii() else word)
    return found


def naive_scores(a: Sequence[str], b: Sequence[str], stop_list: frozenset[str]) -> dict[str, float | list[float]]:
    """The contract's measures of two texts, from their folded words."""

    def share(part: int, whole: int) -> float:
        if whole == 0:
            return 100.0 if list(a) == list(b) else 0.0
        return 100 * part / whole

    longer = max(len(a), len(b))
    shingles_a, shingles_b = naive_shingles(a), naive_shingles(b)
    shared = len(shingles_a & shingles_b)
    terms_a, terms_b = naive_terms(a, stop_list), naive_terms(b, stop_list)
    return {
        "similarity": share(longer - Levenshtein.distance(list(a), list(b)), longer),
        "resemblance": share(shared, len(shingles_a | shingles_b)),
        "containment": [share(shared, len(shingles_a)), share(shared, len(shingles_b))],
        "terminology": share(len(terms_a & terms_b), min(len(terms_a), len(terms_b))),
    }


def naive_first_place(contained: Sequence[object], containing: Sequence[object]) -> tuple[int, int] | None:
    """The first words that are those of another text, one after the other; None if there are none."""
    for first in range(len(containing) - len(contained) + 1):
        if list(containing[first : first + len(contained)]) == list(contained):
            return first, first + len(contained)
    return None


# --- groups ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NaiveGrouping:
    """What is said of documents, by their places."""

    statuses: dict[int, str]
    principals: dict[int, int]
    """Of each document that is in a group, or could be."""
    links: dict[int, set[int]]
    """Of each linked document, the first documents of the texts that it is similar to."""


def naive_grouping(waves: Sequence[Sequence[str]], percent: int) -> NaiveGrouping:
    """Statuses, groups and links of files in some waves, by the contract's words; the rule is the longest text.

    Two files with equal words have equal bytes. Texts have no figure marks.
    """
    texts = [text for wave in waves for text in wave]
    coded = [tuple(word for word, _, _ in naive_words(text)) for text in texts]
    first: dict[tuple[str, ...], int] = {}
    for place, words in enumerate(coded):
        first.setdefault(words, place)
    firsts = sorted(first.values())

    def letters(place: int) -> bool:
        return any(char.isalpha() for char in texts[place])

    def near(a: int, b: int) -> Fraction | None:
        longer = max(len(coded[a]), len(coded[b]))
        if a == b or min(len(coded[a]), len(coded[b])) < 10:
            return None
        similarity = 1 - Fraction(Levenshtein.distance(coded[a], coded[b]), longer)
        return similarity if 100 * similarity >= percent else None

    principals: dict[int, int] = {}
    start = 0
    for wave in waves:
        new = [place for place in firsts if start <= place < start + len(wave) and letters(place)]
        start += len(wave)
        new.sort(key=lambda place: (-len(coded[place]), place))
        old = [place for place in sorted(principals, key=lambda x: (-len(coded[x]), x)) if principals[place] == place]
        own: list[int] = []
        for heads in (old, own):
            for place in [one for one in new if one not in principals]:
                found = [(similarity, head) for head in heads if (similarity := near(place, head)) is not None]
                if found:
                    principals[place] = max(found, key=lambda pair: pair[0])[1]
                elif heads is own:
                    principals[place] = place
                    own.append(place)
    statuses, links = {}, {}
    for place, words in enumerate(coded):
        similar = {other for other in firsts if near(place, other) is not None}
        grouped = any(head == place and one != place for one, head in principals.items()) or coded.count(words) > 1
        if not words:
            statuses[place] = "empty"
        elif not letters(place):
            statuses[place] = "numbers-only"
        elif first[words] != place:
            statuses[place] = "same-file"
        elif len(words) < 10:
            statuses[place] = "too-short"
        elif principals[place] != place:
            statuses[place] = "member"
        else:
            statuses[place] = "principal" if grouped else "linked" if similar else "unique"
        if statuses[place] == "linked":
            links[place] = similar
    every = {place: principals.get(first[words], first[words]) for place, words in enumerate(coded) if words}
    return NaiveGrouping(statuses, every, links)


# Figure marks: written from the contract and from the head of truecopy.kernels.marks, with unicodedata.

_MINUS = "\u002d\u2010\u2011\u2012\u2013\u2212\u2796\ufe63\uff0d\u207b\u208b"
_BOXES = {char: char for char in "☐☑☒☓✓✔✕✖✗✘✅❌❎⬜□▢▣⊠⊡🗴🗵🗶🗷🗸🗹⮽≤≥≠"} | {
    **dict.fromkeys("\uf06f\uf0a8\uf0a3\uf071", "☐"), **dict.fromkeys("\uf0fd\uf0fe\uf054\uf053", "☒"),
    "\uf052": "☑", "\uf0fc": "✓", "\uf0fb": "✗", "⩽": "≤", "≦": "≤", "⩾": "≥", "≧": "≥",
}  # fmt: skip
_INVISIBLE = set("\xad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff")
_INSIDE = {
    **dict.fromkeys(_MINUS + "—―﹘", "-"), **dict.fromkeys("’‘‛ʹ′＇`´", "'"),
    **dict.fromkeys("\uff0e\u2024\ufe52", "."),
    **dict.fromkeys("\uff0c\ufe50\ufe10", ","), **dict.fromkeys("\uff1a\ufe55∶", ":"), **dict.fromkeys("\uff0f⁄∕", "/"),
    **dict.fromkeys("‧∙⋅•", "·"),
}  # fmt: skip


def _sign(char: str) -> tuple[str, str]:
    """What a sign is, and how it is spelled."""
    if char in _MINUS:
        return "sign", "-"
    if char in "+±∓":
        return "sign", char
    if char in "\u2795\ufe62\uff0b\u207a\u208a":
        return "sign", "+"
    if char in "\u066a\ufe6a\uff05":
        return "percent", "%"
    if char in "\u0609\u060a":
        return "percent", "‰" if char == "\u0609" else "‱"
    if char in "%‰‱":
        return "percent", char
    if char in _BOXES:
        return "box", _BOXES[char]
    if char in ".\uff0e\u2024\ufe52,\uff0c\ufe50\ufe10":
        return "point", _INSIDE.get(char, char)
    if unicodedata.category(char) == "Sc":
        return "currency", unicodedata.normalize("NFKC", char)
    return "other", _INSIDE.get(char, char)


def _blank(char: str) -> bool:
    return char.isspace() or ord(char) <= 32 or ord(char) == 127


def naive_marks(text: str) -> list[tuple[int, str]]:
    """The figure marks of a text as (word, sign), sorted."""
    folded = naive_words(text)
    spans = [(start, end) for _, start, end in folded]
    found = []
    for word in range(len(spans) + 1 if spans else 0):
        begin = spans[word - 1][1] if word else 0
        end = spans[word][0] if word < len(spans) else len(text)
        gap = [(place, text[place]) for place in range(begin, end) if text[place] not in _INVISIBLE]
        before = word > 0 and unicodedata.category(folded[word - 1][0][-1])[0] == "N"
        behind = word < len(spans) and unicodedata.category(folded[word][0][0])[0] == "N"
        joined = before and behind and 1 <= len(gap) <= 2 and not any(_blank(char) for _, char in gap)
        if word and word < len(spans) and end < begin and unicodedata.normalize("NFKC", text[end]).count("\u2044"):
            found.append((word, "/"))
        kinds = ["blank" if _blank(char) else _sign(char)[0] for _, char in gap]
        if behind and not joined:
            # back from the digit: a point, currency signs, and the plus or minus before them
            rest = len(gap)
            if rest and kinds[-1] == "point":
                loose = rest > 1 and kinds[-2] in ("blank", "currency", "sign")
                if loose or (rest == 1 and not word):
                    found.append((word, _sign(gap[-1][1])[1]))
            while rest and kinds[rest - 1] in ("currency", "point"):
                rest -= 1
            if rest and kinds[rest - 1] == "sign":
                found.append((word, _sign(gap[rest - 1][1])[1]))
        for rank, (place, char) in enumerate(gap):
            kind, spelled = _sign(char)
            if kind in ("currency", "percent", "box"):
                sides = {
                    "before": (word > 0, before, rank == 0),
                    "behind": (word < len(spans), behind, place + 1 == end),
                }
                order = ("before", "behind") if kind == "percent" else ("behind", "before")
                choices = [side for side in order if sides[side][0]]
                # a figure rather than a word, then one that it touches, then the order above
                chosen = min(choices, key=lambda side: (not sides[side][1], not sides[side][2], order.index(side)))
                found.append((word if chosen == "behind" else word - 1, spelled))
            elif joined and not _blank(char):
                found.append((word, spelled))
    return sorted(found)


def naive_listed(known: list[tuple[int, bytes]], wanted: list[tuple[int, bytes]]) -> list[int]:
    """The number of each wanted word among known ones, each given as hash and spelling; -1 for none."""
    return [known.index(one) if one in known else -1 for one in wanted]
