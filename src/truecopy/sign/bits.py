"""What families of bit signatures share: their sizes, rows of bytes, and the Hamming distance."""

from __future__ import annotations

import numpy as np

from truecopy.array_types import U8, U16, U64, Values
from truecopy.sign.family import choose
from truecopy.sign.signatures import Signatures

SIZES = (16, 32, 64, 128, 256, 512, 1024)


def check_bits(bits: int) -> None:
    """Refuse a number of bits that no signature has."""
    choose("bits", bits, SIZES)


def words_of(bits: int) -> int:
    """How many words of 64 bits a signature is made in."""
    return max(1, bits // 64)


def as_bytes(words: U64, bits: int) -> U8:
    """Rows of bytes from rows of 64-bit words, the first bits first."""
    rows: U8 = np.ascontiguousarray(words.astype("<u8", copy=False)).view(np.uint8)
    return np.ascontiguousarray(rows[:, : bits // 8])


def value(signatures: Signatures, text: int) -> str:
    """One signature in hex."""
    return str(signatures[text].tobytes().hex())


def distance(a: Signatures, i: int, b: Signatures, j: int) -> int:
    """Bits in which two signatures differ."""
    a.spec.must_equal(b.spec)
    return int(np.bitwise_count(a[i] ^ b[j]).sum(dtype=np.int64))


def distances(a: Signatures, b: Signatures) -> U16:
    """Bits in which each signature of one set differs from each of another."""
    a.spec.must_equal(b.spec)
    out = np.empty((len(a), len(b)), np.uint16)
    mine, theirs = _wide(a.values), _wide(b.values)
    for row, one in enumerate(mine):
        out[row] = np.bitwise_count(one ^ theirs).sum(1, dtype=np.uint16)
    return out


def _wide(rows: Values) -> Values:
    """The same bits in numbers as wide as the rows allow: fewer, faster steps."""
    width = min(8, rows.shape[1])
    return np.ascontiguousarray(rows).view(f"u{width}")
