"""The changes that a lawyer asks for first: figures, dates, and words that turn the sense.

They are listed above a redline, equal ones once with their number, and marked in its margin. The list says how many
it has no room for, so that nobody takes it for complete when it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from truecopy.model import Difference
from truecopy.report import shown
from truecopy.report.page import Change, Changes

_MARKS = "$€£¥¢₩₪₫₱₹₽₺฿%‰☐☑☒✓✔✗✘□■±−"
_FIGURE = re.compile(
    rf"\d|[{_MARKS}]|\b(?:not|no|nor|never|none|neither|without|except|unless|cannot|"
    r"january|february|march|april|june|july|august|september|october|november|december)\b|n['’]t\b",
    re.IGNORECASE,
)
_TURNING = frozenset("shall may must will should can could would and or".split())
_AROUND = re.compile(rf"^[^\w({_MARKS}]+|[^\w){_MARKS}]+$")
_WORD = re.compile(r"\w+")
_LONGEST = 90
"""Characters of a change that is listed; longer ones are counted."""
_SHORT = 3
"""Words of a replacement in which `may` or `and` is the point, and not by chance."""


def matters(one: Difference) -> bool:
    """Whether a difference touches a figure, a date, or a word that turns the sense.

    >>> matters(Difference("replace", (0, 3), (0, 4), "may", "must", False))
    True
    """
    if one.layout or one.op == "move":
        return False
    if _FIGURE.search(one.a_text) or _FIGURE.search(one.b_text):
        return True
    before, after = (_WORD.findall(text.lower()) for text in (one.a_text, one.b_text))
    if not before and not after:  # no word on either side, but not layout: a figure mark
        return True
    return max(len(before), len(after)) <= _SHORT and bool((set(before) ^ set(after)) & _TURNING)


def summarize(differences: Iterable[Difference], most: int) -> Changes:
    """The changes that matter, most frequent first; `most` of them listed, the rest counted."""
    seen: dict[tuple[str, str], int] = {}
    long = 0
    for one in differences:
        if not matters(one):
            continue
        if max(len(one.a_text), len(one.b_text)) > _LONGEST:
            long += 1
        else:
            key = _told(one.a_text, one.b_text)
            seen[key] = seen.get(key, 0) + 1
    ranked = sorted(seen.items(), key=lambda item: -item[1])  # stable: ties in the text's order
    listed = tuple(Change(before, after, times) for (before, after), times in ranked[:most])
    return Changes(listed, sum(times for _, times in ranked[most:]), long)


def _told(before: str, after: str) -> tuple[str, str]:
    """Both sides on one line, without the punctuation around them unless that is the point."""
    lines = (" ".join(before.split()), " ".join(after.split()))
    bare = (_AROUND.sub("", lines[0]), _AROUND.sub("", lines[1]))
    if bare[0] == bare[1] or not any(bare):
        bare = lines
    return shown.name(bare[0]), shown.name(bare[1])
