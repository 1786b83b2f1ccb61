"""Texts compressed as a matter stores them: one zstd frame for each, which says how large the text is.

zstandard compresses many texts in one call, during which other threads run. With a call for each, the threads that
read small files spend more time handing the interpreter to one another than working.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

_LEVEL = 1
"""zstd's fastest level: storing a text must not cost more than reading it."""
_OF_THREAD = threading.local()


def packed(texts: Sequence[bytes]) -> list[bytes]:
    """The texts as they are stored; nothing for one that is empty."""
    compressor = _compressor()
    together = getattr(compressor, "multi_compress_to_buffer", None)
    if together is None or not any(texts):  # not every build of zstandard has it
        return [compressor.compress(text) if text else b"" for text in texts]
    made = iter(together([text for text in texts if text], threads=0))
    return [next(made).tobytes() if text else b"" for text in texts]


def _compressor() -> Any:
    """This thread's compressor: its memory is used again and again."""
    if not hasattr(_OF_THREAD, "compressor"):
        import zstandard

        _OF_THREAD.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return _OF_THREAD.compressor
