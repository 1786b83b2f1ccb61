"""Text → signatures, one module for each family, all with the same functions (`family.py`).

families     the list of families, and specs from parameters by name
family       what every family has
words        one-permutation sketches of word shingles, truecopy's default
simhash      Roegiest 2019: majority of the hash bits of character n-grams
topsig       Roegiest 2019: signs of sums of sparse random vectors, weighted by statistics or not
minhash4     Roegiest 2019: four smallest hashes
mod          Cherkasova 2009: byte windows whose fingerprint n divides
min          Cherkasova 2009: the n smallest fingerprints of byte windows
sketch       Cherkasova 2009: the smallest fingerprint under each of n hashes
bsw          Cherkasova 2009: the smallest fingerprint of each chunk
terms        Conrad 2003, 2007: the rarest words
fingerprint  Conrad 2003: six rare words and their positions, hashed
letters      Stroz Friedberg: counts of letters and digits
projections  random projections of letter counts, as in the same paper
bits         what families of bit signatures share
grams        what families over character n-grams share
windows      what families over byte windows share
term_table   what families over rare words share
code_points  which code points are letters and numbers
hashes       the hashes of the definition, outside kernels
parts        texts → buffers for kernels
signatures   signatures with their spec, their documents, and whether to rely on them
files        files → signatures
statistics   document and collection frequencies of words and n-grams
counting     counts them
collect      files → statistics
stability    how far two tables of statistics agree

    >>> from truecopy.sign import family
    >>> simhash = family("simhash")
    >>> made = simhash.sign(["The Lessee shall pay.", "The Lessee must pay."], simhash.spec(bits=64))
    >>> simhash.distance(made, 0, made, 1)
    22
"""

from truecopy.sign.families import METHODS, family, make_spec, methods

__all__ = ["METHODS", "family", "make_spec", "methods"]
