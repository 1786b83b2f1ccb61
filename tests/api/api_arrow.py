"""A reader of Arrow's C streams, written from the specification and not from the code under test.

It does what C readers do: takes the stream out of its capsule by moving it, reads batches, and releases them.
"""

from __future__ import annotations

import ctypes
import struct
from ctypes import CFUNCTYPE, POINTER, PYFUNCTYPE, c_char_p, c_int, c_int64, c_void_p, py_object
from itertools import pairwise
from typing import Any

_pointer = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class Schema(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", c_void_p), ("release", c_void_p),
    ("private_data", c_void_p),
]  # fmt: skip


class Array(ctypes.Structure):
    pass


Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))),
    ("dictionary", c_void_p), ("release", c_void_p), ("private_data", c_void_p),
]  # fmt: skip


class Stream(ctypes.Structure):
    _fields_ = [
        ("get_schema", CFUNCTYPE(c_int, c_void_p, c_void_p)), ("get_next", CFUNCTYPE(c_int, c_void_p, c_void_p)),
        ("get_last_error", CFUNCTYPE(c_char_p, c_void_p)), ("release", c_void_p), ("private_data", c_void_p),
    ]  # fmt: skip


def release(structure: Any) -> None:
    """As a C reader does it; afterwards the structure must say that it is released."""
    assert structure.release, "released already"
    CFUNCTYPE(None, c_void_p)(structure.release)(ctypes.addressof(structure))
    assert not structure.release


def moved(structure: Any) -> Any:
    """The structure at another place; the old one is marked as released, which frees nothing."""
    copy = type(structure)()
    ctypes.memmove(ctypes.addressof(copy), ctypes.addressof(structure), ctypes.sizeof(structure))
    structure.release = None
    return copy


class Reader:
    """One reading of something that has `__arrow_c_stream__`."""

    def __init__(self, table: Any) -> None:
        capsule = table.__arrow_c_stream__()
        self.stream = moved(Stream.from_address(_pointer(capsule, b"arrow_array_stream")))
        schema = Schema()
        assert self.stream.get_schema(ctypes.addressof(self.stream), ctypes.addressof(schema)) == 0
        assert (schema.format, schema.flags) == (b"+s", 0)
        children = [schema.children[i].contents for i in range(schema.n_children)]
        self.fields = [(one.name.decode(), one.format.decode(), bool(one.flags & 2)) for one in children]
        release(schema)

    def next(self) -> Array | None:
        """The next batch; it is the caller's to release."""
        batch = Array()
        code = self.stream.get_next(ctypes.addressof(self.stream), ctypes.addressof(batch))
        if code:
            raise OSError(code, self.stream.get_last_error(ctypes.addressof(self.stream)).decode())
        return batch if batch.release else None

    def rows(self) -> list[dict[str, Any]]:
        """Everything, as rows of Python values; releases the batches and the stream."""
        found: list[dict[str, Any]] = []
        while (batch := self.next()) is not None:
            assert (batch.n_children, batch.n_buffers, batch.null_count) == (len(self.fields), 1, 0)
            columns = []
            for i, (_, form, nullable) in enumerate(self.fields):
                child = batch.children[i].contents
                assert child.length == batch.length
                assert nullable or child.null_count == 0
                columns.append(values(child, form))
            names = [name for name, _, _ in self.fields]
            found += [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
            release(batch)
        release(self.stream)
        return found


def values(array: Array, form: str) -> list[Any]:
    """The values of one column."""
    n = array.length
    assert (array.offset, array.n_children) == (0, 0)
    there = [True] * n
    if array.null_count:
        there = _bits(array.buffers[0], n)
    assert there.count(False) == array.null_count
    if form == "u":
        assert array.n_buffers == 3
        offsets = struct.unpack(f"<{n + 1}i", ctypes.string_at(array.buffers[1], 4 * (n + 1)))
        data = ctypes.string_at(array.buffers[2], offsets[-1])
        found: list[Any] = [data[start:end].decode() for start, end in pairwise(offsets)]
    elif form == "b":
        found = _bits(array.buffers[1], n)
    else:
        code = {"l": "q", "g": "d"}[form]
        found = list(struct.unpack(f"<{n}{code}", ctypes.string_at(array.buffers[1], 8 * n)))
    return [value if known else None for value, known in zip(found, there, strict=True)]


def _bits(address: int, n: int) -> list[bool]:
    data = ctypes.string_at(address, (n + 7) // 8)
    return [bool(data[i // 8] >> (i % 8) & 1) for i in range(n)]
