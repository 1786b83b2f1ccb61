"""Verification of `contains`: exact counts of shared shingles, given up early where too many are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.index.rare_shingles import Inside
from truecopy.kernels.arrays import read_only
from truecopy.kernels.contain import count_contained
from truecopy.match.threads import run
from truecopy.text.streams import Streams
from truecopy.threshold import WHOLE, ten_thousandths

Array = npt.NDArray[Any]


def shared_of_contained(
    streams: Streams, inside: Inside, floor: float, threads: int, advance: Callable[[int], None] | None = None
) -> Array:
    """For each candidate, how many distinct shingles the two share; -1 where the floor is not reached."""
    out = np.empty(len(inside.contained), np.int64)
    loss = WHOLE - ten_thousandths(floor, "floor")
    words, offsets, keys = read_only(streams.words), read_only(streams.offsets), read_only(streams.keys)
    sizes, firsts = read_only(inside.sizes), read_only(inside.firsts)
    contained, containing = read_only(inside.contained), read_only(inside.containing)

    def work(low: int, high: int) -> None:
        some = contained[low:high], containing[low:high]
        count_contained(words, offsets, keys, sizes, firsts, loss, WHOLE, *some, out[low:high])

    run(work, inside.sizes[inside.contained] + 64, threads, advance)
    return out
