"""What segments of words of format 5 must be like before anything is made of them.

Their arrays had other names than those of format 6, but otherwise the same rules; what is written is checked once more
by these (`matter/checked.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import DamagedSegment
from truecopy.matter.sql.cells import HINT

Arrays = Mapping[str, Any]

_STREAMS: dict[str, type[np.generic]] = {
    "numbers": np.int64,
    "words": np.uint32,
    "offsets": np.int64,
    "breaks": np.uint8,
    "marks": np.uint64,
    "mark_offsets": np.int64,
}
_VOCABULARY: dict[str, type[np.generic]] = {"hashes": np.uint64, "letters": np.uint8, "letter_ends": np.int64}


def check_former_streams(name: str, arrays: Arrays, documents: I64, words: int) -> None:
    """Refuse streams that are not of the texts of some documents, or that have words beyond the vocabulary."""
    _check_form(name, arrays, _STREAMS)
    if not np.array_equal(arrays["numbers"], documents) or len(arrays["offsets"]) != len(documents) + 1:
        raise _wrong(name, "its texts are not those of the documents table")
    if len(arrays["words"]) and int(arrays["words"].max()) >= words:
        raise _wrong(name, "it names words that the vocabulary does not have")


def check_former_vocabulary(name: str, arrays: Arrays) -> None:
    """Refuse a vocabulary whose words do not follow one another, from the first letter to the last."""
    _check_form(name, arrays, _VOCABULARY)
    letters, ends = arrays["letters"], arrays["letter_ends"]
    last = int(ends[-1]) if len(ends) else 0
    in_order = not len(ends) or (int(ends[0]) >= 1 and bool((ends[1:] > ends[:-1]).all()))
    if len(arrays["hashes"]) != len(ends) or last != len(letters) or not in_order:
        raise _wrong(name, "its words do not follow one another")


def _check_form(name: str, arrays: Arrays, form: Mapping[str, type[np.generic]]) -> None:
    if set(arrays) != set(form):
        raise _wrong(name, "an array is missing, or one is there that should not be")
    for array, dtype in form.items():
        if arrays[array].dtype != dtype or arrays[array].ndim != 1:
            raise _wrong(name, f"its array {array} has the wrong type or size")


def _wrong(name: str, what: str) -> DamagedSegment:
    return DamagedSegment(f"The matter's file {name} does not hold what it says it holds: {what}.", HINT)
