"""Which encoding a text is most likely in, and how much likelier than the next one: by letters that follow each other.

Every code page and every double-byte encoding reads the same bytes as another text. Each reading is costed in each
language (`letters.py`); the cheapest is the guess, and the cheapest that gives another text is its rival. Pages that
give the same text are no rivals: then it does not matter which of them it is.

Time is bounded by the sample for all but the counting of bytes, which is one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from truecopy.array_types import I64, Flags
from truecopy.read.encodings import classes
from truecopy.read.encodings.letters import Language, case_costs, characters, codes_of, languages, pair_costs
from truecopy.read.encodings.pages import EBCDIC, RARITY, code_points

_CHUNK = 1 << 16
_CHUNKS = 64
"""Chunks beyond ASCII whose pairs are counted: four megabytes."""
_SAMPLE = 8_192
_LONGEST_LINE = 2_048
_NO_WORD = re.compile(rb"[!-~]{60,}")
"""Pictures as text, keys and long addresses: no language, but more than the words around them."""
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
DOUBLE = {"cp932": 8.0, "gb18030": 8.0, "cp950": 8.0, "cp949": 8.0, "euc_jp": 10.0}
WIDE = {"utf-16-le": 8.0, "utf-16-be": 9.0}
_BY_CHARACTER = ("Chinese, simplified", "Chinese, traditional", "Japanese", "Korean")
_SCRIPTS = (
    ("Latin", 0x0000, 0x024F),
    ("Greek", 0x0370, 0x03FF),
    ("Cyrillic", 0x0400, 0x04FF),
    ("Hebrew", 0x0590, 0x05FF),
    ("Arabic", 0x0600, 0x06FF),
    ("Thai", 0x0E00, 0x0E7F),
)
_FEW_ERRORS = 0.02
_MISPLACED = 10 * classes.SCALE


@dataclass(frozen=True, slots=True)
class Guess:
    """One way to read the bytes."""

    encoding: str
    cost: int
    """In eighths of a natural logarithm: what is unlikely about the text, and how rare the encoding is."""
    language: str
    fit: float
    """What a pair beyond ASCII costs on average."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is counted of the bytes."""

    first: I64
    second: I64
    """Pairs of neighbours that are not both ASCII, each once …"""
    counts: I64
    """… and how often each is there."""
    ascii_first: I64
    ascii_second: I64
    ascii_counts: I64
    weight: float
    """What pairs of ASCII characters count for: they tell the language, but a text may have several."""
    used: Flags
    """The bytes that the data have."""
    sample: bytes
    """Lines beyond ASCII."""
    kept: float
    """The share of the bytes that is not repeated."""


def evidence(data: bytes) -> Evidence:
    """Count bytes and pairs of bytes."""
    used = np.zeros(256, np.int64)
    chunks = []
    for at in range(0, len(data), _CHUNK):
        chunk = data[at : at + _CHUNK]
        if not chunk.isascii() or len(data) <= _CHUNK:
            used += np.bincount(np.frombuffer(chunk, np.uint8), minlength=256)
            chunks.append(at)
        else:
            used[:128] += 1
    step = max(len(chunks) // _CHUNKS, 1)
    # What is repeated (letterheads, records) is one witness, not many.
    taken = b"".join(data[at : at + _CHUNK] for at in chunks[::step][:_CHUNKS]) if len(chunks) > 1 else data
    distinct = b"\n".join(dict.fromkeys(taken.split(b"\n")))
    lines = _NO_WORD.sub(b" ", distinct)
    framed = b"\n" + lines + b"\n"
    pairs = np.zeros(65_536, np.int64)
    for at in range(0, len(lines) + 1, _CHUNK):
        each = np.frombuffer(framed[at : at + _CHUNK + 1], np.uint8).astype(np.int64)
        pairs += np.bincount((each[:-1] << 8) | each[1:], minlength=65_536)
    seen = np.flatnonzero(pairs)
    beyond = ((seen >> 8) | seen) & 0x80 != 0
    high, plain = seen[beyond], seen[~beyond]
    counted, plainly = int(pairs[high].sum()), int(pairs[plain].sum())
    weight = min(1.0, (6 * counted + 200) / max(plainly, 1))
    return Evidence(
        high >> 8, high & 255, pairs[high], plain >> 8, plain & 255, pairs[plain], weight, used > 0, sample_of(lines),
        len(distinct) / max(len(taken), 1),
    )  # fmt: skip


def sample_of(data: bytes) -> bytes:
    """Lines that hold more than ASCII, from the beginning and from the second half."""
    if len(data) <= 2 * _SAMPLE:
        return data
    out = bytearray()
    for start, enough in ((0, _SAMPLE), (data.find(b"\n", len(data) // 2) + 1, 2 * _SAMPLE)):
        for line in data[start : start + _CHUNK * _CHUNKS].split(b"\n"):
            if len(out) >= enough:
                break
            if not line.isascii():
                out += _around(line) + b"\n"
    return bytes(out[: 2 * _SAMPLE])


def _around(line: bytes) -> bytes:
    """A line, or the part of a very long one that holds more than ASCII."""
    if len(line) <= _LONGEST_LINE:
        return line
    found = _BEYOND_ASCII.search(line)
    at = max(found.start() - _LONGEST_LINE // 4, 0) if found else 0
    return line[at : at + _LONGEST_LINE]


def guesses(seen: Evidence, wide: bytes = b"") -> list[Guess]:
    """Every way to read the bytes that is worth a thought, the likeliest first; `wide`: the bytes as UTF-16 too."""
    plain = costs_of_ascii(seen)
    found = [*_single_bytes(seen, plain), *_double_bytes(seen, plain), *_wide(wide, seen.kept)]
    # Ties go to the commoner encoding, then by name: an order that never varies.
    return sorted(found, key=lambda guess: (guess.cost, guess.encoding))


def rival(best: Guess, others: list[Guess], used: Flags) -> Guess | None:
    """The likeliest guess that gives another text."""
    for guess in others:
        if guess.encoding != best.encoding and not same_text(best.encoding, guess.encoding, used):
            return guess
    return None


def same_text(one: str, other: str, used: Flags) -> bool:
    """Whether two encodings read the bytes that were used as the same characters."""
    singles = RARITY.keys() | EBCDIC.keys()
    if one not in singles or other not in singles:
        return one == other
    return bool((code_points(one)[used] == code_points(other)[used]).all())


def by_character(language: str) -> bool:
    """Whether a language is costed by character: such texts cost more."""
    return language in _BY_CHARACTER


def text_cost(text: str, weight: float, rarity: float = 0.0) -> tuple[int, str, float]:
    """The least cost of a text in any language, that language, and the average cost of pairs beyond ASCII."""
    codes = codes_of("\n" + text + "\n")
    first, second = codes[:-1], codes[1:]
    beyond = (first > 127) | (second > 127)
    cases = case_costs(first, second)
    best: tuple[int, str, float] = (1 << 60, "", 0.0)
    for language in languages():
        costs = pair_costs(language, first, second) + cases
        high = int(costs[beyond].sum())
        total = high + int(weight * int(costs[~beyond].sum()))
        if total < best[0]:
            best = total, language.name, high / max(int(beyond.sum()), 1) / classes.SCALE
    return best[0] + round(rarity * classes.SCALE), best[1], best[2]


def _single_bytes(seen: Evidence, plain: dict[str, int]) -> list[Guess]:
    found = []
    total = max(int(seen.counts.sum()), 1)
    for page, rarity in RARITY.items():
        codes = code_points(page)
        first, second = codes[seen.first], codes[seen.second]
        cases = case_costs(first, second)
        best: tuple[int, str, float] | None = None
        # The likeliest languages by ASCII first: once that alone costs more than the best, no other can win.
        for language in sorted(_likely(page, second, seen.counts), key=lambda each: (plain[each.name], each.name)):
            cost = plain[language.name]
            if best is not None and cost > best[0]:
                break
            high = int(((pair_costs(language, first, second) + cases) * seen.counts).sum())
            cost += high
            if is_misplaced(page, language.name):
                cost += _MISPLACED
            if best is None or (cost, language.name) < best[:2]:
                best = cost, language.name, high / total / classes.SCALE
        if best is not None:
            found.append(Guess(page, best[0] + round(rarity * classes.SCALE), best[1], best[2]))
    return [*found, *_ebcdic(seen)]


def language_of_ascii(seen: Evidence) -> str:
    """The language that the ASCII letters fit best."""
    costs = costs_of_ascii(seen)
    return min(costs, key=lambda name: (costs[name], name))


def costs_of_ascii(seen: Evidence) -> dict[str, int]:
    """What the pairs of ASCII cost in each language."""
    first, second, counts = seen.ascii_first, seen.ascii_second, seen.ascii_counts
    cases = case_costs(first, second)
    return {
        language.name: int(seen.weight * int(((pair_costs(language, first, second) + cases) * counts).sum()))
        for language in languages()
    }


def _ebcdic(seen: Evidence) -> list[Guess]:
    """IBM's pages, if there are more of their spaces than of ours, and letters where theirs are."""
    pairs = np.concatenate([seen.first, seen.ascii_first]), np.concatenate([seen.second, seen.ascii_second])
    counts = np.concatenate([seen.counts, seen.ascii_counts])
    total = int(counts.sum())
    of_byte = np.bincount(pairs[1], weights=counts, minlength=256)
    letters = of_byte[0x81:0xAA].sum() + of_byte[0xC1:0xEA].sum() + of_byte[0xF0:0xFA].sum()
    if 200 * of_byte[0x40] < total or of_byte[0x40] <= of_byte[0x20] or 10 * letters < 3 * total:
        return []
    found = []
    weights = np.concatenate([np.ones(len(seen.counts)), np.full(len(seen.ascii_counts), seen.weight)])
    for page, rarity in EBCDIC.items():
        codes = code_points(page)
        first, second = codes[pairs[0]], codes[pairs[1]]
        cases = case_costs(first, second)
        costs = []
        for language in languages():
            each = (pair_costs(language, first, second) + cases) * counts
            costs.append((int((each * weights).sum()), language.name, float(each.sum()) / total / classes.SCALE))
        cost, name, fit = min(costs)
        found.append(Guess(page, cost + round(rarity * classes.SCALE), name, fit))
    return found


@cache
def other_letters() -> Flags:
    """For each code point whether it is a letter beyond ASCII."""
    found: Flags = np.isin(characters()[0], list(classes.LETTERS))
    found[:128] = False
    return found


@cache
def speakers(page: str) -> tuple[tuple[str, Language], ...]:
    """The languages that a page has (nearly) all letters of, each with its script."""
    has = set(characters()[1][code_points(page)].tolist())
    found = []
    for language in languages():
        if language.name in _BY_CHARACTER:
            continue
        own = [code for code in language.letters.tolist() if code > 127]
        if sum(code in has or _cedilla(code) in has for code in own) >= 0.8 * len(own):
            found.append((_script(own[len(own) // 2]) if own else "Latin", language))
    return tuple(found)


@cache
def is_misplaced(page: str, language: str) -> bool:
    """Whether a language of Latin letters is in a page for others: Dutch in a Greek page is possible, but not met."""
    return language not in classes.OTHER_SCRIPTS and any(script != "Latin" for script, _ in speakers(page))


def _cedilla(code: int) -> int:
    """The letter that old pages have in place of a Romanian one."""
    return {0x0219: 0x015F, 0x021B: 0x0163}.get(code, code)


def _script(code: int) -> str:
    return next((name for name, first, last in _SCRIPTS if first <= code <= last), "Latin")


def _likely(page: str, second: I64, counts: I64) -> list[Language]:
    """The languages that may be what a page makes of the bytes, by the scripts of its letters."""
    letters = other_letters()[second]
    total = int(counts[letters].sum())
    scripts = set()
    for name, first, last in _SCRIPTS:
        there = int(counts[letters & (second >= first) & (second <= last)].sum())
        if there and 5 * there >= total:
            scripts.add(name)
    return [language for script, language in speakers(page) if script in scripts or language.name == "English"]


def _double_bytes(seen: Evidence, plain: dict[str, int]) -> list[Guess]:
    high = sum(byte > 127 for byte in seen.sample)
    if high < 2:
        return []
    found = []
    beyond = np.frombuffer(b"\n" + seen.sample + b"\n", np.uint8) > 127
    times = max(int(seen.counts.sum()) / max(int((beyond[:-1] | beyond[1:]).sum()), 1), 1.0)
    for name, rarity in DOUBLE.items():
        text = seen.sample.decode(name, "replace").removesuffix("\ufffd")
        if text.count("\ufffd") > _FEW_ERRORS * high:
            continue
        # What is beyond ASCII by the sample, as often as it is there; ASCII as for all other pages.
        costs = ((int(cost * times) + plain[language], language, fit) for cost, language, fit in _beyond_costs(text))
        least, language, fit = min(costs)
        found.append(Guess(name, least + round(rarity * classes.SCALE), language, fit))
    return found


def _beyond_costs(text: str) -> Iterator[tuple[int, str, float]]:
    """The cost of the pairs beyond ASCII in each language, and what one of them costs on average."""
    codes = codes_of("\n" + text + "\n")
    beyond = (codes[:-1] > 127) | (codes[1:] > 127)
    first, second = codes[:-1][beyond], codes[1:][beyond]
    cases = case_costs(first, second)
    for language in languages():
        cost = int((pair_costs(language, first, second) + cases).sum())
        yield cost, language.name, cost / max(len(first), 1) / classes.SCALE


def _wide(data: bytes, kept: float) -> list[Guess]:
    """UTF-16 without a mark."""
    if len(data) % 2 or len(data) < 8:
        return []
    sample = data[: 2 * _SAMPLE]
    found = []
    for name, rarity in WIDE.items():
        text = sample.decode(name, "replace")
        if text.count("\ufffd") > _FEW_ERRORS * len(text):
            continue
        cost, language, fit = text_cost(text, 1.0, rarity)
        whole = int(cost * kept) * min(len(data), _CHUNK * _CHUNKS) // len(sample)
        found.append(Guess(name, whole, language, fit))
    return found
