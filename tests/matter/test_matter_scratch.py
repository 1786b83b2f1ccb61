"""Arrays of a wave that are out of memory: what is read is what was written, whoever reads; a cut file is noticed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from truecopy.matter.change.scratch import Scratch


def test_threads_write_and_read_side_by_side(tmp_path: Path) -> None:
    """Each array is its own, in every cut of it."""
    with (tmp_path / "scratch").open("w+b") as file, ThreadPoolExecutor(4) as pool:
        scratch = Scratch(file)

        def write_and_read(number: int) -> None:
            array = np.arange(number, 50 * number, dtype=(np.uint8, np.uint32, np.uint64)[number % 3])
            kept = scratch.keep(array)
            assert len(kept) == len(array)
            for first in range(0, len(array) + 7, 7):
                assert np.array_equal(kept[first : first + 7], array[first : first + 7])
            assert kept[:].dtype == array.dtype
            assert np.array_equal(kept[:], array)

        list(pool.map(write_and_read, range(40)))


def test_a_file_that_is_cut_off_is_an_error_of_the_disk(tmp_path: Path) -> None:
    """Never an array of whatever was in memory."""
    with (tmp_path / "scratch").open("w+b") as file:
        kept = Scratch(file).keep(np.arange(1000))
        file.flush()
        file.truncate(4000)
        with pytest.raises(OSError, match="cut off"):
            kept[:]
