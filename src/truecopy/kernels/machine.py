"""Machine instructions that Python cannot name.

load_8          eight bytes of an array as one little-endian number, from any place
store_8         the same the other way round
fold_product    the lower half of a product of 128 bits, exclusive-or its upper half
trailing_zeros  the place of the lowest bit that is set
count_only_in   how many of 512 bits are set in one array and not in another

Where Numba's compiler is switched off, plain Python takes their place.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

LANES = 8
"""Numbers of 64 bits that are looked at together."""

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def load_8(data: Any, at: int) -> np.uint64:
        """Eight bytes as one little-endian number."""
        return np.uint64(int.from_bytes(data[at : at + 8].tobytes(), "little"))

    def store_8(data: Any, at: int, value: np.uint64) -> None:
        """Eight bytes from one little-endian number."""
        data[at : at + 8] = np.frombuffer(int(value).to_bytes(8, "little"), np.uint8)

    def fold_product(one: np.uint64, other: np.uint64) -> np.uint64:
        """The two halves of the product, as one."""
        product = int(one) * int(other)
        return np.uint64((product ^ product >> 64) & 0xFFFFFFFFFFFFFFFF)

    def trailing_zeros(bits: np.uint64) -> int:
        """The place of the lowest bit that is set."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def count_only_in(one: Any, at: int, other: Any, there: int) -> int:
        """How many bits of 512 are set in one array and not in the other."""
        pairs = zip(one.ravel()[at : at + LANES], other.ravel()[there : there + LANES], strict=True)
        return sum((int(x) & ~int(y)).bit_count() for x, y in pairs)

else:

    @intrinsic
    def load_8(_typing: Any, data: Any, _at: Any) -> Any:
        """Eight bytes as one little-endian number; the caller makes sure that the array holds them."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(array.data, [arguments[1]])
            wide = builder.bitcast(place, ir.IntType(64).as_pointer())
            loaded = builder.load(wide, align=1)
            return loaded if sys.byteorder == "little" else builder.bswap(loaded)

        return types.uint64(data, types.int64), generate

    @intrinsic
    def store_8(_typing: Any, data: Any, _at: Any, _value: Any) -> Any:
        """Eight bytes from one little-endian number; the caller makes sure that the array has room for them."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            place = builder.gep(array.data, [arguments[1]])
            wide = builder.bitcast(place, ir.IntType(64).as_pointer())
            value = arguments[2] if sys.byteorder == "little" else builder.bswap(arguments[2])
            builder.store(value, wide, align=1)
            return context.get_dummy_value()

        return types.void(data, types.int64, types.uint64), generate

    @intrinsic
    def fold_product(_typing: Any, _one: Any, _other: Any) -> Any:
        """The two halves of the product, as one: every bit of the result depends on every bit of both numbers."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            wide, narrow = ir.IntType(128), ir.IntType(64)
            product = builder.mul(*(builder.zext(argument, wide) for argument in arguments))
            upper = builder.trunc(builder.lshr(product, wide(64)), narrow)
            return builder.xor(builder.trunc(product, narrow), upper)

        return types.uint64(types.uint64, types.uint64), generate

    @intrinsic
    def trailing_zeros(_typing: Any, _bits: Any) -> Any:
        """The place of the lowest bit that is set; there must be one."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], ir.IntType(1)(1))

        return types.int64(types.uint64), generate

    @intrinsic
    def count_only_in(_typing: Any, one: Any, _at: Any, other: Any, _there: Any) -> Any:
        """How many bits of 512 are set in one array and not in the other; the caller makes sure that both hold them."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            lanes = ir.VectorType(ir.IntType(64), LANES)

            def loaded(array: int) -> Any:
                made = context.make_array(signature.args[array])(context, builder, arguments[array])
                place = builder.gep(made.data, [arguments[array + 1]])
                return builder.load(builder.bitcast(place, lanes.as_pointer()), align=8)

            def called(name: str, given: Any, gives: Any) -> Any:
                declared: Any = cgutils.get_or_insert_function
                function = declared(builder.module, ir.FunctionType(gives, [lanes]), f"llvm.{name}.v{LANES}i64")
                return builder.call(function, [given])

            x, y = loaded(0), loaded(2)
            only = builder.and_(x, builder.xor(y, ir.Constant(lanes, [(1 << 64) - 1] * LANES)))
            return called("vector.reduce.add", called("ctpop", only, lanes), ir.IntType(64))

        return types.int64(one, types.int64, other, types.int64), generate
