"""Stored texts: compressed in the database, and unpacked only within the size that they state.

Half a page of zstd can stand for gigabytes. A text is stored as one frame that says how large it is, and no document
is larger than reading allows; everything else is refused before it is unpacked.
"""

from __future__ import annotations

from truecopy.errors import MatterError
from truecopy.matter.cells import HINT
from truecopy.read import ReadSettings

_UNKNOWN = (1 << 64) - 1
"""What zstandard says of a frame that does not state its size."""


def stated_size(body: bytes) -> int:
    """How many bytes of text a body holds, as it says itself; refused where that cannot be."""
    import zstandard

    try:
        found = zstandard.get_frame_parameters(body)
    except zstandard.ZstdError as error:
        raise _damaged() from error
    if found.content_size == _UNKNOWN or found.content_size > ReadSettings().max_text or found.dict_id:
        raise _damaged()
    return int(found.content_size)


def unpacked(body: bytes) -> bytes:
    """A text, as UTF-8."""
    import zstandard

    size = stated_size(body)
    try:
        text: bytes = zstandard.ZstdDecompressor().decompress(body, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise _damaged() from error
    if len(text) != size:
        raise _damaged()
    return text


def decoded(body: bytes) -> str:
    """A text."""
    try:
        return unpacked(body).decode()
    except UnicodeDecodeError as error:
        raise _damaged() from error


def _damaged() -> MatterError:
    return MatterError("A stored text is not one text of the size that it states.", HINT)
