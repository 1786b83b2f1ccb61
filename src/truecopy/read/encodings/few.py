"""Texts of ASCII letters with a few signs or letters beyond: which page makes sense of each of them where it is.

Letter pairs decide nothing here: a handful of them is no sample of a language. Instead each sign is judged by its
place (`places.py`), each word with other letters by the language that it fits best, and a page by how rare it is. A
text is read with doubt where another page makes nearly as good sense; not where all others make nonsense of it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from math import exp

import numpy as np

from truecopy.array_types import I64
from truecopy.read.encodings import classes, places
from truecopy.read.encodings.found import DOUBTFUL
from truecopy.read.encodings.guess import Evidence, costs_of_ascii, guesses, same_text, speakers
from truecopy.read.encodings.letters import Language, characters, languages
from truecopy.read.encodings.pages import RARITY, table

WESTERN = "cp1252"
_FEW_BYTES = 12
"""Different bytes beyond ASCII that are a few."""
_MOSTLY = 6
"""Pairs of ASCII for one beyond it."""
_NEARLY = 10 * classes.SCALE
_HARDLY_ANY = 2
_FEW_PAIRS = 12
"""Pairs beyond ASCII that are a few in languages that have other letters: more of them are a sample of it."""
_MANY_PAIRS = 60
_WESTERN_LANGUAGES = frozenset(
    "Danish Dutch Finnish French German Italian Norwegian Portuguese Spanish Swedish".split()
)
_PLACES, _TRIES, _LONGEST = 8, 40, 40
"""Places of each byte that are looked at, of so many, and how far a word goes."""
_AROUND = 4
Place = tuple[bytes, bytes, bytes]
Costs = defaultdict[str, list[float]]
_RUN = bytes([*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *range(128, 256)])
_DIVIDED_BY = 2.6
"""As in `judge.py`, but places are better witnesses than pairs of letters: a lead of eight is enough."""
_SOME_PAIRS = 6
_MOST = 99
_EXPECTED = 3.5
"""What a pair of letters costs in a word of its language, or less."""
_WORST_WORD, _NO_WORD = 10.0, 20.0
"""What a word costs at most; and one with letters that no language has together."""
_CAPITALS = 2
_ALONE = 6.0
_LATIN = 0x0250
_ABSURD = 8.0
"""A sign that costs more makes no sense where it is."""
_BESIDE_FIGURE = 12.0
_AROUND_LETTERS = " \t\xa0-'’"
"""What may be beside a letter that is a word."""
_ALL_FOREIGN = 6.0
_OTHER_SCRIPT = 3.0
_ASCII = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ENGLISH = frozenset(
    "à après attaché attachés café cafés cliché clichés communiqué coupé coupés crème décor déjà détente doppelgänger "
    "émigré émigrés entrée entrées exposé façade façades fête fiancé fiancée führer garçon jalapeño lamé maître "
    "matinée mêlée naïve naïvely naïveté née pâté piñata précis première protégé protégés purée raison résumé résumés "
    "risqué rôle roué sauté señor señora séance smörgåsbord soirée soufflé touché über vicuña voilà zoë noël".split()
)
"""Words with other letters that English has: in any other page they are something else."""
_PHRASES = (
    re.compile(r"\b(?:vis|pied|prêt|pret|S)[ .-]{0,2}$"),
    re.compile(r"^[ -](?:la\b|l['’]|vis\b|r\. ?l|terre|propos|porter)"),
)
"""What is before or after à where English has it."""
_BARE, _SMALL_WORD = 4.0, re.compile(r"^\s[a-z]")
"""What à costs before any other word: in Mac Roman it is the mark ‡."""
_AS_SHARP = re.compile("(?:(?:[ao]|ei|[ae]u|ie)á|(?:e|i|(?<![gq])u)á$)", re.IGNORECASE)
_SHARP = re.compile(_AS_SHARP.pattern.replace("á", "ß"), re.IGNORECASE)
"""Where names of German have ß (Weiß, Groß), and hardly any language has á, which is its byte in the pages of DOS."""
_NAMED = 3.0
_SMALL_FIRST = 3.0
"""What a foreign word costs that begins with a small letter of its own: most of them are names."""
_OFFICE = frozenset(("cp437", "cp850", "mac-roman", "iso8859-15"))
_RAREST = 13.0
"""Pages that are rarer were never those of an office that writes such texts."""
_PROOF = 3
"""Different signs that prove a rare page, if nothing else makes sense."""
_AS_LIKELY = 6.0
_USUAL = 2.0
_CLOSING = {"”": "“„", "›": "‹", "»": "«"}
_CLOSING_LOW = {"“": "„", "‘": "‚"}
"""Quotes that close what another has opened, or else open."""
_OPENING = {"‹": "›", "«": "»", "„": "“”", "‚": "‘’"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """The page that makes the best sense, how sure that is, and the doubt."""

    encoding: str
    confidence: int
    doubt: str


def verdict(data: bytes, seen: Evidence) -> Verdict | None:
    """Which page makes sense of the few signs; None where they are not few, or where no page does."""
    high = [byte for byte in range(128, 256) if seen.used[byte]]
    plain, beyond = int(seen.ascii_counts.sum()), int(seen.counts.sum())
    # The dots of a form are one sign many times.
    signs = int(seen.counts[seen.first != seen.second].sum())
    if len(high) > _FEW_BYTES or plain < (_MOSTLY if len(high) > _HARDLY_ANY else _HARDLY_ANY) * signs:
        return None
    language, likeliest = _language(seen)
    english = language == "English"
    if not english and (language not in _WESTERN_LANGUAGES or beyond > _FEW_PAIRS):
        return None
    own = frozenset(map(chr, next(each for each in languages() if each.name == likeliest).letters.tolist()))
    found = _places(data, high)
    known: set[str] = set()
    ranked: list[tuple[bool, float, str]] = []
    for page, rarity in RARITY.items():
        reading = _reading(page, high)
        if reading in known or rarity > _RAREST:
            continue
        known.add(reading)
        costs = sign_costs(page, found, own)
        absurd = any(cost > _ABSURD for cost in costs.values())
        if page in _OFFICE and _is_usual(reading, _reading(WESTERN, high), costs, own):
            rarity = min(rarity, _AS_LIKELY)
        ranked.append((absurd, sum(costs.values()) + rarity, page))
    ranked.sort()
    western = next(each for each in ranked if each[2] == WESTERN)
    if ranked[0][1] >= western[1]:
        # A rare page is not likelier because it makes some sense: the usual one is kept, and the doubt is said.
        ranked.remove(western)
        ranked.insert(0, western)
        if western[0] and not ranked[1][0]:
            return Verdict(WESTERN, DOUBTFUL - 1, _doubt(WESTERN, ranked[1][2]))
    absurd, least, best = ranked[0]
    if absurd:
        # More of them are letters of a language, and tell it better than their places do.
        return Verdict("", 0, "its signs make no sense where they are") if beyond <= _MANY_PAIRS else None
    near = min((each[1:] for each in ranked[1:]), default=(1_000.0, WESTERN))
    confidence = min(int(100 * (1 - exp(-max(near[0] - least, 0.0) / _DIVIDED_BY))), _MOST)
    if not english and beyond >= _SOME_PAIRS:
        # In a language that has other letters, pairs of them are witnesses too.
        if not same_text(guesses(seen)[0].encoding, best, seen.used):
            return Verdict("", 0, f"its bytes fit {best} as well")
        if confidence < DOUBTFUL or best != WESTERN:
            return None
    if best != WESTERN and (len(high) < _PROOF or confidence < _MOST):
        # Such pages are rare: where one makes sense, one or two signs are still no proof.
        return Verdict(best, min(confidence, DOUBTFUL - 1), _doubt(best, near[1] or WESTERN))
    return Verdict(best, confidence, _doubt(best, near[1]) if confidence < DOUBTFUL else "")


def _language(seen: Evidence) -> tuple[str, str]:
    """The language of the ASCII letters; English where it is nearly that, as in lists and addresses."""
    costs = {name: cost for name, cost in costs_of_ascii(seen).items() if name not in classes.OTHER_SCRIPTS}
    least = min(costs, key=lambda name: (costs[name], name))
    return "English" if costs["English"] <= costs[least] + _NEARLY else least, least


def _doubt(page: str, other: str) -> str:
    return f"read as {page} with doubt: its bytes fit {other} as well"


def _reading(page: str, high: list[int]) -> str:
    characters = table(page)
    return "".join(characters[byte] for byte in high)


def _places(data: bytes, high: list[int]) -> list[Place]:
    """Some runs of letters and bytes beyond ASCII, each byte among them, with what is before and after in the line."""
    found: dict[Place, None] = {}
    for byte in high:
        at, kept = -1, len(found) + _PLACES
        for _ in range(_TRIES):
            at = data.find(byte, at + 1)
            if at < 0 or len(found) == kept:
                break
            found[_place(data, at)] = None
    return list(found)


def _place(data: bytes, at: int) -> Place:
    line = data[max(at - _LONGEST, 0) : at].rpartition(b"\n")[2]
    rest = data[at : at + _LONGEST].partition(b"\n")[0].rstrip(b"\r")
    before, after = line.rstrip(_RUN), rest.lstrip(_RUN)
    return before[-_AROUND:], line[len(before) :] + rest[: len(rest) - len(after)], after[:_AROUND]


def _is_usual(reading: str, western: str, costs: dict[str, float], own: frozenset[str]) -> bool:
    """Whether all that differs is usual where it is, signs or the language's own letters: a real other meaning."""
    other = [mine for mine, theirs in zip(reading, western, strict=True) if mine != theirs]
    return all((sign.lower() in own or not _is_letter(sign)) and costs.get(sign, 0.0) <= _USUAL for sign in other)


def sign_costs(page: str, found: list[Place], own: frozenset[str]) -> dict[str, float]:
    """What each sign and letter beyond ASCII costs in a page."""
    characters = table(page)
    of_sign: Costs = defaultdict(list)
    for parts in found:
        before, run, after = ("".join(characters[byte] for byte in part) for part in parts)
        _cost_run(page, before, run, after, own, of_sign)
    means = {sign: sum(costs) / len(costs) for sign, costs in of_sign.items()}
    _add_partners(means)
    return means


def _add_partners(means: dict[str, float]) -> None:
    """Add what signs cost whose partners are missing."""
    for sign in means:
        partners = _CLOSING.get(sign) or _OPENING.get(sign)
        if partners and not any(partner in means for partner in partners):
            means[sign] += places.UNPAIRED
    for sign, opening in _CLOSING_LOW.items():
        if means.get(sign) == places.CLOSES and opening not in means:
            means[sign] += places.UNPAIRED
    if means.get("‡", 0.0) >= places.NOTED and "†" not in means:
        means["‡"] += places.SECOND


def _cost_run(page: str, before: str, run: str, after: str, own: frozenset[str], of_sign: Costs) -> None:
    """Add what each sign of a run costs."""
    line = before + run + after
    at, end = len(before), len(before) + len(run)
    while at < end:
        if not _is_letter(line[at]):
            if line[at] > "\x7f":
                of_sign[line[at]].append(places.cost(line[:at], line[at], line[at + 1 :]))
            at += 1
            continue
        start = at
        while at < end and _is_letter(line[at]):
            at += 1
        word = line[start:at]
        strange = {letter for letter in word if letter not in _ASCII}
        if strange:
            cost = word_cost(word, page) - (_ALONE if word.lower() in own else 0.0)
            if word[0] in strange and word[0] not in own:
                cost += _beginning_cost(word, line[:start], line[at:])
            beside = line[max(start - 1, 0) : start] + line[at : at + 1]
            if any(each.isdigit() for each in beside) or (len(word) == 1 and beside.strip(_AROUND_LETTERS)):
                cost += _BESIDE_FIGURE
            for letter in strange:
                of_sign[letter].append(cost / len(strange))


def _beginning_cost(word: str, before: str, after: str) -> float:
    """What is unlikely about a word of another language than the text's that begins with a letter beyond ASCII."""
    if word == "à":
        is_phrase = _PHRASES[0].search(before) or _PHRASES[1].search(after)
        return _BARE if _SMALL_WORD.search(after) and not is_phrase else 0.0
    is_name = word in _ENGLISH or characters()[2][ord(word[0])] == classes.LARGE
    return 0.0 if is_name or ord(word[0]) >= _LATIN else _SMALL_FIRST


def _is_letter(character: str) -> bool:
    return character in _ASCII or _kind(character) in classes.LETTERS


@cache
def _kind(character: str) -> int:
    return int(characters()[0][ord(character)])


@lru_cache(maxsize=4_096)
def word_cost(word: str, page: str) -> float:
    """What is unlikely about a word with letters beyond ASCII, in the language of the page that it fits best."""
    if word.lower() in _ENGLISH:
        return 0.0 if word[1:] == word[1:].lower() or word == word.upper() else places.MISPLACED
    strange = {letter for letter in word if letter not in _ASCII}
    if max(word) >= chr(_LATIN) and len(strange) < len(set(word)):
        return _NO_WORD  # scripts are not mixed inside a word
    framed = f" {word} "
    pairs = [(ord(a), ord(b)) for a, b in pairwise(framed) if a > "\x7f" or b > "\x7f"]
    first, second = np.array(pairs).T
    case = characters()[2]
    capitals = [case[ord(letter)] == classes.LARGE for letter in word]
    inside = zip(capitals[1:], word[1:], strict=True)
    cases = 0 if all(capitals) else sum(large and letter in strange for large, letter in inside)
    least = [_cost_in(language, first, second) for language in _writers(page, frozenset(strange))]
    cost = _as_german(word, min(max(min(least), 0.0), _WORST_WORD) if least else _NO_WORD)
    if all(capitals[:-1]) and not capitals[-1] and len(word) > _CAPITALS and word[-1] in strange:
        cases += 1  # a small letter after a word of capitals
    cost += places.MISPLACED * cases
    if len(word) == 1:
        return cost + (_ALONE if ord(word) < _LATIN else places.MISPLACED)
    if len(strange) == len(word):
        cost += _ALL_FOREIGN if max(word) < chr(_LATIN) else _OTHER_SCRIPT
    return cost


def _as_german(word: str, cost: float) -> float:
    """The cost of a word, corrected where only names of German have such letters."""
    if _AS_SHARP.search(word):
        return max(cost, _ABSURD)
    # The tables are of words, and since 1996 few of them have ß where names have kept it.
    return max(cost - _NAMED, 0.0) if _SHARP.search(word) else cost


def _cost_in(language: Language, first: I64, second: I64) -> float:
    costs = language.pairs[language.symbols[first], language.symbols[second]] + language.emitted[second]
    return float(costs.sum()) / classes.SCALE - _EXPECTED * len(first)


@cache
def _writers(page: str, strange: frozenset[str]) -> tuple[Language, ...]:
    """The languages that a page is for and that have all of these letters."""
    lower = characters()[1]
    codes = {int(lower[ord(letter)]) for letter in strange}
    return tuple(language for _, language in speakers(page) if codes <= set(language.letters.tolist()))
