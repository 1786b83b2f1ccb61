"""Numba kernels: pure functions over arrays, no Python objects, no I/O, no threads of their own.

jit         the decorator every kernel wears, and where compiled kernels are kept
tokenize    UTF-8 bytes → word hashes and spans
vocabulary  word hashes → word numbers, bags of words
sketch      word hashes → one-permutation sketches
overlap     bags of words → every pair whose bags overlap enough (exact)
shingles    word streams → shared shingles of pairs, containment candidates
edit        word streams → edit distance with a cutoff, alignment
"""
