"""How sure a guess is, and what there is to doubt.

The confidence is 1 − e^(−m/4), where m is how much likelier the guess is than its rival, as a natural logarithm:
letters are no independent witnesses, so m counts for a quarter. A text is read with doubt below 95, which is m = 12;
where its letters are no language that there are tables of; and where IBM's pages differ in signs only.
"""

from __future__ import annotations

from math import exp

import numpy as np

from truecopy.read.encodings import classes
from truecopy.read.encodings.found import DOUBTFUL
from truecopy.read.encodings.guess import (
    Evidence,
    Guess,
    by_character,
    is_misplaced,
    language_of_ascii,
    rival,
    same_text,
)
from truecopy.read.encodings.letters import case_costs, characters, languages, pair_costs
from truecopy.read.encodings.pages import EBCDIC, RARITY, UNDEFINED, code_points, is_single

_DIVIDED_BY = 4
_MOST = 99
"""Nothing that was guessed is certain."""
_STRANGE = {False: 6.4, True: 8.6}
"""What a pair beyond ASCII costs at most where a language fits; True: characters of Chinese, Japanese and Korean."""
_WESTERN = "cp1252"
_HANDFUL, _MOSTLY = 12, 10
"""Different pairs beyond ASCII that prove nothing, where pairs of ASCII are so many times as many."""
_OPENS, _CLOSES = 0x93, 0x94
_OPENING = [0x82, 0x84, 0x8B, 0x91, _OPENS]
_LETTERS = [*b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"]
_BY_CUSTOM = 50
"""How sure that page is in such a text, whatever its few letters seem to say."""
_WITH_COMMAS = "iso8859-16"
_COMMAS = {(ord(cedilla), ord(comma)) for cedilla, comma in zip("şţŞŢ", "șțȘȚ", strict=True)}
"""Letters of Romanian at the same bytes of two pages: no text tells which of them is meant."""
_HARDLY_ANY = 6
_FEW = 12
_FEW_STRANGE = 10.0
"""The same for a few pairs, and for foreign names in English: any of them may be rare."""


def preferred(ranked: list[Guess], seen: Evidence) -> Guess:
    """The likeliest guess; in a text of ASCII letters with a few others, the page that such texts are in.

    A few letters that come again and again are one witness each, and some page always makes something of them.
    """
    best = ranked[0]
    western = next((guess for guess in ranked if guess.encoding == _WESTERN), None)
    if western is None or not _is_thin(seen) or best.encoding in EBCDIC:
        return best
    return best if (code_points(_WESTERN)[seen.used] == UNDEFINED).any() else western


def _is_thin(seen: Evidence) -> bool:
    """Whether nearly all is ASCII and English, and what is not is a handful of different pairs."""
    beyond, plain = int(seen.counts.sum()), int(seen.ascii_counts.sum())
    return len(seen.counts) <= _HANDFUL and plain >= _MOSTLY * beyond and language_of_ascii(seen) == "English"


def _is_misused(seen: Evidence) -> bool:
    """Whether signs of the western page are where no writer puts them: quotes that open after a letter, or only close.

    In the pages of DOS and of old Macs the same bytes are letters.
    """
    inside = np.isin(seen.second, _OPENING) & np.isin(seen.first, _LETTERS)
    return bool(inside.any()) or bool(seen.used[_CLOSES] and not seen.used[_OPENS])


def judged(best: Guess, others: list[Guess], seen: Evidence) -> tuple[int, str]:
    """The confidence of a guess, and the doubt about it."""
    near = rival(best, others, seen.used)
    ahead = max(near.cost - best.cost, 0) / classes.SCALE if near is not None else 1_000.0
    confidence = min(int(100 * (1 - exp(-ahead / _DIVIDED_BY))), _MOST)
    name = best.encoding
    if name == _WESTERN and _is_thin(seen):
        confidence = max(confidence, _BY_CUSTOM)
    if is_single(name) and (code_points(name)[seen.used] == UNDEFINED).any():
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: some of its bytes have no meaning in it"
    unlikely = int(seen.counts.sum()) < _HARDLY_ANY or (name in RARITY and is_misplaced(name, best.language))
    if unlikely and not same_text(name, "cp1252", seen.used):
        # One or two odd characters prove nothing, however well they fit.
        other = "cp1252" if near is None or name == "cp1252" else near.encoding
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: its bytes fit {other} as well"
    if name == _WESTERN and _is_thin(seen) and _is_misused(seen):
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: its bytes fit cp437 as well"
    if _is_thin(seen) and name != _WESTERN and not same_text(name, _WESTERN, seen.used):
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: its bytes fit {_WESTERN} as well"
    if _is_strange(best, seen):
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: its letters fit no language well"
    if near is not None and confidence < DOUBTFUL:
        return confidence, f"read as {name} with doubt: its bytes fit {near.encoding} as well"
    other = next((each for each in ("cp037", "cp500") if _by_signs(name, each, seen)), "")
    if other:
        return DOUBTFUL - 1, f"read as {name} with doubt: {other} has other signs at some of its bytes"
    if best.language == "Romanian" and _by_commas(name, seen):
        return DOUBTFUL - 1, f"read as {name} with doubt: in {_WITH_COMMAS}, its ş and ţ would be ș and ț"
    return confidence, ""


def _by_commas(name: str, seen: Evidence) -> bool:
    """Whether the page that has Romanian letters with commas below differs from another in these letters only."""
    if not is_single(name):
        return False
    mine, theirs = code_points(name)[seen.used], code_points(_WITH_COMMAS)[seen.used]
    differ = mine != theirs
    pairs = set(zip(mine[differ].tolist(), theirs[differ].tolist(), strict=True))
    return bool(pairs) and pairs <= _COMMAS


def _is_strange(best: Guess, seen: Evidence) -> bool:
    """Whether the letters beyond ASCII are not those of the language, or are no letters but boxes and controls."""
    if not is_single(best.encoding):
        return best.fit > _STRANGE[by_character(best.language)]
    if best.encoding in EBCDIC:
        return best.fit > _STRANGE[False]
    codes = code_points(best.encoding)
    first, second = codes[seen.first], codes[seen.second]
    kinds = characters()[0]
    high = second > 127
    odd = int(seen.counts[high & np.isin(kinds[second], list(classes.ODD))].sum())
    if 5 * odd > int(seen.counts[high].sum()):
        return True
    letters = np.isin(kinds[first], list(classes.LETTERS)) & (first > 127)
    letters |= np.isin(kinds[second], list(classes.LETTERS)) & high
    count = int(seen.counts[letters].sum())
    if not count:
        return False
    language = next(each for each in languages() if each.name == best.language)
    costs = pair_costs(language, first[letters], second[letters]) + case_costs(first[letters], second[letters])
    cost = int((costs * seen.counts[letters]).sum()) / count / classes.SCALE
    return cost > (_FEW_STRANGE if count < _FEW or best.language == "English" else _STRANGE[False])


def _by_signs(name: str, other: str, seen: Evidence) -> bool:
    """Whether two of IBM's pages differ in signs only (brackets, bars …), which letters cannot tell."""
    if name not in EBCDIC or same_text(name, other, seen.used):
        return False
    mine, theirs = code_points(name)[seen.used], code_points(other)[seen.used]
    kinds = characters()[0][np.concatenate([mine[mine != theirs], theirs[mine != theirs]])]
    return not np.isin(kinds, list(classes.LETTERS)).any()
