"""Arrow's C stream interface, written with `ctypes`: tables for pyarrow, polars, DuckDB and pandas without any of them.

A result's `__arrow_c_stream__` returns a capsule from `stream` here, and any library that knows Arrow's PyCapsule
interface reads it. The Arrow project defines the three structures and who frees what ("The Arrow C data interface",
"The Arrow C stream interface", "The Arrow PyCapsule Interface"). In short:

* A structure belongs to its holder. A holder may move it (copy it bit by bit, and clear `release` in the old
  place), and frees it by calling `release` once, from any thread.
* A parent's `release` releases the children that were not moved away.
* A capsule that was never read releases its stream when it is deleted.

Every structure carries a number in `private_data`. `_kept` holds, under that number, the Python objects whose memory
the structure points at; `release` forgets them. Functions that C calls are made once, so that they outlive every table
that could call them.

Tables are often freed while an exception is on its way: `pyarrow.table(result).select(["typo"])` drops its table with
the KeyError set. Python code that runs at such a moment would fail, lose the KeyError and leave `release` as it was,
for which pyarrow ends the process. So `release` is a few instructions of machine code (`_guarded`) that put the
exception aside, call our function, and put it back. llvmlite makes them; it is always there, because Numba needs it.

Rows are turned into memory a batch at a time, when the reader asks for the next one.
"""

from __future__ import annotations

import ctypes
import errno
from array import array
from collections.abc import Iterable, Iterator, Sequence
from ctypes import CFUNCTYPE, PYFUNCTYPE, Structure, c_char_p, c_int, c_int64, c_void_p, py_object
from itertools import accumulate, chain, count, islice
from threading import Lock
from typing import Any, NamedTuple

BATCH = 1 << 16
"""Rows in a batch. Offsets into the strings of a batch have 32 bits: 32 KiB a string, on average, would fill them."""
_FORMATS = {"string": b"u", "int64": b"l", "float64": b"g", "bool": b"b"}
_NULLABLE = 2
_CAPSULE = b"arrow_array_stream"

Value = str | int | float | bool | None


class Field(NamedTuple):
    """A column's name, its type ("string", "int64", "float64" or "bool"), and whether values may be missing."""

    name: str
    type: str
    nullable: bool


class ArrowSchema(Structure):
    """`struct ArrowSchema`: what a column, or a whole row, is made of."""

    _fields_ = (
        ("format", c_void_p),
        ("name", c_void_p),
        ("metadata", c_void_p),
        ("flags", c_int64),
        ("n_children", c_int64),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


class ArrowArray(Structure):
    """`struct ArrowArray`: the values of one batch."""

    _fields_ = (
        ("length", c_int64),
        ("null_count", c_int64),
        ("offset", c_int64),
        ("n_buffers", c_int64),
        ("n_children", c_int64),
        ("buffers", c_void_p),
        ("children", c_void_p),
        ("dictionary", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


class ArrowArrayStream(Structure):
    """`struct ArrowArrayStream`: where a reader gets the schema, and one batch after the other."""

    _fields_ = (
        ("get_schema", c_void_p),
        ("get_next", c_void_p),
        ("get_last_error", c_void_p),
        ("release", c_void_p),
        ("private_data", c_void_p),
    )


class _Memory(NamedTuple):
    """The memory that a structure points at, and its children."""

    memory: tuple[Any, ...]
    children: Sequence[Structure] = ()


_kept: dict[int, Any] = {}
"""What the living structures hold, by the number in their `private_data`."""
_numbers = count(1)

RELEASE = CFUNCTYPE(None, c_void_p)
GET = CFUNCTYPE(c_int, c_void_p, c_void_p)
LAST_ERROR = CFUNCTYPE(c_void_p, c_void_p)

# Prototypes of our own: every other library in the process shares the prototypes of `ctypes.pythonapi`.
_new_capsule = PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", ctypes.pythonapi))
_capsule_pointer = PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def stream(fields: Sequence[Field], rows: Iterable[Sequence[Value]]) -> object:
    """A capsule with a stream of rows; it can be read once, and frees what it holds if it never is.

    >>> capsule = stream([Field("id", "string", False)], [("TC-000001",), ("TC-000002",)])
    >>> type(capsule).__name__
    'PyCapsule'
    """
    made = ArrowArrayStream(_address(_GET_SCHEMA), _address(_GET_NEXT), _address(_GET_LAST_ERROR))
    made.release = _guarded().stream
    made.private_data = _keep(_Source(tuple(fields), iter(rows)))
    # The capsule holds the structure's address; the structure lives until the capsule goes, moved or not.
    place = ctypes.addressof(made)
    _structures[place] = made
    return _new_capsule(place, _CAPSULE, _guarded().capsule)


class _Source:
    """What is left to read of one stream."""

    def __init__(self, fields: tuple[Field, ...], rows: Iterator[Sequence[Value]]) -> None:
        self.fields = fields
        self.rows = rows
        self.error: Any = None
        """The last message, as C reads it."""

    def failed(self, error: BaseException) -> int:
        """Keep what went wrong for `get_last_error`, without a value in it; returns the code to answer with."""
        self.error = ctypes.create_string_buffer(f"The rows could not be made: {type(error).__name__}.".encode())
        return errno.ENOMEM if isinstance(error, MemoryError) else errno.EIO


_structures: dict[int, ArrowArrayStream] = {}
"""The streams of living capsules, by their address."""


def _keep(held: Any) -> int:
    number = next(_numbers)
    _kept[number] = held
    return number


def _address(function: Any) -> int:
    return ctypes.cast(function, c_void_p).value or 0


# Schemas


def _fill_schema(schema: ArrowSchema, format: bytes, name: str, flags: int, children: Sequence[Field] = ()) -> None:
    parts = [ArrowSchema() for _ in children]
    for part, field in zip(parts, children, strict=True):
        _fill_schema(part, _FORMATS[field.type], field.name, _NULLABLE if field.nullable else 0)
    pointers = (c_void_p * max(len(parts), 1))(*(ctypes.addressof(part) for part in parts))
    spelled, named = ctypes.create_string_buffer(format), ctypes.create_string_buffer(name.encode())
    schema.format, schema.name, schema.metadata = ctypes.addressof(spelled), ctypes.addressof(named), None
    schema.flags, schema.n_children, schema.dictionary = flags, len(parts), None
    schema.children = ctypes.addressof(pointers) if parts else None
    schema.private_data = _keep(_Memory((spelled, named, pointers), parts))
    schema.release = _guarded().schema


# Batches


def _fill_batch(batch: ArrowArray, fields: Sequence[Field], rows: Sequence[Sequence[Value]]) -> None:
    parts = [ArrowArray() for _ in fields]
    done = 0
    try:
        for part, field, values in zip(parts, fields, zip(*rows, strict=True), strict=True):
            _fill_array(part, len(rows), *_buffers(field, values))
            done += 1
    except BaseException:
        for part in parts[:done]:
            _call_release(part)
        raise
    _fill_array(batch, len(rows), 0, [None], parts)


def _fill_array(
    made: ArrowArray, length: int, nulls: int, buffers: Sequence[array[Any] | None], children: Sequence[ArrowArray] = ()
) -> None:
    places = (c_void_p * len(buffers))(*(None if one is None else one.buffer_info()[0] for one in buffers))
    pointers = (c_void_p * max(len(children), 1))(*(ctypes.addressof(child) for child in children))
    made.length, made.null_count, made.offset = length, nulls, 0
    made.n_buffers, made.n_children = len(buffers), len(children)
    made.buffers = ctypes.addressof(places)
    made.children = ctypes.addressof(pointers) if children else None
    made.dictionary = None
    made.private_data = _keep(_Memory((buffers, places, pointers), children))
    made.release = _guarded().array


def _buffers(field: Field, values: Sequence[Any]) -> tuple[int, list[array[Any] | None]]:
    """How many values are missing, and the column's buffers: which are there, offsets (of strings), values."""
    missing = values.count(None)
    if missing and not field.nullable:
        raise ValueError(f"the column {field.name} has no value in {missing} rows")
    there = _bits([value is not None for value in values]) if missing else None
    if field.type == "string":
        spelled = ["" if value is None else value for value in values]
        encoded = [value.encode("utf-8", "replace") for value in spelled]
        offsets = array("i", accumulate(map(len, encoded), initial=0))
        return missing, [there, offsets, array("B", b"".join(encoded) or b"\0")]
    if field.type == "bool":
        return missing, [there, _bits(values)]
    return missing, [there, array("q" if field.type == "int64" else "d", [value or 0 for value in values])]


def _bits(flags: Sequence[Any]) -> array[int]:
    """One bit for each flag, the first in the lowest bit of the first byte.

    >>> _bits([True, False, True, True]).tolist()
    [13]
    """
    spelled = "".join("1" if flag else "0" for flag in reversed(flags))
    return array("B", int(spelled or "0", 2).to_bytes(max((len(flags) + 7) // 8, 1), "little"))


# What readers call. Nothing may be raised from here: there is C on the other side.


def _get_schema(stream_at: int, out: int) -> int:
    source = _source(stream_at)
    try:
        _fill_schema(ArrowSchema.from_address(out), b"+s", "", 0, source.fields)
    except BaseException as error:
        return source.failed(error)
    return 0


def _get_next(stream_at: int, out: int) -> int:
    source = _source(stream_at)
    try:
        batch = ArrowArray.from_address(out)
        first = next(source.rows, None)
        if first is None:
            batch.release = None  # the end
        else:
            _fill_batch(batch, source.fields, list(chain([first], islice(source.rows, BATCH - 1))))
    except BaseException as error:
        return source.failed(error)
    return 0


def _get_last_error(stream_at: int) -> int | None:
    error = _source(stream_at).error
    return None if error is None else ctypes.addressof(error)


def _source(stream_at: int) -> _Source:
    source: _Source = _kept[ArrowArrayStream.from_address(stream_at).private_data]
    return source


def _release_schema(at: int) -> None:
    _release_with_children(ArrowSchema.from_address(at))


def _release_array(at: int) -> None:
    _release_with_children(ArrowArray.from_address(at))


def _release_stream(at: int) -> None:
    made = ArrowArrayStream.from_address(at)
    _kept.pop(made.private_data, None)
    made.release = None


def _release_with_children(structure: Any) -> None:
    """Forget what a structure holds, and release the children that were not moved away."""
    held = _kept.pop(structure.private_data, None)
    if held is not None:
        for child in held.children:
            _call_release(child)
    structure.release = None


def _call_release(structure: Any) -> None:
    if structure.release:
        RELEASE(structure.release)(ctypes.addressof(structure))


def _drop_capsule(capsule: int) -> None:
    """Release the stream of a capsule that goes, unless a reader has moved it, and free its structure."""
    made = _structures.pop(_capsule_pointer(capsule, _CAPSULE))
    _call_release(made)


_GET_SCHEMA = GET(_get_schema)
_GET_NEXT = GET(_get_next)
_GET_LAST_ERROR = LAST_ERROR(_get_last_error)
_FREEING = (RELEASE(_release_schema), RELEASE(_release_array), RELEASE(_release_stream), RELEASE(_drop_capsule))


class _Guarded(NamedTuple):
    """Addresses of the functions that free, each safe to call while an exception is set."""

    schema: int
    array: int
    stream: int
    capsule: int
    engine: Any
    """Owns their machine code."""


_making = Lock()
_made: list[_Guarded] = []


def _guarded() -> _Guarded:
    with _making:  # once: a holder of an address relies on the code behind it for ever
        if not _made:
            _made.append(_make_guarded())
    return _made[0]


def _make_guarded() -> _Guarded:
    from llvmlite import binding, ir

    pointer, number, nothing = ir.IntType(8).as_pointer(), ir.IntType(32), ir.VoidType()
    module = ir.Module("truecopy_arrow")
    for name, inner in zip(_Guarded._fields, _FREEING, strict=False):
        function = ir.Function(module, ir.FunctionType(nothing, [pointer]), name)
        code = ir.IRBuilder(function.append_basic_block())

        def call(target: Any, result: Any, *given: Any, code: Any = code) -> Any:
            kind = ir.FunctionType(result, [one.type for one in given]).as_pointer()
            return code.call(code.inttoptr(ir.Constant(ir.IntType(64), _address(target)), kind), given)

        state = call(ctypes.pythonapi.PyGILState_Ensure, number)
        places = [code.alloca(pointer) for _ in ("type", "value", "traceback")]
        call(ctypes.pythonapi.PyErr_Fetch, nothing, *places)
        call(inner, nothing, function.args[0])
        call(ctypes.pythonapi.PyErr_Restore, nothing, *(code.load(place) for place in places))
        call(ctypes.pythonapi.PyGILState_Release, nothing, state)
        code.ret_void()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(str(module)), machine)
    engine.finalize_object()
    schema, array_, stream_, capsule = (engine.get_function_address(name) for name in _Guarded._fields[:4])
    return _Guarded(schema, array_, stream_, capsule, engine)
