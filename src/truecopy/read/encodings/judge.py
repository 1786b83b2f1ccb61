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
from truecopy.read.encodings.guess import Evidence, Guess, by_character, rival, same_text
from truecopy.read.encodings.letters import characters
from truecopy.read.encodings.pages import EBCDIC, UNDEFINED, code_points, is_single

_DIVIDED_BY = 4
_MOST = 99
"""Nothing that was guessed is certain."""
_STRANGE = {False: 6.4, True: 8.6}
"""What a pair beyond ASCII costs at most where a language fits; True: characters of Chinese, Japanese and Korean."""
_FEW = 12
_FEW_STRANGE = 9.5
"""The same for a few pairs: any of them may be rare."""


def judged(best: Guess, others: list[Guess], seen: Evidence) -> tuple[int, str]:
    """The confidence of a guess, and the doubt about it."""
    near = rival(best, others, seen.used)
    ahead = (near.cost - best.cost) / classes.SCALE if near is not None else 1_000.0
    confidence = min(int(100 * (1 - exp(-ahead / _DIVIDED_BY))), _MOST)
    name = best.encoding
    if is_single(name) and (code_points(name)[seen.used] == UNDEFINED).any():
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: some of its bytes have no meaning in it"
    few = int(seen.counts.sum()) < _FEW
    if best.fit > (_FEW_STRANGE if few else _STRANGE[by_character(best.language)]):
        return min(confidence, DOUBTFUL - 1), f"read as {name} with doubt: its letters fit no language well"
    if near is not None and confidence < DOUBTFUL:
        return confidence, f"read as {name} with doubt: its bytes fit {near.encoding} as well"
    other = next((each for each in ("cp037", "cp500") if _by_signs(name, each, seen)), "")
    if other:
        return DOUBTFUL - 1, f"read as {name} with doubt: {other} has other signs at some of its bytes"
    return confidence, ""


def _by_signs(name: str, other: str, seen: Evidence) -> bool:
    """Whether two of IBM's pages differ in signs only (brackets, bars …), which letters cannot tell."""
    if name not in EBCDIC or same_text(name, other, seen.used):
        return False
    mine, theirs = code_points(name)[seen.used], code_points(other)[seen.used]
    kinds = characters()[0][np.concatenate([mine[mine != theirs], theirs[mine != theirs]])]
    return not np.isin(kinds, list(classes.LETTERS)).any()
