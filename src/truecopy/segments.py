"""Segment files: immutable, checksummed, memory-mapped arrays with the spec that they were made by.

They hold a matter's signatures, word streams and indexes, and signatures and statistics that are saved to a file of
their own.

    8 bytes   magic "TCSEG" and the format's version
    8 bytes   length of the header
    header    JSON: spec, and name, type, shape and place of each array; at most 2 MiB
    arrays    one after the other, each at the next multiple of 64 bytes
    32 bytes  SHA-256 of all that comes before it

A matter's segment counts only once a row of the database names it. Before that it is written under a temporary name,
flushed to disk and renamed; the next writer sweeps away a file that no row names.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from truecopy.access import PRIVATE, file_mode, mode_in
from truecopy.array_types import Stored
from truecopy.errors import BadSetting, DamagedSegment, MatterError, NotFound
from truecopy.plainfiles import NotPlain, open_plain, written_whole
from truecopy.stopping import check
from truecopy.streamed import AnyArray, Streamed
from truecopy.threads import Pool, result_of
from truecopy.troubles import forbidden, not_written, refuse_unreachable

VERSION = 1
_MAGIC = b"TCSEG\0"
_ALIGN = 64
_DIGEST = 32
_DTYPES = frozenset(np.dtype(kind).str for kind in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))
"""The types that arrays in files have; never objects, strings or records."""
_MOST_DIMENSIONS = 3
_MOST_ARRAYS = 10_000
_LONGEST_HEADER = 1 << 21
"""Enough for the table of the most arrays; Python's objects for a header take thirty times its size."""
_LEAD = 16
"""Bytes before the header."""
_PIECE = 1 << 24
"""Bytes that are hashed between two looks at whether the user wants to stop."""
_HASHED_BESIDE = 1 << 18
"""Bytes above which a thread hashes a piece while it is written: for fewer, asking the thread costs more."""
_FREE_HOLES = 1 << 22
_DENSEST = 64
"""A disk that compresses gives runs of zeros no room, and takes less than a file's size for the rest. No file of ours
is so regular that it is this many times as large as what is on the disk.
"""
_DATA, _HOLE = getattr(os, "SEEK_DATA", None), getattr(os, "SEEK_HOLE", None)


class _Place(NamedTuple):
    """Where an array is, in bytes from the beginning of the file, and what it is."""

    begin: int
    end: int
    dtype: np.dtype[Any]
    shape: list[int]


def write_segment(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, AnyArray], mode: int | None = None) -> str:
    """Write a segment so that it is either whole or not there; returns its checksum.

    In a matter those who may read the matter may read it, unless a mode is given; elsewhere only the owner may.
    """
    mode = mode_in(path.parent) if mode is None else mode
    table, place = [], 0
    for name, array in arrays.items():
        table.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "place": place})
        place += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"spec": dict(spec), "arrays": table}, sort_keys=True).encode()
    lead = _MAGIC + VERSION.to_bytes(2, "little") + len(header).to_bytes(8, "little") + header
    lead += b"\0" * (-len(lead) % _ALIGN)
    digest = hashlib.sha256(lead)
    with written_whole(path, mode) as file, Pool(1, "hash") as beside:
        file.write(lead)
        for array in arrays.values():
            for piece in _padded(array):
                check()
                hashed = beside.submit(digest.update, piece) if len(piece) > _HASHED_BESIDE else None
                file.write(piece)
                if hashed is None:
                    digest.update(piece)
                else:
                    result_of(hashed)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)
    return digest.hexdigest()


def _padded(array: AnyArray) -> Iterator[memoryview | bytes]:
    """The bytes of an array, up to where the next one begins."""
    written = 0
    for piece in array.pieces() if isinstance(array, Streamed) else (array,):
        plain = np.ascontiguousarray(piece)
        if plain.dtype != array.dtype:
            raise TypeError(f"a piece of {plain.dtype} in an array of {array.dtype}")
        written += plain.nbytes
        if plain.nbytes:
            yield plain.data.cast("B")
    if written != array.nbytes:
        raise ValueError(f"{written} bytes in place of {array.nbytes}")
    yield b"\0" * (-written % _ALIGN)


class FoundWhole(Protocol):
    """Remembers which files were found whole."""

    def holds(self, found: os.stat_result, /) -> bool:
        """Whether this file, as it is, was."""

    def note(self, found: os.stat_result, /) -> None:
        """It was found whole."""


def read_segment(
    path: Path, checksum: str, known: FoundWhole | None = None
) -> tuple[dict[str, Any], dict[str, Stored]]:
    """The spec and the arrays (mapped, private to this process) of a segment whose checksum the database knows.

    One that is known to be whole is not hashed again.
    """
    return _read(path, checksum, "matter's file", "Restore it from a backup, or scan again.", False, known)


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Stored]]:
    """The same for a file outside a matter."""
    return _read(path, None, "file", "Make it again, or restore it from a backup.", True)


def _read(
    path: Path, checksum: str | None, what: str, hint: str, follow: bool, known: FoundWhole | None = None
) -> tuple[dict[str, Any], dict[str, Stored]]:
    """Size and header are looked at first: what is hashed is then no more than what a true file of that kind holds."""
    try:
        with os.fdopen(open_plain(path, follow=follow), "rb") as file:
            state = os.fstat(file.fileno())
            size = state.st_size
            lead = file.read(_LEAD)
            if checksum is None and size and lead[: len(_MAGIC)] != _MAGIC:
                raise DamagedSegment(f"The {what} {path.name} was not written by truecopy.", "Give another file.")
            if size < _ALIGN + _DIGEST:
                said = "is missing or empty." if not size else "is damaged: its checksum does not agree."
                raise DamagedSegment(f"The {what} {path.name} {said}", hint)
            if _has_holes(file, size):
                raise DamagedSegment(f"The {what} {path.name} is damaged: most of it is not on the disk.", hint)
            version = int.from_bytes(lead[6:8], "little")
            # Of a later format nothing is known but that it ends with its checksum.
            found = None if version > VERSION else _layout(file, lead, size)
            data = _mapped(file, size)
    except NotPlain as error:
        if follow and path.is_dir():
            raise MatterError(f"{path.name} is a folder, but a file was expected.", "Give a file.") from error
        raise DamagedSegment(f"The {what} {path.name} is {error}, but a file was expected.", hint) from error
    except PermissionError as error:
        raise forbidden(f"the {what} {path.name}") from error
    except OSError as error:
        refuse_unreachable(f"the {what} {path.name}", error)
        if error.errno == errno.ENOMEM:
            raise MatterError(
                f"The {what} {path.name} does not fit into the memory that this machine has left.",
                "Close other programs, or use a machine with more memory.",
            ) from error
        raise DamagedSegment(f"The {what} {path.name} is missing or empty.", hint) from error
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        # A checksum shows that a file is unchanged since it was written, not who wrote it.
        raise DamagedSegment(f"The {what} {path.name} does not hold what it says it holds.", hint) from error
    stored = bytes(data[-_DIGEST:])
    whole = known is not None and known.holds(state)
    if checksum not in (None, stored.hex()) or (not whole and _hashed(data[:-_DIGEST]) != stored):
        raise DamagedSegment(f"The {what} {path.name} is damaged: its checksum does not agree.", hint)
    if found is None:
        raise MatterError(
            f"The {what} {path.name} has format {version}, and this truecopy knows formats up to {VERSION}.",
            "Install a newer truecopy.",
        )
    spec, places = found
    arrays = {name: data[at.begin : at.end].view(at.dtype).reshape(at.shape) for name, at in places.items()}
    if not whole:
        for array in arrays.values():
            if array.dtype == np.bool_ and int(array.view(np.uint8).max(initial=0)) > 1:
                raise DamagedSegment(f"The {what} {path.name} does not hold what it says it holds.", hint)
        if known is not None:
            known.note(state)
    return spec, arrays


def _mapped(file: BinaryIO, size: int) -> Stored:
    """The bytes of a file, mapped.

    Nobody writes to them, but they are mapped as if (copy on write): whether an array is writable is part of its type,
    and Numba would compile the kernels that take stored arrays and new ones alike a second time.
    """
    mapped: Stored = np.asarray(np.memmap(file, np.uint8, "c", shape=(size,)))  # every cut of a memmap costs more
    return mapped


def _hashed(data: Stored) -> bytes:
    digest = hashlib.sha256()
    for begin in range(0, len(data), _PIECE):
        check()
        digest.update(data[begin : begin + _PIECE].data)
    return digest.digest()


def _has_holes(file: BinaryIO, size: int) -> bool:
    """Whether a file is far larger than what is on the disk: it would take time and memory that cost its sender none.

    The number of blocks alone does not show it, as some systems count them long after a file was written.
    """
    taken = 512 * getattr(os.fstat(file.fileno()), "st_blocks", size)
    if size <= _FREE_HOLES or size <= _DENSEST * taken or _DATA is None or _HOLE is None:
        return False
    handle, end, data = file.fileno(), 0, 0
    before = os.lseek(handle, 0, os.SEEK_CUR)
    try:
        while end < size and size > _DENSEST * data:
            begin = os.lseek(handle, end, _DATA)
            end = os.lseek(handle, begin, _HOLE)
            data += end - begin
    except OSError as error:
        if error.errno != errno.ENXIO:  # there is no data behind this place
            return False
    finally:
        os.lseek(handle, before, os.SEEK_SET)
    return size > _DENSEST * data


def size_on_disk(path: Path) -> int:
    """The size of a matter's file without reading it; 0 where it would be refused for its holes, or is no file."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return 0 if _has_holes(file, size) else size
    except (OSError, NotPlain):
        return 0


def _layout(file: BinaryIO, lead: bytes, size: int) -> tuple[dict[str, Any], dict[str, _Place]]:
    """The header's spec and the place of each array; they follow one another, and nothing else is in the file."""
    length = int.from_bytes(lead[8:], "little")
    if length > min(_LONGEST_HEADER, size - _LEAD - _DIGEST):
        raise ValueError("a header that is too long, or outside the file")
    header = json.loads(file.read(length))
    spec, table = header["spec"], header["arrays"]
    if not isinstance(spec, dict) or not isinstance(table, list) or len(table) > _MOST_ARRAYS:
        raise TypeError("no spec, or no table of arrays")
    start = end = -(-(_LEAD + length) // _ALIGN) * _ALIGN
    places: dict[str, _Place] = {}
    for entry in table:
        name, shape, place = entry["name"], entry["shape"], entry["place"]
        if not isinstance(name, str) or name in places or entry["dtype"] not in _DTYPES:
            raise ValueError("an array without a name of its own, or of an unknown type")
        if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS or not all(map(_is_size, [*shape, place])):
            raise ValueError("an array of an impossible shape")
        dtype = np.dtype(entry["dtype"])
        if start + place != end:
            raise ValueError("an array that does not follow the one before it")
        bytes_of = dtype.itemsize * math.prod(shape)
        places[name] = _Place(end, end + bytes_of, dtype, shape)
        end += -(-bytes_of // _ALIGN) * _ALIGN
    if end + _DIGEST != size:
        raise ValueError("more or less in the file than its arrays")
    return spec, places


def _is_size(number: Any) -> bool:
    return type(number) is int and 0 <= number < 1 << 48


def check_target(path: Path, what: str) -> None:
    """Refuse a place where a separate file cannot be written: a folder, a device, a matter's own folder."""
    if path.is_dir():
        raise BadSetting(f"{path} is a folder, but {what} are saved to a file.", "Name a file.")
    if path.exists() and not path.is_file():
        raise BadSetting(f"{path} is not a regular file, so {what} cannot be saved there.", "Name a file.")
    if not path.parent.is_dir():
        raise NotFound(f"The folder {path.parent} does not exist.", "Make it, or choose another place.")
    if (path.parent / "matter.sqlite").exists():
        raise BadSetting(f"{path.parent} is a matter's folder, and only truecopy writes there.", "Name another place.")


def save(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, Stored], access: str = PRIVATE) -> str:
    """Write a file outside a matter, for those who may read it; a link is followed, not replaced."""
    try:
        return write_segment(path.resolve(), spec, arrays, file_mode(access))
    except OSError as error:
        raise not_written(path, error, "Name another place.") from error


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
