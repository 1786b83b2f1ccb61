"""The kernel's check of UTF-8 against Python's own decoder."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truecopy.kernels.utf8 import is_utf8


def decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


PIECES = st.one_of(
    st.binary(max_size=6),
    st.text(max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [b"plain text ", b"\xc0\x80", b"\xe0\x9f\xbf", b"\xed\xa0\x80", b"\xf0\x8f\xbf\xbf", b"\xf4\x90\x80\x80"]
    ),
)


@given(st.lists(PIECES, max_size=8).map(b"".join))
@example(b"")
@example(b"\xe2\x82")
@example(b"12345678\xc3")
@example(b"\xf4\x8f\xbf\xbf")
@settings(max_examples=2000, deadline=None)
def test_the_kernel_agrees_with_the_decoder(data: bytes) -> None:
    """Valid and broken UTF-8 of every sort: the same answer."""
    assert is_utf8(np.frombuffer(data, np.uint8)) == decodes(data)


def test_every_two_and_three_byte_start() -> None:
    """All pairs of bytes, and each of them with two continuation bytes behind: the same answer."""
    for first in range(0x80, 0x100):
        for second in range(0x100):
            for tail in (b"", b"\x80", b"\x80\x80", b"\xbfa"):
                data = bytes([first, second]) + tail
                assert is_utf8(np.frombuffer(data, np.uint8)) == decodes(data), data
