"""Texts → buffers for kernels, some texts at a time, in as many threads as asked for.

A buffer holds whole texts in UTF-8 and ends in spare zero bytes, so that a kernel may load eight bytes at any place.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from truecopy.array_types import I64, U8
from truecopy.errors import BadSetting
from truecopy.text.batches import cuts, is_utf8
from truecopy.threads import Pool

Text = str | bytes

SPARE = 32
"""Zero bytes behind the last text of a buffer."""
LONGEST = 1 << 31
"""A text must have fewer bytes than this, so that counts and their squares fit into 64 bits."""
_LONG = 1 << 12
"""From this mean length on, in bytes, copying a text takes longer than asking for it."""
_PIECE = 1 << 21
"""About how many bytes of text a buffer has, in whole texts: with fewer, threads wait for the interpreter's lock."""
_SHARES = 4
"""At least this many buffers for each thread, so that none waits long for another at the end."""


def in_parts(
    texts: Sequence[Text],
    threads: int,
    work: Callable[[U8, I64, int], None],
) -> None:
    """Call `work(data, offsets, first)` for runs of texts; `first` is the number of the run's first text."""

    def run(bounds: tuple[int, int]) -> None:
        first, last = bounds
        work(*buffer(texts[first:last]), first)

    bounds = list(runs(texts, threads))
    if threads <= 1 or len(bounds) <= 1:
        for some in bounds:
            run(some)
        return
    with Pool(threads) as pool:
        list(pool.map(run, bounds))


def buffer(texts: Sequence[Text]) -> tuple[U8, I64]:
    """Texts in one buffer of UTF-8 with spare bytes, and where each begins."""
    encoded = [text if isinstance(text, bytes) else utf8(text) for text in texts]
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(text) for text in encoded], out=offsets[1:])
    data = _joined(encoded, offsets)
    # Check all in one go: together they are UTF-8, and no text begins in the middle of a character.
    begins = data[offsets[:-1]]
    if not is_utf8(data) or ((begins & 0xC0) == 0x80).any() or np.diff(offsets).max(initial=0) >= LONGEST:
        for text in texts:
            utf8(text)
    return data, offsets


def _joined(texts: list[bytes], offsets: I64) -> U8:
    """Texts one after the other, with spare zero bytes behind them."""
    if offsets[-1] < _LONG * len(texts):
        return np.frombuffer(bytearray().join([*texts, bytes(SPARE)]), np.uint8)
    # Joining holds the interpreter's lock; copying arrays does not, so threads need not wait for each other.
    data = np.empty(int(offsets[-1]) + SPARE, np.uint8)
    data[-SPARE:] = 0
    for text, (begin, end) in zip(texts, itertools.pairwise(offsets.tolist()), strict=True):
        data[begin:end] = np.frombuffer(text, np.uint8)
    return data


def utf8(text: Text) -> bytes:
    """A text in UTF-8; other bytes are refused."""
    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(encoded) >= LONGEST:
        raise BadSetting(f"A text has {len(encoded):,} bytes, but a signature takes fewer than 2 GiB.", "Split it.")
    if isinstance(text, bytes) and not is_utf8(text):
        raise BadSetting("Bytes were given that are not UTF-8.", "Decode the text first, and give it as str.")
    return encoded


def runs(texts: Sequence[Text], threads: int = 1) -> Iterator[tuple[int, int]]:
    """From, to: runs of texts, several for each thread."""
    if isinstance(texts, str | bytes):
        raise BadSetting("One text was given where several are expected.", "Put it into a list.")
    for text in texts:
        if not isinstance(text, str | bytes):
            raise BadSetting(f"A text was given as {type(text).__name__}.", "Give str, or bytes in UTF-8.")
    share = sum(map(len, texts)) // (_SHARES * threads) if threads > 1 else _PIECE
    yield from cuts(texts, min(_PIECE, max(share, 1 << 18)))
