"""Numba kernels: pure functions over arrays, no Python objects, no I/O, no threads of their own.

jit            the decorators of every kernel, and where compiled kernels are kept
arrays         arrays as kernels take them
machine        machine instructions that Python cannot name
secret         what tables are searched by, drawn anew for each process
mix            hash mixing that sketches, shingles and joins share
sorting        numbers in order
fold           UTF-8 bytes → folded code points
utf8           whether bytes are valid UTF-8
tokenize       UTF-8 bytes → word hashes, spans and spelling
marks          UTF-8 bytes and words → figure marks
breaks         where paragraphs and sentences begin
vocabulary     spelled words → word numbers, bags of words
word_lists     spelled words → their numbers in a sorted list
content        words → content words
ngrams         UTF-8 bytes → hashes of character n-grams
grams          how often n-grams and words occur, and in how many texts
distinct       distinct n-grams of each text, their counts and weights
simhash        n-grams → SimHash bits
topsig         n-grams → TopSig sums
minhash        digests of n-grams → the smallest of each hash function
windows        byte windows → mod, min, sketch, bsw
letters        letter counts, and how far they are apart
terms          the rarest words of texts, and comparing them
sketch         word hashes → one-permutation sketches
bands          sketches → pairs that agree in all slots of a band
nearest        sketches → the rows that agree in the most slots
hamming        bits within a distance
projections    letter counts in a tree of boxes
postings       sets by inverted lists
overlap        bags of words → every pair whose bags overlap enough (exact)
pieces         word streams → pairs that share enough runs of words (exact)
slots          hashes of texts in slots, and marks of those that there are
contain        word streams → pairs in which one text may contain the other (exact)
run_lists      word streams → all their runs of words in one sorted array
touch_runs     that array and fresh texts → what can be paired with them (exact)
one_text       the same array and one text → what it can be similar to (exact)
shingles       word streams → shared shingles of pairs
shingle_sets   the distinct shingles of each text
edit           word streams → edit distance with a cutoff
strip          its bit-parallel part
align          word streams → alignment
part           which part of a text contains another text
kinds          word streams → what two texts are to each other
star           pairs → principals and families

Numba looks for a file of settings in the working folder, which may be evidence: it could make the compiler print, stop
or slow down. So Numba is imported here, before any kernel, without that file.
"""

from __future__ import annotations

import sys
import warnings

_NO_FILE = "\0"
"""No file has this name."""


def _import_numba() -> None:
    """Import Numba, unless the program that uses this library has done so already: then it is the program's own."""
    if "numba" in sys.modules:
        return
    known = {name: sys.modules.pop(name) for name in ("yaml",) if name in sys.modules}
    sys.modules["yaml"] = None  # without it, the file is not read
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from numba.core import config
    finally:
        del sys.modules["yaml"]
        sys.modules.update(known)
    config._config_fname = _NO_FILE  # it would be looked for again with every compilation


_import_numba()
