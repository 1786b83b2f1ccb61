"""Work on many pairs, split over threads by cost; the result does not depend on the split."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from truecopy.threads import in_pieces


def run(
    work: Callable[[int, int], None],
    cost: NDArray[np.int64],
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Call `work(low, high)` for ranges of items, on `threads` threads; `advance` is called as each ends."""
    in_pieces(work, cost, threads, advance)
