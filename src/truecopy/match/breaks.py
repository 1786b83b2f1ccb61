"""Where paragraphs and sentences begin, as a flag for each word: 1 a paragraph, 2 a sentence, 0 neither.

A paragraph begins with the text; after a blank line; after a line end where the line before it ended with
. ! ? : or ;; and with a list item or heading mark (#, *, -, •, an opening bracket). Any other line end is
taken for a line that was wrapped. A sentence begins after . ! or ? and white space, quotes and brackets between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.text import Tokens


def breaks(
    data: bytes | NDArray[np.uint8], text_offsets: NDArray[np.int64], tokens: Tokens
) -> NDArray[np.uint8]:
    """The flags of all words of a batch of texts, from the same buffer that `tokens` was made from."""
    from truecopy.kernels.breaks import find_breaks

    buffer = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data.view()
    buffer.flags.writeable = False  # one type of array, so that the kernel is compiled once
    out = np.empty(len(tokens.starts), np.uint8)
    find_breaks(buffer, text_offsets, tokens.starts, tokens.ends, tokens.offsets, out)
    return out
