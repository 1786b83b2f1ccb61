"""Verification of `contains`: exact counts of shared shingles, given up early where too many are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.index.rare_shingles import Inside
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

    def work(low: int, high: int) -> None:
        count_contained(
            streams.words, streams.offsets, streams.keys, inside.sizes, inside.firsts, loss, WHOLE,
            inside.contained[low:high], inside.containing[low:high], out[low:high],
        )  # fmt: skip

    run(work, inside.sizes[inside.contained] + 64, threads, advance)
    return out
