"""Which passages one text can be similar to: a few, found by the stored runs and weighed by their words.

The stored runs (`index.near_one`) name all that can be similar, and some that cannot. Of these, the stored words tell
in no time which have too few words in common with the text, so that they need not be read into arrays and measured.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import I64
from truecopy.index.near_one import near_one, share_enough
from truecopy.matter.ask.asked import AskedDocument
from truecopy.matter.indexing import stored_run_blocks
from truecopy.matter.state import State
from truecopy.matter.texts import parts_of, shingle_keys_of, stream_of
from truecopy.model import SHORTEST_PAIRED


def may_be_similar(state: State, asked: AskedDocument, threshold: float) -> I64 | None:
    """The passages, in order, that can be similar to what is asked about; None where runs cannot tell: they are not
    stored, or it has too few words to have any.
    """
    blocks = None if asked.words < SHORTEST_PAIRED else stored_run_blocks(state)
    if blocks is None:
        return None
    stream, _ = stream_of(state, asked.stream)
    words, places, counts = np.unique(stream, return_inverse=True, return_counts=True)
    found = near_one(blocks, places.astype(np.uint32), shingle_keys_of(state, words), threshold)
    kept = [np.empty(0, np.int64)]
    for passages, part in parts_of(state, found):
        texts = passages - part.file.first
        kept.append(passages[share_enough((words, counts), part.arrays, texts, threshold)])
    return np.concatenate(kept)
