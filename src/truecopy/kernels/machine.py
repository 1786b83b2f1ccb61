"""Machine instructions that Python cannot name.

load_8          eight bytes of an array as one little-endian number, from any place
store_8         the same the other way round
fold_product    the lower half of a product of 128 bits, exclusive-or its upper half
trailing_zeros  the place of the lowest bit that is set

Where Numba's compiler is switched off, plain Python takes their place.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

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
