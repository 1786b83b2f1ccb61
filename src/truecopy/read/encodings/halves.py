"""Whether a hard space or a dash between two letters divides two words, or is a letter of one in another page.

In the pages of DOS a hard space is á, and on old Macs an en dash is ñ: Hernández of code page 437 is `Hern ndez` in
1252, and Muñoz of a Mac is `Mu–oz`. What tells them apart is what is left on both sides: halves of a name are seldom
words, and most leave one letter, or a beginning that no word has.
"""

from __future__ import annotations

import re

KNOWN, UNKNOWN, BROKEN = 0, 1, 2
"""Two words, one of which everybody uses; two halves that may be words; halves of which one is none."""

# All words of two letters, then the commonest; of other languages those that few names begin or end with.
_SHORT = frozenset(
    "am an as at be by do go he if in is it me my no of on or so to up us we "
    "de la le el il un une en et au du ne ce di da al den der die das des und van les las los del que sur par".split()
)
_COMMON = _SHORT | frozenset(
    "a about above after all also among and any are because been before being below between both but can could does "
    "during each either every for from had has have having her here hereby herein hereof hereto hereunder his how into "
    "its less may more most must nor not off one only other our out over own per same shall she should some such than "
    "that the their them then there thereof these they this those through two under unless until upon was were what "
    "when where whether which while who whose will with within without would you your".split()
)
_PREFIXES = frozenset("anti bi co de multi pre pro re semi".split())
"""What a dash divides from a word though it is none."""
_BEFORE, _AFTER = re.compile(r"[A-Za-z]+$"), re.compile(r"^[A-Za-z]+")
_ABBREVIATED = "’'.-/&"
"""What makes a part of a word of the letters beside it: the company’s, p.m, and/or."""
_VOWEL = re.compile("[aeiouy]", re.IGNORECASE)
_BEGINS = re.compile(
    "(?:[aeiouy]|[bcdfghjklmnpqrstvwxz][aeiouy]|[bcfgkp]l|[bcdfgkptvw]r|[cgpstw]h|[gkp]n|ps|s[cfklmnpqtw]|[dt]w)",
    re.IGNORECASE,
)
"""How words begin: Hern|ndez and Vel|zquez have no such word."""
_ENDS_ODDLY = re.compile("(?:[bcdfghklmnpqrstvwz]z|[^aeiouy]v|[bcdfghjkpqtvwxz]r|[jqv])$", re.IGNORECASE)
"""How no word ends: Gonz|lez, Narv|ez, Beltr|n."""
_LEAST = 3


def divided(before: str, after: str) -> int:
    """Whether two words meet between what is before and what is after, both with an ASCII letter at the place: KNOWN,
    UNKNOWN or BROKEN.
    """
    left, right = _halves(before, after)
    one, other = left.lower(), right.lower()
    if len(one) == len(other) == 1:
        return KNOWN if left.islower() else BROKEN  # a list of letters, or a name
    if _is_label(left, before, other):
        return KNOWN
    if not (_is_whole(one, before[: len(before) - len(left)]) and _is_whole(other, after[len(right) :][::-1])):
        return BROKEN
    return KNOWN if one in _COMMON or other in _COMMON else UNKNOWN


def dashed(before: str, after: str) -> int:
    """The same for a dash, which divides parts of words too; a letter in its place is one between vowels."""
    left, right = (half.lower() for half in _halves(before, after))
    if left in _PREFIXES or len(left) == len(right) == 1:
        return KNOWN
    if not (_is_vowel(left[-1]) and _is_vowel(right[0])):
        return UNKNOWN if len(right) == 1 else KNOWN
    found = divided(before, after)
    if found == KNOWN and left in _COMMON and (len(left) >= _LEAST or min(len(left), len(right)) > 1):
        return KNOWN
    if len(left) == 1 or left[-1] in "iu":
        return BROKEN  # O–ate, Qui–ones: hardly any word of English ends like this …
    return max(found, UNKNOWN) if left[-1] != "e" or len(right) == 1 else found  # … and few like Caba–as


def _is_label(left: str, before: str, right: str) -> bool:
    """Whether letters are no word but something is said of them: the bullet o, the name X, an abbreviation."""
    if left == "o":
        return not before[:-1].strip()
    return left.isupper() and (len(left) > 1 or (len(right) >= _LEAST and right in _COMMON))


def _halves(before: str, after: str) -> tuple[str, str]:
    left, right = _BEFORE.search(before), _AFTER.search(after)
    return left.group() if left else "", right.group() if right else ""


def _is_vowel(letter: str) -> bool:
    return letter in "aeiou"


def _is_whole(half: str, beyond: str) -> bool:
    """Whether a half may be a word by itself; `beyond` ends with what is on its other side."""
    if half in _COMMON or (beyond and beyond[-1] in _ABBREVIATED):
        return True
    if len(half) < _LEAST:
        return half == "i"
    return _VOWEL.search(half) is not None and _BEGINS.match(half) is not None and not _ENDS_ODDLY.search(half)
