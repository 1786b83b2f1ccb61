"""Numba kernels: pure functions over arrays, no Python objects, no I/O, no threads of their own.

jit         the decorators every kernel wears, and where compiled kernels are kept
machine     two machine instructions that Python has no words for
mix         hash mixing that sketches, shingles and joins share
fold        UTF-8 bytes → folded code points
utf8        whether bytes are valid UTF-8
tokenize    UTF-8 bytes → word hashes and spans
breaks      where paragraphs and sentences begin
vocabulary  word hashes → word numbers, bags of words
content     words → content words
sketch      word hashes → one-permutation sketches
overlap     bags of words → every pair whose bags overlap enough (exact)
contain     word streams → pairs of which one text may be contained in the other (exact)
shingles    word streams → shared shingles of pairs
edit        word streams → edit distance with a cutoff
strip       the bit-parallel part of it
align       word streams → alignment
kinds       word streams → what two texts are to each other
star        pairs → principals and families
"""
