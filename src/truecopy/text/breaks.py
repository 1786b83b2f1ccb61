"""Where paragraphs and sentences begin, as a flag for each word: 1 a paragraph, 2 a sentence, 0 neither.

A paragraph begins with the text; after a blank line; after a line end where the line before it ended with
. ! ? : or ;; and with a list item or heading mark (#, *, -, •, an opening bracket). Any other line end counts as a
wrapped line. A sentence begins after . ! or ? and white space; quotes and brackets may be between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only
from truecopy.text import Tokens


def breaks(data: bytes | NDArray[np.uint8], text_offsets: NDArray[np.int64], tokens: Tokens) -> NDArray[np.uint8]:
    """The flags of all words of a batch of texts, from the same buffer that `tokens` was made from."""
    from truecopy.kernels.breaks import find_breaks

    buffer = read_only(np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data)
    out = np.empty(len(tokens.starts), np.uint8)
    spans = read_only(tokens.starts), read_only(tokens.ends), read_only(tokens.offsets)
    find_breaks(buffer, read_only(text_offsets), *spans, out)
    return out
