"""Segment files: immutable, checksummed, memory-mapped arrays with the spec that they were made by.

They hold a matter's signatures, word streams and indexes, and signatures and statistics that are saved to a file of
their own.

    8 bytes   magic "TCSEG" and the format's version
    8 bytes   length of the header
    header    JSON: spec, and name, type, shape and place of each array
    arrays    each at a multiple of 64 bytes
    32 bytes  SHA-256 of all that comes before it

A matter's segment counts only once a row of the database names it. Before that it is written under a temporary name,
flushed to disk and renamed; the next writer sweeps away a file that no row names.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.access import PRIVATE, file_mode, mode_like
from truecopy.errors import BadSetting, DamagedSegment, MatterError, NotFound
from truecopy.plainfiles import NotPlain, open_plain, written_whole
from truecopy.stopping import check
from truecopy.troubles import not_written, refuse_unreachable

Array = npt.NDArray[Any]

VERSION = 1
_MAGIC = b"TCSEG\0"
_ALIGN = 64
_DIGEST = 32
_DTYPES = frozenset(np.dtype(kind).str for kind in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"))
"""The types that arrays in files have; never objects, strings or records."""
_MOST_DIMENSIONS = 3
_MOST_ARRAYS = 10_000
_LONGEST_HEADER = 1 << 28
"""Saved signatures have a name for each text in it."""


def write_segment(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, Array], mode: int | None = None) -> str:
    """Write a segment so that it is either whole or not there; returns its checksum.

    In a matter it has the mode of the database, unless one is given; elsewhere only the owner may read it.
    """
    mode = mode_like(path.with_name("matter.sqlite")) if mode is None else mode
    table, place = [], 0
    for name, array in arrays.items():
        table.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "place": place})
        place += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"spec": dict(spec), "arrays": table}, sort_keys=True).encode()
    lead = _MAGIC + VERSION.to_bytes(2, "little") + len(header).to_bytes(8, "little") + header
    lead += b"\0" * (-len(lead) % _ALIGN)
    digest = hashlib.sha256(lead)
    with written_whole(path, mode) as file:
        file.write(lead)
        for array in arrays.values():
            check()
            plain = np.ascontiguousarray(array)
            view = plain.data.cast("B") if plain.nbytes else memoryview(b"")
            padding = b"\0" * (-plain.nbytes % _ALIGN)
            file.write(view)
            file.write(padding)
            digest.update(view)
            digest.update(padding)
        file.write(digest.digest())
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path.parent)
    return digest.hexdigest()


def read_segment(path: Path, checksum: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The spec and the arrays (mapped, private to this process) of a segment whose checksum the database knows."""
    return _read(path, checksum, "matter's file", "Restore it from a backup, or scan again.", follow=False)


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The same for a file outside a matter."""
    return _read(path, None, "file", "Make it again, or restore it from a backup.", follow=True)


def _read(
    path: Path, checksum: str | None, what: str, hint: str, *, follow: bool
) -> tuple[dict[str, Any], dict[str, Array]]:
    data = _mapped(path, what, hint, follow)
    if checksum is None and bytes(data[: len(_MAGIC)]) != _MAGIC:
        raise DamagedSegment(f"The {what} {path.name} was not written by truecopy.", "Give another file.")
    body = data.data[: max(len(data) - _DIGEST, 0)]
    stored = bytes(data[-_DIGEST:])
    if len(data) < _ALIGN or hashlib.sha256(body).digest() != stored or checksum not in (None, stored.hex()):
        raise DamagedSegment(f"The {what} {path.name} is damaged: its checksum does not agree.", hint)
    version = int.from_bytes(body[6:8], "little")
    if version > VERSION:
        raise MatterError(
            f"The {what} {path.name} has format {version}, and this truecopy knows formats up to {VERSION}.",
            "Install a newer truecopy.",
        )
    try:
        return _parsed(data, len(body))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        # A checksum shows that a file is unchanged since it was written, not who wrote it.
        raise DamagedSegment(f"The {what} {path.name} does not hold what it says it holds.", hint) from error


def _mapped(path: Path, what: str, hint: str, follow: bool) -> Array:
    """The bytes of a regular file, mapped."""
    try:
        with os.fdopen(open_plain(path, follow=follow), "rb") as file:
            mapped: Array = np.memmap(file, np.uint8, "c")
            return mapped
    except NotPlain as error:
        if follow and path.is_dir():
            raise MatterError(f"{path.name} is a folder, but a file was expected.", "Give a file.") from error
        raise DamagedSegment(f"The {what} {path.name} is {error}, but a file was expected.", hint) from error
    except PermissionError as error:
        raise MatterError(f"The {what} {path.name} may not be read.", "Change its permissions.") from error
    except (OSError, ValueError) as error:
        refuse_unreachable(f"the {what} {path.name}", error)
        raise DamagedSegment(f"The {what} {path.name} is missing or empty.", hint) from error


def _parsed(data: Array, end: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header's spec and the arrays of a file whose checksum is right."""
    length = int.from_bytes(data[8:16].tobytes(), "little")
    if length > min(_LONGEST_HEADER, end - 16):
        raise ValueError("a header outside the file")
    header = json.loads(data[16 : 16 + length].tobytes())
    start = -(-(16 + length) // _ALIGN) * _ALIGN
    spec, table = header["spec"], header["arrays"]
    if not isinstance(spec, dict) or not isinstance(table, list) or len(table) > _MOST_ARRAYS:
        raise TypeError("no spec, or no table of arrays")
    arrays = {}
    for entry in table:
        name, shape, place = entry["name"], entry["shape"], entry["place"]
        if not isinstance(name, str) or name in arrays or entry["dtype"] not in _DTYPES:
            raise ValueError("an array without a name of its own, or of an unknown type")
        if not isinstance(shape, list) or len(shape) > _MOST_DIMENSIONS or not all(map(_is_size, [*shape, place])):
            raise ValueError("an array of an impossible shape")
        dtype = np.dtype(entry["dtype"])
        size = dtype.itemsize * math.prod(shape)
        if place % _ALIGN or not start + place + size <= end:
            raise ValueError("an array outside the file")
        body = data[start + place : start + place + size]
        if dtype == np.bool_ and int(body.max(initial=0)) > 1:
            raise ValueError("neither true nor false")
        arrays[name] = body.view(dtype).reshape(shape)
    return spec, arrays


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


def save(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, Array], access: str = PRIVATE) -> str:
    """Write a file outside a matter, for those who may read it; a link is followed, not replaced."""
    try:
        return write_segment(path.resolve(), spec, arrays, file_mode(access))
    except OSError as error:
        raise not_written(path, error, "Name another place.") from error


def _sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
