"""Numba kernels: pure functions over arrays, no Python objects, no I/O, no threads of their own.

jit           the decorators of every kernel, and where compiled kernels are kept
arrays        arrays as kernels take them
machine       two machine instructions that Python cannot name
mix           hash mixing that sketches, shingles and joins share
fold          UTF-8 bytes → folded code points
utf8          whether bytes are valid UTF-8
tokenize      UTF-8 bytes → word hashes and spans
marks         UTF-8 bytes and words → figure marks
breaks        where paragraphs and sentences begin
vocabulary    word hashes → word numbers, bags of words
content       words → content words
ngrams        UTF-8 bytes → hashes of character n-grams
grams         how often n-grams and words occur, and in how many texts
distinct      distinct n-grams of each text, their counts and weights
simhash       n-grams → SimHash bits
topsig        n-grams → TopSig sums
minhash       digests of n-grams → the smallest of each hash function
windows       byte windows → mod, min, sketch, bsw
letters       letter counts, and how far they are apart
terms         the rarest words of texts, and comparing them
sketch        word hashes → one-permutation sketches
bands         sketches → pairs that agree in all slots of a band
nearest       sketches → the rows that agree in the most slots
hamming       bits within a distance
projections   letter counts in a tree of boxes
postings      sets by inverted lists
overlap       bags of words → every pair whose bags overlap enough (exact)
contain       word streams → pairs in which one text may contain the other (exact)
shingles      word streams → shared shingles of pairs
shingle_sets  the distinct shingles of each text
edit          word streams → edit distance with a cutoff
strip         its bit-parallel part
align         word streams → alignment
part          which part of a text contains another text
kinds         word streams → what two texts are to each other
star          pairs → principals and families
"""
