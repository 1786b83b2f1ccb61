"""Whether a sign is where writers put it: a £ before a figure, a ° after one, a quote that opens before a word.

Every code page makes something of a byte, but hardly ever something that makes sense where the byte is: what is £500
in one page is ú500 or Ł500 in others, and nobody writes that. So one sign in its place tells more than its rarity.
Costs are natural logarithms, as in the letter tables, but set by hand: signs are too rare to be counted.
"""

from __future__ import annotations

import re

from truecopy.read.encodings import halves

MISPLACED = 14.0
"""What a sign costs beside its rarity where nobody puts it."""
UNPAIRED = 6.0
"""What a quote costs that only closes, or only opens within a text."""
CLOSES = 4.0
"""What a quote that opens costs where it closes."""
NOTED, SECOND = 3.0, 5.0
"""What a mark of a footnote costs after a word, and the second one more without the first."""
_SLIP = 5.0
_STRANGE = 12.0
_CONTROL = 20.0
_FORMULA = 9.0

_BEFORE_WORD = re.compile(r"(?:^|[\W_])$")
_OPENS = re.compile(r"^\S")
_ENDS = re.compile(r"^(?:$|[\W_])")
_FIGURE_BEFORE, _FIGURE_AFTER = re.compile(r"\d[.,]?-?[\s\xa0]?$"), re.compile(r"^[\s\xa0]?[\d.]")
_WORD_BEFORE, _WORD_AFTER = re.compile(r"[^\W_]$"), re.compile(r"^[^\W_]")

# Each sign: how rare it is, what must be before it, and what after it.
_ANY = re.compile("")
_EDGE = re.compile(r"(?:^|[^A-Za-z])$")
_Rule = tuple[float, re.Pattern[str], re.Pattern[str]]
_NOT_A_WORD = re.compile(r"^(?:$|[\W_])")
_BARE: _Rule = (6.0, re.compile(r"(?:^|[\s(/“\"'])$"), _ENDS)
_NO_WORD_BEFORE = re.compile(r"(?:^|[\W\d_])$")
_WHOLE_WORD_BEFORE, _WHOLE_WORD_AFTER = re.compile(r"(?:\w\w|\b[aI])$"), re.compile(r"^(?:\w\w|[aI]\b)")
_RULES: dict[str, list[_Rule]] = {
    "“‘": [(0.0, _BEFORE_WORD, _OPENS), (CLOSES, re.compile(r"[^\s(\[{]$"), _ENDS)],
    "«": [(2.0, _BEFORE_WORD, _ANY)],
    "‹": [(4.0, _BEFORE_WORD, _OPENS)],
    "„‚": [(3.0, _BEFORE_WORD, _OPENS)],
    # A space before it is a slip of the pen.
    "”": [(0.0, re.compile(r"[^\s(\[{]$"), _ENDS), (_SLIP, re.compile(r"\w\s$"), re.compile(r"^(?:$|[.,;:)])"))],
    "»": [(2.0, re.compile(r"\D$"), _ENDS), (5.0, _ANY, _ENDS)],
    "›": [(4.0, re.compile(r"[^\s(\[{]$"), _ENDS)],
    "’": [
        (0.0, re.compile(r"[^\s(\[{]$"), re.compile(r"^(?:$|[\W\d_]|(?:s|t|d|m|n|re|ve|ll|em|er)\b)", re.IGNORECASE)),
        (0.0, re.compile(r"(?:\b\w{1,2}|ll|qu|rd|st)$", re.IGNORECASE), _ANY),
        (7.0, _WORD_BEFORE, _WORD_AFTER),
        (1.0, _BEFORE_WORD, re.compile(r"^(?:\d|[a-z])")),
    ],
    "–": [(0.0, _NO_WORD_BEFORE, _ANY), (0.0, _ANY, _NOT_A_WORD), (3.0, _ANY, _ANY)],
    "—": [
        (0.0, _NO_WORD_BEFORE, _ANY),
        (0.0, _ANY, re.compile(r"^(?:$|[^\w\s])")),
        (6.0, _ANY, _NOT_A_WORD),
        (0.0, _WHOLE_WORD_BEFORE, _WHOLE_WORD_AFTER),
    ],
    "…": [
        (0.5, re.compile(r"[\w.,;:!?)”’…*]$"), _ENDS),
        (1.0, re.compile(r"(?:^|\s|[(\[“‘…])$"), re.compile(r"^(?:$|[\s\w)\].…*])")),
    ],
    "•": [(0.5, re.compile(r"(?:^|\s)$"), re.compile(r"^(?:$|[\s\xa0A-Z])"))],
    "·": [
        (1.0, re.compile(r"(?:^|[\s(\[])$"), re.compile(r"^(?:$|[\W_A-Z])")),
        (3.0, re.compile(r"\w$"), re.compile(r"^\w")),
    ],
    "§": [(0.5, re.compile(r"(?:^|[\s(\[/§,;“])$"), re.compile(r"^[\s\xa0\d§]"))],
    "¶": [(2.5, re.compile(r"(?:^|[\s(\[/¶,;“])$"), re.compile(r"^[\s\xa0\d¶]"))],
    # In brackets it stands for what was left out, as a hard space does: either may be meant.
    "†‡": [
        (1.5, re.compile(r"[\[(]$"), re.compile(r"^[\])]")),
        (NOTED, re.compile(r"\S$"), _ENDS),
        (4.0, re.compile(r"(?:^|\s)$"), re.compile(r"^\s?[A-Z\d]")),
        (2.0, re.compile(r"(?:^|\s)$"), re.compile(r"^\s[a-z]")),
    ],
    "©": [(0.0, re.compile(r"(?:^|[\s(\[“\"'>])$"), re.compile(r"^(?:$|[\s\xa0\d)\]A-Z])"))],
    "®™": [
        (0.5, re.compile(r"[\w)”\"]$"), _NOT_A_WORD),
        (2.0, re.compile(r"(?:^|[\s(“\"'])$"), re.compile(r"^(?:$|[)”\"'])")),
        (3.0, re.compile(r"(?:^|[\s(“\"'])$"), re.compile(r"^[\s.,;)”\"']")),
        (4.0, re.compile(r"\w$"), re.compile(r"^[A-Z\d]")),
    ],
    "£": [(0.0, _EDGE, _FIGURE_AFTER), (1.0, re.compile(r"[A-Z]$"), _FIGURE_AFTER), _BARE],
    "€": [(0.0, _ANY, _FIGURE_AFTER), (0.0, _FIGURE_BEFORE, _NOT_A_WORD), _BARE],
    "¥": [(1.5, _EDGE, _FIGURE_AFTER), (1.5, _FIGURE_BEFORE, _NOT_A_WORD)],
    "¢": [(2.0, _FIGURE_BEFORE, _NOT_A_WORD)],
    "°": [
        (0.0, _FIGURE_BEFORE, re.compile(r"^(?:$|\W|[CFKNSEW])")),
        (2.0, _EDGE, re.compile(r"^[\s\xa0]?[CF]\b")),
        (2.0, re.compile(r"\b[NnP]$"), _NOT_A_WORD),
    ],
    "²³": [
        (1.0, re.compile(r"(?:^|[^A-Za-z])(?:[ckmd]?m|ft|in|yd|mi)$"), _NOT_A_WORD),
        (4.0, re.compile(r"[\w.,)]$"), _NOT_A_WORD),
    ],
    "¹": [(3.0, re.compile(r"[\w.,)]$"), _NOT_A_WORD)],
    "½¼¾": [(1.0, re.compile(r"(?:^|[\s\d(\-–/$£])$"), re.compile(r"^(?:$|[\s.,;:)%”’\"'\-–/°¢])"))],
    "±": [(1.5, re.compile(r"(?:^|[\s(\d])$"), re.compile(r"^[\s\d.]"))],
    "×": [(1.5, re.compile(r"[\s\d)]$"), re.compile(r"^[\s\d(]"))],
    "÷": [(3.0, re.compile(r"[\s\d)]$"), re.compile(r"^[\s\d(]"))],
    # A unit, and not the Á of Ávila in a page of DOS.
    "µ": [
        (2.0, re.compile(r"(?:^|[\s\d(])$"), re.compile(r"^(?:[A-Za-z]{1,2}|mol)\b")),
        (8.0, re.compile(r"(?:^|[\s\d(])$"), re.compile(r"^[A-Za-z]")),
    ],
    "¡¿": [(3.0, _BEFORE_WORD, re.compile(r"^[A-Za-zÀ-ÿ]"))],
    "ºª": [(3.0, re.compile(r"(?:\d|[Nn])\.?$"), _NOT_A_WORD)],
    "\xa0": [
        (0.0, re.compile(r"[\W\d]$"), _ANY),
        (0.0, _ANY, re.compile(r"^[\W\d]")),
        (2.0, _WHOLE_WORD_BEFORE, _WHOLE_WORD_AFTER),
        (8.0, _ANY, _ANY),
    ],
    "\xad": [(2.0, _WORD_BEFORE, _ANY)],
    "‰": [(3.0, _FIGURE_BEFORE, _NOT_A_WORD)],
    "№": [(3.0, _BEFORE_WORD, _FIGURE_AFTER)],
    "´": [(_SLIP, _WORD_BEFORE, _ANY)],
    "¦¬ƒ": [(7.0, _EDGE, _NOT_A_WORD)],
    "≤≥≠≈": [(4.0, re.compile(r"[\s\d]$"), re.compile(r"^[\s\d]"))],
    # A box to be ticked, in the font that such forms have.
    "¨": [(3.0, re.compile(r"(?:^|[\s(\[])$"), re.compile(r"^(?:$|[\s\xa0)\]])"))],
    "¤": [(_STRANGE, _ANY, _ANY)],
}  # fmt: skip
_BY_SIGN = {sign: rules for signs, rules in _RULES.items() for sign in signs}
_SLIPS = {"©": re.compile(r"\w$"), "®": re.compile(r"\s$"), "½": re.compile(r"\d$")}
"""Where a sign is seen at times though it does not belong there."""
_BETWEEN_LETTERS = re.compile(r"[A-Za-z]$"), re.compile(r"^[a-z]")
_DIVIDES = {"\xa0": (2.0, 5.0, MISPLACED), "–": (3.0, 8.0, MISPLACED)}
"""What a sign costs between two letters: where two words meet, where they may, and where they do not."""


def cost(before: str, sign: str, after: str) -> float:
    """What a sign costs between what is before and after it in its line."""
    if sign in _DIVIDES and all(
        rule.search(side) for rule, side in zip(_BETWEEN_LETTERS, (before, after), strict=True)
    ):
        divided = halves.dashed if sign == "–" else halves.divided
        return _DIVIDES[sign][divided(before, after)]
    rules = _BY_SIGN.get(sign)
    if rules is None:
        return _unknown(before, sign, after)
    fits = [rarity for rarity, left, right in rules if left.search(before) and right.search(after)]
    if fits:
        return min(fits)
    slip = _SLIPS.get(sign)
    return rules[0][0] + (_SLIP if slip is not None and slip.search(before) else MISPLACED)


def _unknown(before: str, sign: str, after: str) -> float:
    code = ord(sign)
    if code == 0xFFFD or code < 160 or 0xE000 <= code < 0xF900:
        return _CONTROL
    if 0x2500 <= code < 0x2600:
        # Lines and frames are many in a row, and touch no word.
        framed = _is_frame(before[-1:]) or _is_frame(after[:1])
        return 1.0 if framed and not (_WORD_BEFORE.search(before) or _WORD_AFTER.search(after)) else _STRANGE
    in_word = _WORD_BEFORE.search(before) or _WORD_AFTER.search(after)
    return _FORMULA + (MISPLACED if in_word else 0.0)


def _is_frame(sign: str) -> bool:
    return bool(sign) and 0x2500 <= ord(sign) < 0x2600
