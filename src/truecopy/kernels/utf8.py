"""Whether bytes are valid UTF-8, without holding the interpreter's lock as `bytes.decode` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel
from truecopy.kernels.machine import load_8

HIGH = np.uint64(0x8080808080808080)


@kernel
def is_utf8(data: Any) -> bool:
    """Well-formed by the Unicode Standard's table 3-7: no overlong form, no surrogate, nothing over U+10FFFF."""
    at = 0
    size = len(data)
    while at < size:
        if at + 8 <= size and load_8(data, at) & HIGH == np.uint64(0):
            at += 8
            continue
        lead = data[at]
        if lead < 0x80:
            at += 1
            continue
        more = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        if lead < 0xC2 or lead > 0xF4 or at + more >= size:
            return False
        second = data[at + 1]
        least = 0xA0 if lead == 0xE0 else 0x90 if lead == 0xF0 else 0x80
        most = 0x9F if lead == 0xED else 0x8F if lead == 0xF4 else 0xBF
        if second < least or second > most:
            return False
        for i in range(at + 2, at + more + 1):
            if data[i] & 0xC0 != 0x80:
                return False
        at += more + 1
    return True
