"""What was checked once is not checked again, unless anything about the file has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from truecopy import assured, segments
from truecopy.assured import Assurance
from truecopy.errors import DamagedSegment
from truecopy.segments import read_segment, write_segment

POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and modes are those of POSIX")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of its own for each test."""
    monkeypatch.setenv("TRUECOPY_CACHE", str(tmp_path / "cache"))
    assured._notes.cache_clear()
    yield tmp_path / "cache"
    assured._notes.cache_clear()


@pytest.fixture
def segment(tmp_path: Path) -> tuple[Path, str]:
    """A segment that is old enough to be noted, and its checksum."""
    path = tmp_path / "a.segment"
    checksum = write_segment(path, {"made": "by a test"}, {"values": np.arange(100_000)})
    time.sleep(0.15)
    return path, checksum


def is_noted(path: Path, check: Assurance) -> bool:
    return check.holds(path.stat())


def test_a_file_that_passed_is_known_until_it_changes(segment: tuple[Path, str]) -> None:
    """Content, times, and another file in its place: each ends the note."""
    path, checksum = segment
    check = Assurance(checksum, "whole")
    assert not is_noted(path, check)
    check.note(path.stat())
    assert is_noted(path, check)
    assert not is_noted(path, Assurance(checksum, "another check"))
    assert not is_noted(path, Assurance("0" * 64, "whole"))
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[5000] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # whoever wrote it sets the time back
    assert not is_noted(path, check)


def test_a_file_in_its_place_is_another_file(segment: tuple[Path, str], tmp_path: Path) -> None:
    path, checksum = segment
    check = Assurance(checksum, "whole")
    check.note(path.stat())
    other = tmp_path / "other"
    other.write_bytes(path.read_bytes())
    os.utime(other, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    other.replace(path)
    assert not is_noted(path, check)


def test_a_file_that_was_written_just_now_is_not_noted(tmp_path: Path) -> None:
    """A second change could fall into the same tick of the clock."""
    path = tmp_path / "a.segment"
    check = Assurance(write_segment(path, {}, {"values": np.arange(100_000)}), "whole")
    check.note(path.stat())
    assert not is_noted(path, check)
    assured.wait_until_settled([path])
    check.note(path.stat())
    assert is_noted(path, check)


def test_a_segment_is_hashed_once(segment: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The second reading hashes nothing; a changed byte is found by the next, and a changed checksum always."""
    path, checksum = segment
    known = Assurance(checksum, "whole")
    hashed: list[int] = []
    real = segments._hashed
    monkeypatch.setattr("truecopy.segments._hashed", lambda data: hashed.append(len(data)) or real(data))
    for _ in range(3):
        _, arrays = read_segment(path, checksum, known)
        assert int(arrays["values"].sum()) == 100_000 * 99_999 // 2
    assert len(hashed) == 1
    with pytest.raises(DamagedSegment, match="checksum"):
        read_segment(path, "0" * 64, Assurance("0" * 64, "whole"))
    data = bytearray(path.read_bytes())
    data[-5000] ^= 1
    path.write_bytes(data)
    with pytest.raises(DamagedSegment, match="checksum"):
        read_segment(path, checksum, known)


@POSIX
def test_notes_that_others_could_write_are_not_believed(
    segment: tuple[Path, str], own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, checksum = segment
    check = Assurance(checksum, "whole")
    check.note(path.stat())
    assert is_noted(path, check)
    own_cache.chmod(0o777)
    assured._notes.cache_clear()
    assert not is_noted(path, check)
    check.note(path.stat())


def test_there_are_never_very_many_notes(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assured, "_MOST", 10)
    folder = own_cache / "checked"
    folder.mkdir(parents=True, mode=0o700)
    own_cache.chmod(0o700)
    for number in range(30):
        (folder / f"{number:03d}").touch()
    assert assured._notes() is not None
    assert len(list(folder.iterdir())) <= 10
