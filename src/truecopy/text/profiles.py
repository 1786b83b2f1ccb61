"""Text profiles: the form in which a text is compared, with the map back to what the author wrote.

plain     folded words, joined by single spaces: case, punctuation and layout do not count
verbatim  the text as it is

Normalizing twice changes nothing. A profile's spec names the profile, its version and the Unicode version, so that
signatures made under different profiles are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truecopy.errors import BadSetting
from truecopy.text.folding import fold_bytes, points_text, word_starts
from truecopy.text.tokens import code_point_places
from truecopy.text.unicode_tables import UNICODE

VERSIONS = {"plain": 2, "verbatim": 1}
"""Raised whenever a profile gives another text than before. plain/2: marks with nothing before them are no words."""

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Canonical:
    """A text under a profile; its code point i came from original[starts[i]:ends[i]]."""

    text: str
    starts: Offsets
    ends: Offsets
    spec: str

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that text[start:end] came from; empty spans give an empty one.

        >>> canonical = plain("The  LESSEE, shall")
        >>> canonical.text, canonical.span(4, 10)
        ('the lessee shall', (5, 11))
        """
        if not 0 <= start <= end <= len(self.text):
            raise BadSetting(
                f"The span {start} to {end} is not inside a text of {len(self.text)} code points.",
                "Give a start and an end within the canonical text.",
            )
        if start < end:
            return int(self.starts[start:end].min()), int(self.ends[start:end].max())
        if len(self.text) == 0:
            return 0, 0
        place = int(self.starts[start]) if start < len(self.text) else int(self.ends[-1])
        return place, place


def spec(profile: str) -> str:
    """What a signature's spec says of its text profile.

    >>> spec("plain")
    'plain/2 unicode-15.0.0'
    """
    if profile not in VERSIONS:
        raise BadSetting(
            f"The text profile {profile!r} does not exist.", f"Choose one of: {', '.join(sorted(VERSIONS))}."
        )
    return f"{profile}/{VERSIONS[profile]} unicode-{UNICODE}"


def plain(text: str) -> Canonical:
    """Folded words joined by single spaces; a space maps to what was between its two words.

    >>> plain("§ 5  Straße—NEU!").text
    '5 strasse neu'
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    points, byte_starts, byte_ends = fold_bytes(data)
    inside, begins = word_starts(points)
    places = code_point_places(data)
    starts, ends = places[byte_starts[inside]], places[byte_ends[inside]]
    firsts = np.flatnonzero(begins[inside])[1:]
    canonical = np.insert(points[inside], firsts, ord(" "))
    gap_starts, gap_ends = ends[firsts - 1], starts[firsts]
    return Canonical(
        points_text(canonical),
        np.insert(starts, firsts, np.minimum(gap_starts, gap_ends)),
        np.insert(ends, firsts, np.maximum(gap_starts, gap_ends)),
        spec("plain"),
    )
