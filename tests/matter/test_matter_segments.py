"""Segment files: what was written comes back, and damage of any byte is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from truecopy.errors import DamagedSegment, MatterError
from truecopy.segments import read_segment, write_segment
from truecopy.streamed import Streamed

ARRAYS = {
    "words": np.arange(1000, dtype=np.uint32),
    "offsets": np.array([0, 10, 1000], np.int64),
    "nothing": np.empty(0, np.uint8),
    "square": np.arange(12, dtype=np.uint64).reshape(3, 4),
}


def test_round_trip(tmp_path: Path) -> None:
    """Spec and arrays come back as they were, types and shapes included."""
    path = tmp_path / "one.segment"
    checksum = write_segment(path, {"method": "streams"}, ARRAYS)
    spec, arrays = read_segment(path, checksum)
    assert spec == {"method": "streams"}
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("place", [0, 7, 20, 200, 3000, -1])
def test_a_changed_byte_is_noticed(tmp_path: Path, place: int) -> None:
    """One byte changed anywhere: refused, and the file is named."""
    path = tmp_path / "one.segment"
    checksum = write_segment(path, {}, ARRAYS)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedSegment, match=r"one\.segment"):
        read_segment(path, checksum)


@pytest.mark.parametrize("left", [0, 1, 40, 500])
def test_a_cut_file_is_noticed(tmp_path: Path, left: int) -> None:
    """A file that was cut off, or is gone, is refused."""
    path = tmp_path / "one.segment"
    checksum = write_segment(path, {}, ARRAYS)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(DamagedSegment, match=r"one\.segment"):
        read_segment(path, checksum)
    path.unlink()
    with pytest.raises(DamagedSegment, match="missing"):
        read_segment(path, checksum)


def test_another_file_with_a_sound_checksum_is_refused(tmp_path: Path) -> None:
    """The database knows the checksum: a whole file that is not the one it names is refused."""
    path = tmp_path / "one.segment"
    checksum = write_segment(path, {}, ARRAYS)
    write_segment(path, {}, {"words": ARRAYS["words"] + 1})
    with pytest.raises(DamagedSegment):
        read_segment(path, checksum)


def test_a_newer_format_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a later version is refused with a sentence that says what to install."""
    path = tmp_path / "one.segment"
    monkeypatch.setattr("truecopy.segments.VERSION", 2)
    checksum = write_segment(path, {}, ARRAYS)
    monkeypatch.setattr("truecopy.segments.VERSION", 1)
    with pytest.raises(MatterError, match="newer truecopy"):
        read_segment(path, checksum)


def pieces(*some: list[int]) -> Streamed:
    return Streamed(np.dtype(np.int64), 5, lambda: [np.array(one, np.int64) for one in some])


def test_a_streamed_array_makes_the_same_file(tmp_path):
    after = np.arange(3, dtype=np.uint8)
    sums = [write_segment(tmp_path / "whole", {}, {"one": np.arange(5), "two": after})]
    sums.append(write_segment(tmp_path / "streamed", {}, {"one": pieces([0, 1], [], [2, 3, 4]), "two": after}))
    assert sums[0] == sums[1]
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "streamed").read_bytes()


@pytest.mark.parametrize("some", [[[0, 1]], [[0, 1, 2], [3, 4, 5]], []])
def test_a_streamed_array_of_another_length_leaves_no_file(tmp_path, some):
    with pytest.raises(ValueError, match="in place of 40"):
        write_segment(tmp_path / "streamed", {}, {"one": pieces(*some)})
    assert list(tmp_path.iterdir()) == []


def test_a_streamed_array_that_fails_leaves_no_file(tmp_path):
    def failing():
        yield np.zeros(2, np.int64)
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        write_segment(tmp_path / "streamed", {}, {"one": Streamed(np.dtype(np.int64), 5, failing)})
    assert list(tmp_path.iterdir()) == []


def test_a_piece_of_another_type_leaves_no_file(tmp_path):
    wrong = Streamed(np.dtype(np.int64), 5, lambda: [np.zeros(5, np.int32)])
    with pytest.raises(TypeError, match="a piece of int32"):
        write_segment(tmp_path / "streamed", {}, {"one": wrong})
    assert list(tmp_path.iterdir()) == []
