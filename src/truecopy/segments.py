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

from truecopy.errors import BadSetting, DamagedSegment, MatterError, NotFound
from truecopy.stopping import check, cleaning_up
from truecopy.troubles import not_written, refuse_unreachable

Array = npt.NDArray[Any]

VERSION = 1
_MAGIC = b"TCSEG\0"
_ALIGN = 64
_DIGEST = 32


def write_segment(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Write a segment so that it is either whole or not there; returns its checksum."""
    table, place = [], 0
    for name, array in arrays.items():
        table.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "place": place})
        place += -(-array.nbytes // _ALIGN) * _ALIGN
    header = json.dumps({"spec": dict(spec), "arrays": table}, sort_keys=True).encode()
    lead = _MAGIC + VERSION.to_bytes(2, "little") + len(header).to_bytes(8, "little") + header
    lead += b"\0" * (-len(lead) % _ALIGN)
    digest = hashlib.sha256(lead)
    part = path.with_name(path.name + ".part")
    try:
        with cleaning_up(lambda: part.unlink(missing_ok=True)), part.open("wb") as file:
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
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)  # do not fill a full disk further
        raise
    _sync_folder(path.parent)
    return digest.hexdigest()


def read_segment(path: Path, checksum: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """The spec and the arrays (mapped, private to this process) of a segment whose checksum the database knows."""
    return _read(path, checksum, "matter's file", "Restore it from a backup, or scan again.")


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The same for a file outside a matter."""
    return _read(path, None, "file", "Make it again, or restore it from a backup.")


def _read(path: Path, checksum: str | None, what: str, hint: str) -> tuple[dict[str, Any], dict[str, Array]]:
    try:
        data = np.memmap(path, np.uint8, "c")
    except PermissionError as error:
        raise MatterError(f"The {what} {path.name} may not be read.", "Change its permissions.") from error
    except IsADirectoryError as error:
        raise MatterError(f"{path.name} is a folder, but a file was expected.", "Give a file.") from error
    except (OSError, ValueError) as error:
        refuse_unreachable(f"the {what} {path.name}", error)
        raise DamagedSegment(f"The {what} {path.name} is missing or empty.", hint) from error
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
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        # A checksum shows that a file is unchanged since it was written, not who wrote it.
        raise DamagedSegment(f"The {what} {path.name} does not hold what it says it holds.", hint) from error


def _parsed(data: Array, end: int) -> tuple[dict[str, Any], dict[str, Array]]:
    """The header's spec and the arrays of a file whose checksum is right."""
    length = int.from_bytes(data[8:16].tobytes(), "little")
    header = json.loads(data[16 : 16 + length].tobytes())
    start = -(-(16 + length) // _ALIGN) * _ALIGN
    arrays = {}
    for entry in header["arrays"]:
        dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
        size = dtype.itemsize * math.prod(shape)
        begin = start + entry["place"]
        if dtype.hasobject or not start <= begin <= begin + size <= end:
            raise ValueError("an array outside the file")
        arrays[entry["name"]] = data[begin : begin + size].view(dtype).reshape(shape)
    if not isinstance(header["spec"], dict):
        raise TypeError("no spec")
    return header["spec"], arrays


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


def save(path: Path, spec: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Write a file outside a matter; a link is followed, not replaced."""
    try:
        return write_segment(path.resolve(), spec, arrays)
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
