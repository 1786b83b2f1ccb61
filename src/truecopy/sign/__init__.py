"""Text → signatures, one module for each family, all with the same functions (`family.py`).

words         one-permutation sketches of word shingles, truecopy's default
simhash       Roegiest 2019: majority of the hash bits of character n-grams
topsig        Roegiest 2019: signs of sums of sparse random vectors, weighted by statistics or not
minhash4      Roegiest 2019: four smallest hashes
mod, min, sketch, bsw   Cherkasova 2009: samples of byte windows
terms         Conrad 2003, 2007: the rarest words
fingerprint   Conrad 2003: six rare words and where they stand, hashed
letters       Stroz Friedberg: counts of letters and digits
statistics    document and collection frequencies of words and n-grams

    >>> from truecopy.sign import family
    >>> simhash = family("simhash")
    >>> made = simhash.sign(["The Lessee shall pay.", "The Lessee must pay."], simhash.spec(bits=64))
    >>> simhash.distance(made, 0, made, 1)
    22
"""

from truecopy.sign.families import METHODS, family, make_spec, methods

__all__ = ["METHODS", "family", "make_spec", "methods"]
